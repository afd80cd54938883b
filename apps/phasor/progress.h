#pragma once
// Progress on stderr: one line that keeps changing on a terminal, a plain line per evaluation elsewhere.
#include <chrono>
#include <string>

#include "phasor/train/trainer.h"

namespace phasor::app {

class ProgressLine {
 public:
  ProgressLine(std::string label, int64_t steps);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  // Ends the line, so that what follows starts on its own.
  ~ProgressLine();

  void update(const Progress& progress);
  void evaluation(const Metrics& metrics);

 private:
  void draw();

  std::string label_;
  bool terminal_;
  bool drawn_ = false;
  Progress last_;
  double test_accuracy_ = 0.0;
  std::chrono::steady_clock::time_point drawn_at_;
};

// Of stderr: a line that wraps could not be drawn over.
size_t terminal_columns();

// "0.4 s", "41 s", "3 min 20 s", "2 h 5 min"
std::string duration(double seconds);

}  // namespace phasor::app
