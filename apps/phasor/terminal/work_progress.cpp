#include "terminal/work_progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace phasor::app {

using Clock = std::chrono::steady_clock;

void WorkProgress::update(std::string_view what, double share) {
  if (what != what_) {
    what_ = what;
    first_share_ = share;
    tenths_ = -1;
    began_ = Clock::now();
    line_.clear();
  }
  const int tenths = static_cast<int>(10.0 * share);
  if (line_.on_terminal()) {
    if (line_.is_due() || share >= 1.0) line_.draw(fmt::format("{} {}", text(share), progress_bar(share, 20)));
  } else if (tenths > tenths_) {
    line_.say(text(share));
  }
  tenths_ = std::max(tenths, tenths_);
}

std::string WorkProgress::text(double share) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  const double rate = (share - first_share_) / std::max(seconds, 1e-9);
  std::string line = fmt::format("{}: {} {:3.0f} %", label_, what_, 100.0 * share);
  if (share > first_share_ && share < 1.0) line += fmt::format("  {} left", duration((1.0 - share) / rate));
  return line;
}

}  // namespace phasor::app
