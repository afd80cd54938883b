#pragma once
// The training loop: updates, evaluations, files. A run can stop at any update and go on later with the same bits.
#include <functional>
#include <string>

#include "phasor/engine/backend.h"
#include "phasor/run/config.h"
#include "phasor/run/run_folder.h"

namespace phasor {

struct Progress {
  int64_t step = 0;
  int64_t steps = 0;
  double batch_loss = 0.0;
  double tokens_per_second = 0.0;  // over this sitting, evaluations included
  double seconds_left = 0.0;
};

// What the caller wants to hear and decide. All may be empty.
struct TrainingCallbacks {
  std::function<void(const Progress&)> update;     // of every update, once the device has told what it came to
  std::function<void(const Metrics&)> evaluation;  // after every evaluation
  std::function<bool()> stop;                      // true: save the state and return
};

enum class TrainingEnd : uint8_t { finished, stopped };

struct TrainingOutcome {
  TrainingEnd end = TrainingEnd::finished;
  int64_t step = 0;
  RunResult result;  // where finished
};

// Starts the run in the folder, or goes on with it where the folder holds its state. Throws Error when the loss is
// no longer finite; the folder then keeps its last good state and no result.
TrainingOutcome train(Backend& backend, const RunConfig& config, const RunFolder& folder,
                      const TrainingCallbacks& callbacks);

}  // namespace phasor
