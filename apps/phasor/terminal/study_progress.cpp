#include "terminal/study_progress.h"

#include <fmt/format.h>

#include "phasor/base/display_width.h"

namespace phasor::app {
namespace {

std::string remaining(const StudyProgress& progress) {
  return progress.seconds_left < 0.0 ? "" : fmt::format(", {} left", duration(progress.seconds_left));
}

}  // namespace

void StudyProgressLine::started(size_t runs, const RunnerOptions& options) {
  line_.say(fmt::format("{}: {} in all, {} at once on {} thread{} each", phase_, runs, options.jobs, options.threads,
                        options.threads == 1 ? "" : "s"));
}

void StudyProgressLine::progress(const StudyProgress& progress) {
  if (line_.is_due()) line_.draw(text(progress));
}

std::string StudyProgressLine::text(const StudyProgress& progress) const {
  constexpr size_t kBar = 20, kName = 24;
  std::string line = fmt::format("{} {}/{} {} {:.0f} %{}", phase_, progress.done, progress.runs,
                                 progress_bar(progress.work, kBar), 100.0 * progress.work, remaining(progress));
  if (progress.failed > 0) line += fmt::format(", {} failed", progress.failed);
  for (const ActiveRun& active : progress.active) {
    line += fmt::format(" | {} {} {} {:.0f} %", isolated(cut_to(encoding_label(active.run->cell), kName)),
                        active.run->config.seed, active.what, 100.0 * active.share);
  }
  return line;
}

void StudyProgressLine::finished(const std::string& outcome, const StudyProgress& progress) {
  line_.say(fmt::format("{} {}/{}  {}{}", phase_, progress.done, progress.runs, outcome, remaining(progress)));
  line_.draw(text(progress));
}

}  // namespace phasor::app
