#pragma once
// Progress of a study on stderr: on a terminal one line that keeps changing, above it a line per run that is done;
// elsewhere only the latter.
#include <chrono>
#include <string>

#include "phasor/study/study_runner.h"

namespace phasor::app {

class StudyDisplay {
 public:
  // `phase` is what the runs are for: "tuning", "runs".
  explicit StudyDisplay(std::string phase);
  StudyDisplay(const StudyDisplay&) = delete;
  StudyDisplay& operator=(const StudyDisplay&) = delete;
  ~StudyDisplay();

  void started(size_t runs, const RunnerOptions& options);
  void progress(const StudyProgress& progress);
  // `outcome` in words: "test accuracy 0.998, 41 s", or why the run failed.
  void finished(const PlannedRun& run, const std::string& outcome, const StudyProgress& progress);

 private:
  void draw(const StudyProgress& progress);
  void clear();

  std::string phase_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_;
};

}  // namespace phasor::app
