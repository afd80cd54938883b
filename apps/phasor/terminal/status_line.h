#pragma once
// The line on stderr that says how far work is: on a terminal one line that is drawn over, elsewhere plain lines.
#include <chrono>
#include <cstddef>
#include <string>

namespace phasor::app {

class StatusLine {
 public:
  StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  // A line that stands is ended, so that what follows starts on its own.
  ~StatusLine();

  bool on_terminal() const { return terminal_; }
  // It is time to draw again; without a terminal never.
  bool is_due() const;
  // Over what stands, cut to the terminal's width.
  void draw(const std::string& line);
  void clear();
  // A line that stays, above the one that changes.
  void say(const std::string& line);
  // For a bar and other text; the last column stays free, because some terminals wrap as soon as it is filled.
  static size_t room();

 private:
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_;
};

// "[####......]"
std::string progress_bar(double share, size_t cells);

// "0.4 s", "41 s", "3 min 20 s", "2 h 5 min"
std::string duration(double seconds);

}  // namespace phasor::app
