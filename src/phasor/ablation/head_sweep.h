#pragma once
// Ablates heads of a trained model, each condition apart, on one set of samples. For a batch the model runs once; then,
// from the last layer down, every condition goes on from its layer's head outputs: nothing below an ablated layer is
// computed again, and what a condition computes is bit for bit what a whole forward pass with it would.
#include <functional>
#include <vector>

#include "phasor/ablation/score_table.h"
#include "phasor/ablation/stand_ins.h"
#include "phasor/model/transformer.h"
#include "phasor/task/dataset.h"

namespace phasor {

struct SweepOptions {
  std::vector<AblationMethod> methods = all_methods();
  // Methods for which all heads but one are ablated too.
  std::vector<AblationMethod> only_methods = {AblationMethod::zero, AblationMethod::position_off};
  int64_t samples = 4096;  // the first ones of the set
  int64_t batch = 128;     // samples at once; donors of `resample` come from the batch
  int64_t draws = 1;       // of methods that draw; scores are their mean
  uint64_t seed = 0;
  bool incremental = true;  // false: a whole forward pass for every condition
};

// In the order in which a sweep measures them.
std::vector<Condition> sweep_conditions(const SweepOptions& options, int64_t layers, int64_t heads);

// Of one batch after an evaluation, written to samples `first` and on. Draws add up.
void add_scores(Transformer& model, const Batch& batch, int64_t first, double weight, SampleScores& to);

class HeadSweep {
 public:
  // Throws UsageError where there are no samples. The model and the data must outlive this.
  HeadSweep(Transformer& model, const Dataset& data, const SweepOptions& options);

  const ScoreTable& table() const { return table_; }
  bool finished() const { return table_.done == table_.samples; }
  // Takes over what an earlier sweep with the same options measured. False where it does not fit.
  bool go_on_with(const ScoreTable& earlier);

  // Called between conditions with the share of the work that is done; false stops the sweep. Samples of the batch in
  // hand are then measured again by the next run().
  using Progress = std::function<bool(double share)>;
  // Called after every batch that was measured.
  using Saver = std::function<void(const ScoreTable&)>;
  // True when everything was measured.
  bool run(const Progress& progress = {}, const Saver& save = {});

  // The same in parts: once what stand-ins need to know of all samples, then batch after batch. False when stopped.
  bool prepare(const Progress& progress = {});
  bool measure_next(const Progress& progress = {});

 private:
  Batch batch_at(int64_t first) const;
  bool measure(const Batch& batch, int64_t first, const Progress& progress);
  bool measure_layer(int64_t layer, const Batch& batch, int64_t first, const Progress& progress);
  void replace(const Condition& condition, const ConstMatrix& from, int64_t tokens);
  int64_t draws_of(AblationMethod method) const;
  bool advance(const Progress& progress);

  Transformer& model_;
  const Dataset& data_;
  SweepOptions options_;
  ScoreTable table_;
  StandIns stand_ins_;
  Memory intact_memory_;
  Matrix intact_;  // a layer's head outputs
  int64_t evaluations_ = 0, planned_ = 0;
};

}  // namespace phasor
