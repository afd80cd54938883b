#pragma once
// Progress of work that knows how much of it is done: on a terminal one line that keeps changing, elsewhere a line for
// every tenth.
#include <chrono>
#include <string>
#include <string_view>

#include "terminal/status_line.h"

namespace phasor::app {

class WorkProgress {
 public:
  explicit WorkProgress(std::string label) : label_(std::move(label)) {}

  // A new `what` starts again at 0.
  void update(std::string_view what, double share);

 private:
  std::string text(double share) const;

  std::string label_, what_;
  StatusLine line_;
  double first_share_ = 0.0;  // what was done before this began: it says nothing about the rate
  int tenths_ = -1;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace phasor::app
