#pragma once
// How a trained model does on sequences longer than any it was trained on, and under another encoding.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "phasor/run/encoding_swap.h"
#include "phasor/run/evaluation.h"
#include "phasor/run/session.h"

namespace phasor {

// Beyond it attention alone would take hours.
constexpr double kMostLengthFactor = 64.0;

// The longer task and a model for it, which shares the trained parameters.
class LengthEvaluation {
 public:
  // Every sample gets (factor - 1) times the longest training length more. Throws UsageError where the task has no
  // such samples or the encoding no parameters for such positions.
  LengthEvaluation(Session& session, double factor);
  // The trained weights under another encoding, an expression as encoding_at_length() takes it. Throws UsageError where
  // they do not fit it or it has numbers that were never trained; `run` is the folder, for that error.
  LengthEvaluation(Session& session, double factor, std::string_view expression, const std::string& run = "");

  double factor() const { return factor_; }
  int64_t longest() const { return config_.model.max_length; }
  const Task& task() const { return *task_; }
  const RunConfig& config() const { return config_; }
  const EncodingSwap& swap() const { return swap_; }

  // `factor` 1 is scored on the test set, the others on samples drawn for this.
  Scores run(int64_t samples);

  // Both add the same to the embeddings.
  bool adds_alike(const LengthEvaluation& other) const;

  // A model of its own, with the trained parameters.
  std::unique_ptr<Transformer> make_model() const;
  // The first `count` samples that run() scores.
  Dataset make_samples(int64_t count) const;

 private:
  Session& session_;
  double factor_;
  int64_t extra_;
  std::unique_ptr<Task> task_;
  RunConfig config_;
  ResolvedEncoding encoding_;
  ParameterLayout layout_;
  EncodingSwap swap_;
};

}  // namespace phasor
