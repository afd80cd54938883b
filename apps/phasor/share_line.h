#pragma once
// Progress of work that knows how much of it is done: on a terminal one line that keeps changing, elsewhere a line for
// every tenth.
#include <chrono>
#include <string>
#include <string_view>

namespace phasor::app {

class ShareLine {
 public:
  explicit ShareLine(std::string label);
  ShareLine(const ShareLine&) = delete;
  ShareLine& operator=(const ShareLine&) = delete;
  // Ends the line, so that what follows starts on its own.
  ~ShareLine();

  // A new `what` starts again at 0.
  void update(std::string_view what, double share);

 private:
  void say(double share);

  std::string label_, what_;
  bool terminal_;
  bool drawn_ = false;
  double first_share_ = 0.0;  // what was done before this line began: it says nothing about the rate
  int tenths_ = -1;
  std::chrono::steady_clock::time_point began_, drawn_at_;
};

}  // namespace phasor::app
