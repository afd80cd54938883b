#include "phasor/report/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "phasor/report/answered_cells.h"
#include "phasor/report/words.h"
#include "phasor/study/summary/comparison_text.h"

namespace phasor {
namespace {

constexpr double kCeilingMargin = 0.01;
constexpr size_t kMostLeaders = 3, kMostUnresolved = 2;  // named in a headline

std::string interval_text(const SeedInterval& accuracy) {
  std::string mean = percent_text(accuracy.mean);
  if (!accuracy.low) return mean;
  if (*accuracy.low == *accuracy.high) return mean + " (all equal)";
  return fmt::format("{} ({:.1f} to {:.1f})", mean, 100.0 * *accuracy.low, 100.0 * *accuracy.high);
}

std::string mean_text(const RankedCell& cell) { return percent_text(cell.accuracy.mean); }

std::string names_of(const std::vector<const RankedCell*>& cells) {
  std::vector<std::string> names;
  names.reserve(cells.size());
  for (const RankedCell* cell : cells) names.push_back(cell->name);
  return listing(names);
}

std::vector<RankedCell> rank(const AnsweredPlace& place) {
  std::vector<RankedCell> ranked;
  for (const auto& [cell, name] : place.cells) {
    const SeedInterval& converged = cell->claimable.test_accuracy;
    const bool claimable = converged.count > 0;
    const SeedInterval& accuracy = claimable ? converged : cell->all.test_accuracy;
    if (accuracy.count == 0) continue;
    ranked.push_back({.cell = cell->cell,
                      .name = name,
                      .claimable = claimable,
                      .accuracy = accuracy,
                      .converged = std::ssize(cell->runs) - std::ssize(cell->unconverged),
                      .planned = cell->planned});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const RankedCell& a, const RankedCell& b) {
    return a.claimable != b.claimable ? a.claimable : a.accuracy.mean > b.accuracy.mean;
  });
  return ranked;
}

const Comparison* planned_test(std::span<const Comparison> comparisons, const CellName& a, const CellName& b) {
  const auto found = std::find_if(comparisons.begin(), comparisons.end(), [&](const Comparison& it) {
    const CellName &first = it.first.cell, &second = it.second.cell;
    return it.number.quantity == ComparedQuantity::test_accuracy && it.test &&
           ((first == a && second == b) || (first == b && second == a));
  });
  return found == comparisons.end() ? nullptr : &*found;
}

enum class Intervals : uint8_t { overlap, apart, missing };

Intervals compare_intervals(const SeedInterval& a, const SeedInterval& b) {
  if (!a.low || !b.low) return Intervals::missing;
  return *a.low <= *b.high && *b.low <= *a.high ? Intervals::overlap : Intervals::apart;
}

// Another cell against the best.
struct Judged {
  RankedCell* other = nullptr;
  const Comparison* test = nullptr;          // null where none is planned, and where `too_few`
  bool too_few = false;                      // planned, and no difference between so few runs could be significant
  Intervals intervals = Intervals::missing;  // what there is beside the test

  bool is_like_best() const { return test != nullptr ? !test->told() : intervals != Intervals::apart; }
};

// With so few runs no difference, however large, is significant after Holm.
bool can_reject_nothing(const Comparison& comparison) {
  return comparison.test->smallest_p * static_cast<double>(std::max<int64_t>(1, comparison.family)) > kComparisonLevel;
}

Judged judge(std::span<const Comparison> comparisons, const RankedCell& best, RankedCell& other) {
  const Comparison* planned = planned_test(comparisons, best.cell, other.cell);
  const bool too_few = planned != nullptr && can_reject_nothing(*planned);
  return {&other, too_few ? nullptr : planned, too_few, compare_intervals(best.accuracy, other.accuracy)};
}

// Of those that look as good as the best, the one with most planned tests: most can be said about it.
RankedCell& spoken_of(std::span<const Comparison> comparisons, std::vector<RankedCell>& ranked) {
  const auto tests = [&](const RankedCell& cell) {
    return std::count_if(ranked.begin(), ranked.end(), [&](const RankedCell& other) {
      return planned_test(comparisons, cell.cell, other.cell) != nullptr;
    });
  };
  RankedCell* most = &ranked.front();
  for (RankedCell& cell : ranked) {
    if (!cell.claimable || mean_text(cell) != mean_text(ranked.front())) continue;
    if (tests(cell) > tests(*most)) most = &cell;
  }
  return *most;
}

// What planned tests say; of the others only how their intervals lie, which is no test. `all`: words for all of them.
std::vector<std::string> evidence(const std::string& best, const std::vector<Judged>& judged, const char* all) {
  std::vector<std::string> sentences;
  const auto say = [&](const auto& keep, const auto& sentence) {
    std::vector<const RankedCell*> kept;
    double least = 1.0, most = 0.0;  // adjusted p
    for (const Judged& it : judged) {
      if (!keep(it)) continue;
      kept.push_back(it.other);
      const double p = it.test != nullptr ? it.test->adjusted_p().value_or(1.0) : 1.0;
      least = std::min(least, p);
      most = std::max(most, p);
    }
    if (kept.empty()) return;
    const bool everyone = kept.size() > 2 && kept.size() == judged.size();
    sentences.push_back(sentence(everyone ? all : names_of(kept), least, most));
  };
  say([](const Judged& it) { return it.test != nullptr && it.test->told(); },
      [&](const std::string& which, double, double most) {
        return fmt::format("{} differs from {}, significant at 5 % (planned tests, p after Holm at most {}).", best,
                           which, p_text(most));
      });
  say([](const Judged& it) { return it.test != nullptr && !it.test->told(); },
      [&](const std::string& which, double least, double) {
        return fmt::format("No reliable difference between {} and {} (planned tests, p after Holm at least {}).", best,
                           which, p_text(least));
      });
  const std::pair<Intervals, const char*> words[] = {{Intervals::overlap, "95 % intervals overlap"},
                                                     {Intervals::apart, "95 % intervals apart"},
                                                     {Intervals::missing, "and no interval"}};
  for (const auto& word : words) {
    const Intervals intervals = word.first;
    const char* how = word.second;
    for (const bool too_few : {true, false}) {
      say([&](const Judged& it) { return it.test == nullptr && it.too_few == too_few && it.intervals == intervals; },
          [&](const std::string& which, double, double) {
            return fmt::format("{}, {}: {}.", too_few ? "Too few runs to test" : "Not tested", how, which);
          });
    }
  }
  return sentences;
}

std::string headline(const std::vector<const RankedCell*>& leaders, const std::vector<const RankedCell*>& unresolved) {
  std::string leading = leaders.size() <= kMostLeaders
                            ? names_of(leaders)
                            : fmt::format("{} encodings at {}", leaders.size(), mean_text(*leaders.front()));
  if (unresolved.empty()) return leading;
  return fmt::format(
      "{}, no reliable difference from {}", leading,
      unresolved.size() <= kMostUnresolved ? names_of(unresolved) : fmt::format("{} others", unresolved.size()));
}

bool at_ceiling(const RankedCell& cell, const std::optional<double>& ceiling) {
  return ceiling && cell.accuracy.mean >= *ceiling - kCeilingMargin;
}

// Of ranked cells of which at least the first has converged runs.
void conclude(Answer& answer, std::span<const Comparison> comparisons, const std::optional<double>& ceiling) {
  RankedCell& best = spoken_of(comparisons, answer.ranked);
  best.like_best = true;
  std::vector<Judged> judged;
  std::vector<const RankedCell*> level, unresolved;  // as good to a reader; those besides that are no reliably worse
  bool ceilings = at_ceiling(best, ceiling);
  for (RankedCell& other : answer.ranked) {
    if (&other == &best || !other.claimable) continue;
    const Judged it = judge(comparisons, best, other);
    other.like_best = it.is_like_best();
    const bool is_level = other.like_best && mean_text(other) == mean_text(best);
    if (other.like_best) {
      (is_level ? level : unresolved).push_back(&other);
      ceilings = ceilings && at_ceiling(other, ceiling);
    }
    if (it.test != nullptr || !is_level) judged.push_back(it);
  }
  std::vector<std::string> parts = {
      fmt::format("{}: {}, {}.", best.name, interval_text(best.accuracy), best.runs_text())};
  if (!level.empty()) parts.push_back(fmt::format("Also at {}: {}.", mean_text(best), names_of(level)));
  const bool all_converged = answer.ranked.back().claimable;
  for (std::string& sentence :
       evidence(best.name, judged, all_converged ? "all others" : "all others that converged")) {
    parts.push_back(std::move(sentence));
  }
  if (ceilings && !(level.empty() && unresolved.empty())) {
    parts.emplace_back("All of them are at the ceiling: a harder task might separate them.");
  }
  answer.sentence = fmt::format("{}", fmt::join(parts, " "));
  level.insert(level.begin(), &best);
  answer.headline = headline(level, unresolved);
}

// Where no run has converged.
void conclude_nothing(Answer& answer) {
  if (answer.ranked.empty()) {
    answer.headline = "No answer";
    answer.sentence = "No run of this task has finished.";
    return;
  }
  std::vector<const RankedCell*> level;
  for (const RankedCell& cell : answer.ranked) {
    if (mean_text(cell) == mean_text(answer.ranked.front())) level.push_back(&cell);
  }
  answer.headline = "No answer yet";
  answer.sentence =
      fmt::format("No run has converged, so nothing can be claimed; the highest mean so far is {}, of {}.",
                  mean_text(*level.front()), names_of(level));
}

std::optional<double> ceiling_of(const AnsweredPlace& place) {
  for (const AnsweredCell& cell : place.cells) {
    if (cell.cell->floors && cell.cell->floors->ceiling > 0.0) return cell.cell->floors->ceiling;
  }
  return std::nullopt;
}

}  // namespace

std::string RankedCell::runs_text() const {
  return fmt::format("{} of {} converged", converged, plural(planned, "run"));
}

std::vector<Answer> study_answers(const StudySummary& summary, bool paper) {
  std::vector<Answer> answers;
  for (const AnsweredPlace& place : answered_places(summary.cells, paper)) {
    Answer answer{.task = place.task, .protocol = place.protocol, .title = place.title(), .ranked = rank(place)};
    for (const AnsweredCell& cell : place.cells) answer.cells.push_back(cell.cell->cell);
    if (!answer.ranked.empty() && answer.ranked.front().claimable) {
      conclude(answer, summary.comparisons, ceiling_of(place));
    } else {
      conclude_nothing(answer);
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace phasor
