#pragma once
// Progress of a training: one line that keeps changing on a terminal, a line per evaluation elsewhere.
#include <string>

#include "phasor/train/trainer.h"
#include "terminal/status_line.h"

namespace phasor::app {

class TrainingProgress {
 public:
  TrainingProgress(const std::string& label, int64_t steps);

  void update(const Progress& progress);
  void evaluation(const Metrics& metrics);

 private:
  std::string label_;
  Progress last_;
  double test_accuracy_ = 0.0;
  StatusLine line_;
};

}  // namespace phasor::app
