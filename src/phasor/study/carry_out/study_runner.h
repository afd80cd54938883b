#pragma once
// Carries runs out, several at once: trains each, measures what is asked of it, and goes on where it was interrupted. A
// run that fails does not stop the others.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "phasor/engine/devices.h"
#include "phasor/study/records/study_folder.h"

namespace phasor {

struct RunnerOptions {
  int64_t jobs = 1;     // runs at once
  int64_t threads = 1;  // of each
  std::string device{kDefaultDevice};
};

// One run at work.
struct ActiveRun {
  const PlannedRun* run = nullptr;
  std::string what;    // "training", "heads", ...
  double share = 0.0;  // of the run's work, from 0 to 1
};

struct StudyProgress {
  int64_t runs = 0;    // to do in all
  int64_t before = 0;  // that had been done before this call
  int64_t done = 0;    // in all; failed ones among them
  int64_t failed = 0;
  double work = 0.0;  // share of all runs' work that is done
  double seconds = 0.0;
  double seconds_left = -1.0;  // below 0: cannot be told yet
  std::vector<ActiveRun> active;
};

// Called by one thread at a time. All may be empty.
struct RunnerCallbacks {
  std::function<void(const StudyProgress&)> progress;
  // `failure` is null where the run is complete.
  std::function<void(const PlannedRun&, const RunFailure* failure, const StudyProgress&)> finished;
  std::function<bool()> stop;  // true: save all that is at work and return
};

enum class StudyEnd : uint8_t { finished, stopped };

// Trained and measured: carry_out() would do nothing about it.
bool is_complete(const StudyFolder& folder, const PlannedRun& run);

// Throws Error when the disk is full, after saving what can be saved.
StudyEnd carry_out(const std::vector<PlannedRun>& runs, const StudyFolder& folder, const RunnerOptions& options,
                   const RunnerCallbacks& callbacks = {});

// How many runs at once are fastest, with the cores divided among them; measured at quick size: docs/studies.md.
RunnerOptions fastest_split(const StudyPlan& plan, int64_t cores);

}  // namespace phasor
