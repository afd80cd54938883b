#include "phasor/report/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "phasor/base/display_width.h"
#include "phasor/report/answered_cells.h"
#include "phasor/report/words.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/plan/extension.h"
#include "phasor/study/summary/compared_number.h"
#include "phasor/study/summary/learned.h"

namespace phasor {
namespace {

constexpr double kCeilingMargin = 0.01;
constexpr size_t kMostNamed = 3;  // in a headline, and with a difference of their own in a sentence

using Ranked = std::vector<const RankedCell*>;

double margin() { return margin_of({ComparedQuantity::test_accuracy}); }

// "1 point"
std::string margin_text() { return plural(std::lround(100.0 * margin()), "point"); }

std::string interval_text(const SeedInterval& accuracy) {
  std::string mean = percent_text(accuracy.mean);
  if (!accuracy.low) return mean;
  if (accuracy.degenerate) return mean + " (all equal)";
  return fmt::format("{} (95 % {:.1f} to {:.1f})", mean, 100.0 * *accuracy.low, 100.0 * *accuracy.high);
}

// "86.0 points (95 % 84.6 to 87.5)"
std::string behind_text(const RankedCell& cell) {
  const statistics::MeanDifference behind = cell.behind->scaled(100.0);
  if (!std::isfinite(behind.low)) return fmt::format("{:.1f} points", behind.difference);
  return fmt::format("{:.1f} points (95 % {:.1f} to {:.1f})", behind.difference, behind.low, behind.high);
}

std::string names_of(const Ranked& cells) {
  std::vector<std::string> names;
  names.reserve(cells.size());
  for (const RankedCell* cell : cells) names.push_back(cell->name);
  return listing(names);
}

std::optional<double> converged_mean(const CellSummary& cell) {
  std::vector<double> values;
  for (size_t r = 0; r < cell.runs.size(); ++r) {
    if (cell.runs[r].converged) values.push_back(cell.numbers.test_accuracy.values[r]);
  }
  return values.empty() ? std::nullopt : std::optional(statistics::mean(values));
}

std::vector<RankedCell> rank(const AnsweredPlace& place) {
  std::vector<RankedCell> ranked;
  for (const auto& [cell, name] : place.cells) {
    if (cell->numbers.test_accuracy.count == 0) continue;
    ranked.push_back({.cell = cell->cell,
                      .name = isolated(name),
                      .numbers = cell->numbers,
                      .finished = std::ssize(cell->runs),
                      .planned = cell->planned,
                      .unconverged = std::ssize(cell->unconverged),
                      .behind = {},
                      .converged_mean = converged_mean(*cell)});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const RankedCell& a, const RankedCell& b) { return a.accuracy().mean > b.accuracy().mean; });
  return ranked;
}

Standing standing_of(const statistics::MeanDifference& behind) {
  using enum statistics::DifferenceReading;
  switch (statistics::read(behind, margin())) {
    case of_interest:
    case significant:
      return Standing::worse;
    case not_of_interest:
      return Standing::level;
    case open:
      break;
  }
  return Standing::open;
}

void judge(std::vector<RankedCell>& ranked) {
  const statistics::RunSample best = ranked.front().numbers.accuracy_sample();
  ranked.front().standing = Standing::best;
  for (auto other = std::next(ranked.begin()); other != ranked.end(); ++other) {
    const statistics::RunSample own = other->numbers.accuracy_sample();
    if (std::min(best.values.size(), own.values.size()) < 2) continue;
    other->behind = statistics::compare_means(best, own).within(-1.0, 1.0);
    other->standing = standing_of(*other->behind);
  }
}

Ranked those(const std::vector<RankedCell>& ranked, Standing standing) {
  Ranked found;
  for (const RankedCell& cell : ranked) {
    if (cell.standing == standing) found.push_back(&cell);
  }
  return found;
}

// Names, or how many where they are many.
std::string who(const Ranked& cells, const char* many) {
  return cells.size() <= kMostNamed ? names_of(cells) : fmt::format("{} {}", cells.size(), many);
}

// Where not even the best is above what can be had without reading the words by more than is of interest: that there is
// a best one says nothing then.
struct Unlearned {
  double blind = 0.0;
  bool is_length = false;  // the length of a sequence tells so much, or else the commonest answer
};

std::optional<Unlearned> unlearned(const std::vector<RankedCell>& ranked, const std::optional<TaskFloors>& floors) {
  if (!floors) return std::nullopt;
  const double blind = blind_accuracy(*floors);
  if (ranked.front().accuracy().mean > blind + margin()) return std::nullopt;
  return Unlearned{.blind = blind, .is_length = floors->length >= blind};
}

std::string headline(const std::vector<RankedCell>& ranked, const std::optional<Unlearned>& nothing) {
  if (nothing) {
    return ranked.size() == 1 ? fmt::format("{} has not learned it", ranked.front().name)
                              : fmt::format("None of {} encodings has learned it", ranked.size());
  }
  const Ranked level = those(ranked, Standing::level), open = those(ranked, Standing::open);
  if (ranked.size() == 1)
    return fmt::format("{}: {}", ranked.front().name, percent_text(ranked.front().accuracy().mean));
  Ranked leaders = {&ranked.front()};
  leaders.insert(leaders.end(), level.begin(), level.end());
  if (leaders.size() == ranked.size()) {
    return fmt::format("No difference of interest between {}", who(leaders, "encodings"));
  }
  if (open.empty()) {
    return fmt::format("{} {}", who(leaders, "encodings"), leaders.size() == 1 ? "leads" : "lead");
  }
  return fmt::format("{} {} in front, open against {}", who(leaders, "encodings"), leaders.size() == 1 ? "is" : "are",
                     who(open, "others"));
}

// "rope is better than nope by 86.0 points (95 % 84.6 to 87.5)"; of many the closest alone has its difference.
std::string better_text(const std::string& best, const Ranked& worse) {
  if (worse.size() > kMostNamed) {
    const RankedCell* closest = *std::min_element(
        worse.begin(), worse.end(), [](const auto* a, const auto* b) { return a->behind->low < b->behind->low; });
    return fmt::format("{} is better than each of {}; its least certain lead is over {}, by {}.", best, names_of(worse),
                       closest->name, behind_text(*closest));
  }
  std::vector<std::string> parts;
  for (const RankedCell* cell : worse) parts.push_back(fmt::format("than {} by {}", cell->name, behind_text(*cell)));
  return fmt::format("{} is better {}.", best, listing(parts));
}

std::string open_text(const Ranked& open) {
  std::vector<std::string> parts;
  for (const RankedCell* cell : open) {
    const int64_t runs = cell->numbers.test_accuracy.count;
    parts.push_back(cell->behind && cell->behind->decides()
                        ? fmt::format("{}, behind by {}", cell->name, behind_text(*cell))
                        : fmt::format("{}, with {}", cell->name, plural(runs, "run")));
  }
  return fmt::format("Open, because the intervals are too wide or the runs too few: {}.", fmt::join(parts, "; "));
}

// Where a mean stands for two kinds of runs.
std::string mixed_text(const std::vector<RankedCell>& ranked) {
  std::vector<std::string> parts;
  for (const RankedCell& cell : ranked) {
    if (!cell.numbers.mixed() || !cell.numbers.success) continue;
    const SuccessRate& success = *cell.numbers.success;
    parts.push_back(fmt::format("{} ({} of {} at 90 %)", cell.name, success.successes, plural(success.trials, "run")));
  }
  if (parts.empty()) return "";
  return fmt::format("Runs lie far apart, where no test of means is right: {}.", listing(parts));
}

// Whether runs that were still improving make the order; empty where they do not.
std::string improving_text(const std::vector<RankedCell>& ranked) {
  const bool all_converged =
      std::all_of(ranked.begin(), ranked.end(), [](const auto& it) { return it.unconverged == 0; });
  if (all_converged) return "";
  const RankedCell* first = nullptr;
  for (const RankedCell& cell : ranked) {
    if (!cell.converged_mean) continue;
    if (first == nullptr || *cell.converged_mean > *first->converged_mean + margin()) first = &cell;
  }
  const RankedCell& best = ranked.front();
  if (first == nullptr || first == &best) return "";
  if (!best.converged_mean) return fmt::format("No run of {} has converged.", best.name);
  return fmt::format("Without runs that have not converged, {} would come first ({} against {}).", first->name,
                     percent_text(*first->converged_mean), percent_text(*best.converged_mean));
}

bool at_ceiling(const RankedCell& cell, const std::optional<double>& ceiling) {
  return ceiling && cell.accuracy().mean >= *ceiling - kCeilingMargin;
}

std::string unlearned_text(const std::vector<RankedCell>& ranked, const Unlearned& nothing) {
  const RankedCell& best = ranked.front();
  const std::string mean =
      ranked.size() == 1 ? interval_text(best.accuracy())
                         : fmt::format("The highest mean is that of {}, {}", best.name, interval_text(best.accuracy()));
  return fmt::format("{}; {} alone {} {}. More steps, more samples or a higher learning rate may change that.", mean,
                     nothing.is_length ? "the length of a sequence" : "always the same answer",
                     nothing.is_length ? "tells" : "has", percent_text(nothing.blind));
}

std::string sentence(const std::vector<RankedCell>& ranked, const std::optional<double>& ceiling,
                     const std::optional<Unlearned>& nothing) {
  if (nothing) return unlearned_text(ranked, *nothing);
  const RankedCell& best = ranked.front();
  const Ranked level = those(ranked, Standing::level), open = those(ranked, Standing::open),
               worse = those(ranked, Standing::worse);
  std::vector<std::string> parts;
  const auto say = [&](const std::string& text) {
    if (!text.empty()) parts.push_back(text);
  };
  say(fmt::format("{}: {}, {} of {} at 90 %.", best.name, interval_text(best.accuracy()),
                  best.numbers.success->successes, plural(best.numbers.success->trials, "run")));
  if (!worse.empty()) say(better_text(best.name, worse));
  if (!level.empty()) {
    say(fmt::format("No difference of interest ({}) between {} and {}.", margin_text(), best.name, names_of(level)));
  }
  if (!open.empty()) say(open_text(open));
  say(mixed_text(ranked));
  say(improving_text(ranked));
  const bool ceilings =
      at_ceiling(best, ceiling) && !level.empty() &&
      std::all_of(level.begin(), level.end(), [&](const auto* it) { return at_ceiling(*it, ceiling); });
  if (ceilings) say("All of these are at the ceiling: a harder task might separate them.");
  return fmt::format("{}", fmt::join(parts, " "));
}

// "Extension: seeds 5 to 9 of rope and alibi, and all of nope, were added to the study later."
std::string extension_sentence(const AnsweredPlace& place) {
  std::map<std::string, std::vector<std::string>> names;
  for (const AnsweredCell& cell : place.cells) {
    const CellSummary& summary = *cell.cell;
    if (summary.added_seeds.empty()) continue;
    const bool all = summary.added_seeds.size() == summary.runs.size();
    names[all ? "all" : (summary.added_seeds.size() == 1 ? "seed " : "seeds ") + seeds_text(summary.added_seeds)]
        .push_back(isolated(cell.name));
  }
  if (names.empty()) return "";
  std::vector<std::string> parts;
  parts.reserve(names.size());
  for (const auto& [which, cells] : names) parts.push_back(fmt::format("{} of {}", which, listing(cells)));
  return fmt::format(
      "Extension: {} {} to the study later.", listing(parts),
      parts.size() == 1 && names.begin()->second.size() == 1 && !names.begin()->first.starts_with("seeds ")
          ? "was added"
          : "were added");
}

std::optional<TaskFloors> floors_of(const AnsweredPlace& place) {
  for (const AnsweredCell& cell : place.cells) {
    if (cell.cell->floors) return cell.cell->floors;
  }
  return std::nullopt;
}

std::optional<double> ceiling_of(const AnsweredPlace& place) {
  for (const AnsweredCell& cell : place.cells) {
    if (cell.cell->floors && cell.cell->floors->ceiling > 0.0) return cell.cell->floors->ceiling;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::best:
      return "best";
    case Standing::level:
      return "level";
    case Standing::open:
      return "open";
    case Standing::worse:
      return "worse";
  }
  return "open";
}

std::string RankedCell::runs_text() const {
  std::vector<std::string> parts;
  if (finished < planned) parts.push_back(fmt::format("{} of {} finished", finished, plural(planned, "run")));
  if (unconverged > 0) parts.push_back(fmt::format("{} of {} not converged", unconverged, plural(finished, "run")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<Answer> study_answers(const StudySummary& summary, bool paper) {
  std::vector<Answer> answers;
  for (const AnsweredPlace& place : answered_places(summary.cells, paper)) {
    Answer answer{.task = place.task, .protocol = place.protocol, .title = place.title(), .ranked = rank(place)};
    for (const AnsweredCell& cell : place.cells) answer.cells.push_back(cell.cell->cell);
    if (answer.ranked.empty()) {
      answer.headline = "No answer";
      answer.sentence = "No run of this task has finished.";
    } else {
      judge(answer.ranked);
      answer.extension = extension_sentence(place);
      const std::optional<Unlearned> nothing = unlearned(answer.ranked, floors_of(place));
      answer.headline = headline(answer.ranked, nothing);
      answer.sentence = sentence(answer.ranked, ceiling_of(place), nothing);
      if (!answer.extension.empty()) {
        answer.headline += " (extension)";
        answer.sentence += " " + answer.extension;
      }
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace phasor
