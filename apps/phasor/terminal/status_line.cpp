#include "terminal/status_line.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "phasor/base/display_width.h"
#include "phasor/base/duration_text.h"
#include "terminal/terminal.h"

namespace phasor::app {

using Clock = std::chrono::steady_clock;

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

StatusLine::~StatusLine() {
  if (drawn_) app::draw("\n");
}

bool StatusLine::is_due() const {
  return terminal_ && (!drawn_ || Clock::now() - drawn_at_ >= std::chrono::milliseconds(100));
}

void StatusLine::draw(const std::string& line) {
  if (!terminal_) return;
  app::draw("\r" + std::string(first_columns(safe_text(line), room())) + "\x1b[K");
  drawn_ = true;
  drawn_at_ = Clock::now();
}

void StatusLine::clear() {
  if (drawn_) app::draw("\r\x1b[K");
  drawn_ = false;
}

void StatusLine::say(const std::string& line) {
  clear();
  app::say(line + "\n");
}

size_t StatusLine::room() {
  winsize size = {};
  return (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80) - 1u;
}

std::string progress_bar(double share, size_t cells) {
  const auto filled = static_cast<size_t>(std::lround(static_cast<double>(cells) * std::clamp(share, 0.0, 1.0)));
  return fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", cells - filled);
}

std::string duration(double seconds) { return duration_text(seconds); }

}  // namespace phasor::app
