#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "terminal.h"

namespace phasor::app {
namespace {

constexpr size_t kLongestLabel = 40;

std::string rate(double tokens_per_second) {
  if (tokens_per_second < 10000.0) return fmt::format("{:.0f} tokens/s", tokens_per_second);
  return fmt::format("{:.0f}k tokens/s", tokens_per_second / 1000.0);
}

// " [####......]" in what room there is, or nothing.
std::string bar(int64_t done, int64_t all, size_t room) {
  constexpr size_t kFrame = 3, kFewest = 5, kMost = 20;
  if (all < 1 || room < kFewest + kFrame) return "";
  const size_t cells = std::min(kMost, room - kFrame);
  const size_t filled = cells * static_cast<size_t>(done) / static_cast<size_t>(all);
  return " [" + std::string(filled, '#') + std::string(cells - filled, '.') + "]";
}

}  // namespace

size_t terminal_columns() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string duration(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto total = static_cast<int64_t>(std::lround(seconds));
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {} s", total / 60, total % 60);
  return fmt::format("{} h {} min", total / 3600, total % 3600 / 60);
}

ProgressLine::ProgressLine(std::string label, int64_t steps)
    : label_(std::move(label)), terminal_(isatty(STDERR_FILENO) != 0), last_{.steps = steps} {
  if (label_.size() > kLongestLabel) label_ = label_.substr(0, kLongestLabel - 3) + "...";
}

ProgressLine::~ProgressLine() {
  if (drawn_) say("\n");
}

void ProgressLine::update(const Progress& progress) {
  last_ = progress;
  const auto now = std::chrono::steady_clock::now();
  const bool due = !drawn_ || now - drawn_at_ >= std::chrono::milliseconds(100) || progress.step == progress.steps;
  if (!terminal_ || !due) return;
  drawn_at_ = now;
  draw();
}

void ProgressLine::draw() {
  // The last column stays free: some terminals wrap as soon as it is filled.
  const size_t room = terminal_columns() - 1;
  std::string line =
      fmt::format("  {}/{}  test {:.4f}  loss {:.4f}  {} left  {}", last_.step, last_.steps, test_accuracy_,
                  last_.batch_loss, duration(last_.seconds_left), rate(last_.tokens_per_second));
  const size_t used = label_.size() + line.size();
  line = label_ + bar(last_.step, last_.steps, used < room ? room - used : 0) + line;
  if (line.size() > room) line.resize(room);
  app::draw("\r" + safe_text(line) + "\x1b[K");
  drawn_ = true;
}

void ProgressLine::evaluation(const Metrics& metrics) {
  test_accuracy_ = metrics.test_accuracy;
  if (terminal_) return;
  std::string line = fmt::format("{}  step {}/{}  train {:.4f}  test {:.4f}  loss {:.4f}", label_, metrics.step,
                                 last_.steps, metrics.train_accuracy, metrics.test_accuracy, metrics.test_loss);
  // Before the first update there is no rate to tell.
  if (last_.step > 0) {
    line += fmt::format("  {}  {} left", rate(last_.tokens_per_second), duration(last_.seconds_left));
  }
  say(line + "\n");
}

}  // namespace phasor::app
