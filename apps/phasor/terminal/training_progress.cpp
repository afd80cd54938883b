#include "terminal/training_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "phasor/base/display_width.h"

namespace phasor::app {
namespace {

constexpr size_t kLongestLabel = 40;

std::string rate(double tokens_per_second) {
  if (tokens_per_second < 10000.0) return fmt::format("{:.0f} tokens/s", tokens_per_second);
  return fmt::format("{:.0f}k tokens/s", tokens_per_second / 1000.0);
}

// In what room there is, or nothing.
std::string bar(const Progress& progress, size_t room) {
  constexpr size_t kFrame = 3, kFewest = 5, kMost = 20;
  if (progress.steps < 1 || room < kFewest + kFrame) return "";
  const double share = static_cast<double>(progress.step) / static_cast<double>(progress.steps);
  return " " + progress_bar(share, std::min(kMost, room - kFrame));
}

}  // namespace

TrainingProgress::TrainingProgress(const std::string& label, int64_t steps)
    : label_(cut_to(label, kLongestLabel)), last_{.steps = steps} {}

void TrainingProgress::update(const Progress& progress) {
  last_ = progress;
  if (!line_.is_due() && progress.step != progress.steps) return;
  const std::string text =
      fmt::format("  {}/{}  test {:.4f}  loss {:.4f}  {} left  {}", last_.step, last_.steps, test_accuracy_,
                  last_.batch_loss, duration(last_.seconds_left), rate(last_.tokens_per_second));
  const size_t used = display_width(label_) + display_width(text), room = StatusLine::room();
  line_.draw(label_ + bar(last_, used < room ? room - used : 0) + text);
}

void TrainingProgress::evaluation(const Metrics& metrics) {
  test_accuracy_ = metrics.test_accuracy;
  if (line_.on_terminal()) return;
  std::string text = fmt::format("{}  step {}/{}  train {:.4f}  test {:.4f}  loss {:.4f}", label_, metrics.step,
                                 last_.steps, metrics.train_accuracy, metrics.test_accuracy, metrics.test_loss);
  // Before the first update there is no rate to tell.
  if (last_.step > 0) {
    text += fmt::format("  {}  {} left", rate(last_.tokens_per_second), duration(last_.seconds_left));
  }
  line_.say(text);
}

}  // namespace phasor::app
