#pragma once
// How a trained model does on sequences longer than any it was trained on.
#include <cstdint>

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

  double factor() const { return factor_; }
  int64_t longest() const { return config_.model.max_length; }
  const Task& task() const { return *task_; }

  // `factor` 1 is scored on the test set, the others on samples drawn for this.
  Scores run(int64_t samples);

 private:
  Session& session_;
  double factor_;
  int64_t extra_;
  std::unique_ptr<Task> task_;
  RunConfig config_;
  ResolvedEncoding encoding_;
};

}  // namespace phasor
