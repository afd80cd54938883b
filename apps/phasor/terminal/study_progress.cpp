#include "terminal/study_progress.h"

#include <fmt/format.h>

namespace phasor::app {
namespace {

std::string remaining(const StudyProgress& progress) {
  return progress.seconds_left < 0.0 ? "" : fmt::format(", {} left", duration(progress.seconds_left));
}

std::string shortened(const std::string& text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

}  // namespace

void StudyProgressLine::started(size_t runs, const RunnerOptions& options) {
  line_.say(fmt::format("{}: {} in all, {} at once on {} thread{} each", phase_, runs, options.jobs, options.threads,
                        options.threads == 1 ? "" : "s"));
}

void StudyProgressLine::progress(const StudyProgress& progress) {
  if (line_.is_due()) line_.draw(text(progress));
  if (line_.on_terminal() || progress.seconds_left < 0.0) return;
  // The first as soon as the time that is left can be told.
  constexpr std::chrono::seconds kBetween{25};
  const auto now = std::chrono::steady_clock::now();
  if (said_ && now - *said_ < kBetween) return;
  said_ = now;
  line_.say(fmt::format("{} {}/{}  {:.0f} % of the work{}", phase_, progress.done, progress.runs, 100.0 * progress.work,
                        remaining(progress)));
}

std::string StudyProgressLine::text(const StudyProgress& progress) const {
  constexpr size_t kBar = 20, kName = 24;
  std::string line = fmt::format("{} {}/{} {} {:.0f} %{}", phase_, progress.done, progress.runs,
                                 progress_bar(progress.work, kBar), 100.0 * progress.work, remaining(progress));
  if (progress.failed > 0) line += fmt::format(", {} failed", progress.failed);
  for (const ActiveRun& active : progress.active) {
    line += fmt::format(" | {} {} {} {:.0f} %", shortened(active.run->cell.encoding, kName), active.run->config.seed,
                        active.what, 100.0 * active.share);
  }
  return line;
}

void StudyProgressLine::finished(const std::string& outcome, const StudyProgress& progress) {
  said_ = std::chrono::steady_clock::now();
  line_.say(fmt::format("{} {}/{}  {}{}", phase_, progress.done, progress.runs, outcome, remaining(progress)));
  line_.draw(text(progress));
}

}  // namespace phasor::app
