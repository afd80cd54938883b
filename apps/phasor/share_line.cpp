#include "share_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "progress.h"
#include "terminal.h"

namespace phasor::app {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCells = 20;

}  // namespace

ShareLine::ShareLine(std::string label) : label_(std::move(label)), terminal_(isatty(STDERR_FILENO) != 0) {}

ShareLine::~ShareLine() {
  if (drawn_) draw("\n");
}

void ShareLine::update(std::string_view what, double share) {
  const Clock::time_point now = Clock::now();
  if (what != what_) {
    what_ = what;
    first_share_ = share;
    tenths_ = -1;
    began_ = now;
    drawn_at_ = {};
  }
  const int tenths = static_cast<int>(10.0 * share);
  const bool due = terminal_ ? now - drawn_at_ >= std::chrono::milliseconds(100) || share >= 1.0 : tenths > tenths_;
  if (!due) return;
  tenths_ = tenths;
  drawn_at_ = now;
  say(share);
}

void ShareLine::say(double share) {
  const double seconds = std::chrono::duration<double>(drawn_at_ - began_).count();
  const double rate = (share - first_share_) / std::max(seconds, 1e-9);
  std::string line = fmt::format("{}: {} {:3.0f} %", label_, what_, 100.0 * share);
  if (share > first_share_ && share < 1.0) line += fmt::format("  {} left", duration((1.0 - share) / rate));
  if (!terminal_) {
    app::say(line + "\n");
    return;
  }
  const auto filled = static_cast<size_t>(std::lround(kCells * std::clamp(share, 0.0, 1.0)));
  draw(fmt::format("\r{} [{}{}]\x1b[K", safe_text(line), std::string(filled, '#'), std::string(kCells - filled, '.')));
  drawn_ = true;
}

}  // namespace phasor::app
