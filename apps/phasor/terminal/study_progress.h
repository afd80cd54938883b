#pragma once
// Progress of a study: on a terminal one line that keeps changing, above it a line per run that is done; elsewhere the
// latter, and every half minute a line in between.
#include <chrono>
#include <optional>
#include <string>

#include "phasor/study/carry_out/study_runner.h"
#include "terminal/status_line.h"

namespace phasor::app {

class StudyProgressLine {
 public:
  // `phase` is what the runs are for: "tuning", "runs".
  explicit StudyProgressLine(std::string phase) : phase_(std::move(phase)) {}
  ~StudyProgressLine() { line_.clear(); }
  StudyProgressLine(const StudyProgressLine&) = delete;
  StudyProgressLine& operator=(const StudyProgressLine&) = delete;

  void started(size_t runs, const RunnerOptions& options);
  void progress(const StudyProgress& progress);
  // `outcome` in words: "rope learned distance: 99.8 % (clean, seed 0), trained in 41 s", or why the run failed.
  void finished(const std::string& outcome, const StudyProgress& progress);

 private:
  std::string text(const StudyProgress& progress) const;

  std::string phase_;
  StatusLine line_;
  std::optional<std::chrono::steady_clock::time_point> said_;  // where there is no terminal: the latest line
};

}  // namespace phasor::app
