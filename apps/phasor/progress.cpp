#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace phasor::app {

std::string duration(double seconds) {
  const auto total = static_cast<int64_t>(std::lround(seconds));
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {} s", total / 60, total % 60);
  return fmt::format("{} h {} min", total / 3600, total % 3600 / 60);
}

ProgressLine::ProgressLine(std::string label) : label_(std::move(label)), terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::update(const Progress& progress) {
  last_ = progress;
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - drawn_at_ < std::chrono::milliseconds(100) && progress.step < progress.steps) return;
  drawn_at_ = now;
  draw(progress);
}

void ProgressLine::draw(const Progress& p) {
  constexpr int64_t kCells = 20;
  const int64_t filled = p.steps > 0 ? kCells * p.step / p.steps : 0;
  fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {}/{}  loss {:.4f}  test {:.4f}  {:.0f}k tokens/s  {} left \x1b[K", label_, "",
             filled, "", kCells - filled, p.step, p.steps, p.batch_loss, test_accuracy_, p.tokens_per_second / 1000.0,
             duration(p.seconds_left));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::evaluation(const Metrics& metrics) {
  test_accuracy_ = metrics.test_accuracy;
  if (terminal_) return;
  fmt::print(stderr, "{}  step {}/{}  train {:.4f}  test {:.4f}  loss {:.4f}  {:.0f}k tokens/s  {} left\n", label_,
             metrics.step, last_.steps, metrics.train_accuracy, metrics.test_accuracy, metrics.test_loss,
             last_.tokens_per_second / 1000.0, duration(last_.seconds_left));
}

void ProgressLine::close() {
  if (drawn_) fmt::print(stderr, "\n");
  drawn_ = false;
}

}  // namespace phasor::app
