#pragma once
// What a method puts in place of the outputs of a layer's heads: rows for all heads at once, of which a sweep takes the
// columns of the heads it ablates.
#include <map>
#include <memory>
#include <vector>

#include "phasor/ablation/gate_steps.h"
#include "phasor/ablation/index_sums.h"
#include "phasor/ablation/method.h"
#include "phasor/ablation/position_fit.h"
#include "phasor/ablation/token_means.h"
#include "phasor/ablation/turn_steps.h"
#include "phasor/model/transformer.h"

namespace phasor {

class StandIns {
 public:
  // The model must outlive this. Draws (resample, position_shuffled) are a function of the seed and the sample's
  // number.
  StandIns(Transformer& model, const Capacity& capacity, const std::vector<AblationMethod>& methods, uint64_t seed);

  // Every batch of the set must be seen once, after a forward pass, before stand-ins are made for any, where some
  // method needs means.
  bool gathers() const { return gathers_; }
  void gather(const Batch& batch, int64_t first_sample);
  // Call once after the last.
  void finish_gathering();

  // Of the batch of the last forward pass, whose first sequence is sample `first_sample` of the set. The layer's
  // queries, keys and head outputs must be those of that pass. [tokens, heads * value width], good until the next call.
  ConstMatrix make(AblationMethod method, int64_t layer, const Batch& batch, int64_t first_sample, int64_t draw);

 private:
  struct Means {
    IndexSums outputs;
    PositionFit queries_keys;
    GateSteps gates;
    TurnSteps turns;
    TokenMeans directions, strengths;  // of reflections
  };
  // Memory of the backend as large as the largest batch asks for.
  struct Scratch {
    Memory memory;
    Matrix matrix;

    Scratch(Backend& backend, Dtype dtype, int64_t rows, int64_t columns);
  };

  ConstMatrix from_means(AblationMethod method, int64_t layer, const Batch& batch);
  ConstMatrix resampled(int64_t layer, const Batch& batch, int64_t first_sample, int64_t draw);
  ConstMatrix attend_again(AblationMethod method, int64_t layer, const Batch& batch, int64_t first_sample,
                           int64_t draw);
  ConstMatrix upload(const std::vector<float>& rows, int64_t columns);
  std::vector<int32_t> shuffled_places(const Batch& batch, int64_t first_sample, int64_t draw) const;
  std::vector<float> changed_rows(AblationMethod method, int64_t layer, const Batch& batch, int64_t first_sample,
                                  const Attention& attention, const std::vector<int32_t>& places) const;
  Memory level_row_scale(Attention& attention, const Batch& batch) const;
  void set_positions(AblationMethod method, Attention& attention, const Batch& batch,
                     const std::vector<int32_t>& places);
  void set_turns(AblationMethod method, int64_t layer, Attention& attention, const Batch& batch,
                 const std::vector<int32_t>& places);
  void set_gates(AblationMethod method, int64_t layer, Attention& attention, const Batch& batch,
                 const std::vector<int32_t>& places);

  void set_dense(AblationMethod method, int64_t layer, Attention& attention, const Batch& batch);
  // Every token of a sequence gets the mean of the other ones'; `memory` keeps them.
  View<const float, 2> mean_rows(const TokenMeans& means, const View<const float, 2>& rows, const Batch& batch,
                                 Memory& memory) const;

  Transformer& model_;
  Capacity capacity_;
  uint64_t seed_;
  bool gathers_;
  std::vector<Means> means_;  // [layers]
  std::unique_ptr<Scratch> zeros_, rows_, out_;
  Memory log_sum_, positions_, prefix_, turns_, directions_, strengths_;
  std::map<std::pair<int, int64_t>, Scratch> parts_;  // queries, shared queries, keys, shared keys by width
};

}  // namespace phasor
