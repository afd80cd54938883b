#include "study_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "progress.h"
#include "terminal.h"

namespace phasor::app {
namespace {

using Clock = std::chrono::steady_clock;

std::string bar(double share, size_t cells) {
  const auto filled = static_cast<size_t>(std::lround(static_cast<double>(cells) * share));
  return fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", cells - filled);
}

std::string remaining(const StudyProgress& progress) {
  return progress.seconds_left < 0.0 ? "" : fmt::format(", {} left", duration(progress.seconds_left));
}

std::string shortened(const std::string& text, size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

}  // namespace

StudyDisplay::StudyDisplay(std::string phase) : phase_(std::move(phase)), terminal_(isatty(STDERR_FILENO) != 0) {}

StudyDisplay::~StudyDisplay() { clear(); }

void StudyDisplay::clear() {
  if (drawn_) app::draw("\r\x1b[K");
  drawn_ = false;
}

void StudyDisplay::started(size_t runs, const RunnerOptions& options) {
  say(fmt::format("{}: {} in all, {} at once on {} thread{} each\n", phase_, runs, options.jobs, options.threads,
                  options.threads == 1 ? "" : "s"));
}

void StudyDisplay::progress(const StudyProgress& progress) {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || (drawn_ && now - drawn_at_ < std::chrono::milliseconds(200))) return;
  drawn_at_ = now;
  draw(progress);
}

void StudyDisplay::draw(const StudyProgress& progress) {
  constexpr size_t kBar = 20, kName = 24;
  const size_t room = terminal_columns() - 1;
  std::string line = fmt::format("{} {}/{} {} {:.0f} %{}", phase_, progress.done, progress.runs,
                                 bar(progress.work, kBar), 100.0 * progress.work, remaining(progress));
  if (progress.failed > 0) line += fmt::format(", {} failed", progress.failed);
  for (const ActiveRun& active : progress.active) {
    line += fmt::format(" | {} {} {} {:.0f} %", shortened(active.run->cell.encoding, kName), active.run->config.seed,
                        active.what, 100.0 * active.share);
  }
  if (line.size() > room) line.resize(room);
  app::draw("\r" + safe_text(line) + "\x1b[K");
  drawn_ = true;
}

void StudyDisplay::finished(const PlannedRun& run, const std::string& outcome, const StudyProgress& progress) {
  clear();
  const std::string seed =
      run.tuning ? fmt::format("lr {}", run.config.train.learning_rate) : fmt::format("seed {}", run.config.seed);
  say(fmt::format("{} {}/{}  {}, {}: {}{}\n", phase_, progress.done, progress.runs, text(run.cell), seed, outcome,
                  remaining(progress)));
  if (terminal_) draw(progress);
}

}  // namespace phasor::app
