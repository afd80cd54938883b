#include "phasor/study/summary/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "phasor/base/wrapped_text.h"

namespace phasor {
namespace {

// Of two cells that may differ in more than their encodings.
struct PairNames {
  std::string first, second;
  std::string task;  // what they have in common besides; empty where they differ in it
};

PairNames names_of(const Comparison& comparison) {
  CellName first = comparison.first.cell;
  const CellName& second = comparison.second.cell;
  std::string encoding = std::exchange(first.encoding, second.encoding);
  if (first != second) {
    return {text(comparison.first.cell), text(comparison.second.cell), ""};
  }
  return {encoding, second.encoding,
          fmt::format("{}, {}{}{}", first.task, first.protocol, first.variant.empty() ? "" : ", ", first.variant)};
}

bool one_task(const std::vector<Comparison>& comparisons) {
  const std::string task = names_of(comparisons.front()).task;
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [&](const Comparison& comparison) { return names_of(comparison).task == task; });
}

std::string signed_number(double value, const ComparedWords& words) {
  return fmt::format("{:+.{}f}", words.scale * value, words.digits);
}

// Runs that never reached 90 % stand for no number of steps: order and test hold, means do not.
bool has_never(const Comparison& comparison) { return comparison.first.never + comparison.second.never > 0; }

// "+3.1 points (95 % +1.2 to +5.0)"; in tables the title has the per cent.
std::string difference_text(const Comparison& comparison, const char* level) {
  const ComparedWords& own = words(comparison.number);
  const double value = comparison.first.mean - comparison.second.mean;
  if (!std::isfinite(value) || has_never(comparison)) return "-";
  std::string text = signed_number(value, own) + own.unit;
  if (!comparison.difference) return text;
  const statistics::MeanInterval& interval = *comparison.difference;
  if (interval.degenerate) return text + " (no spread on either side)";
  return text +
         fmt::format(" ({}{} to {})", level, signed_number(interval.low, own), signed_number(interval.high, own));
}

std::string delta_text(const Comparison& comparison) {
  if (!comparison.cliffs_delta) return "-";
  const statistics::BootstrapInterval& delta = *comparison.cliffs_delta;
  if (delta.degenerate) return fmt::format("{:+.2f}", delta.estimate);
  return fmt::format("{:+.2f} ({:+.2f} to {:+.2f})", delta.estimate, delta.low, delta.high);
}

std::vector<std::string> row(const Comparison& comparison, bool with_task) {
  const PairNames names = names_of(comparison);
  std::string name = fmt::format("{} - {}", names.first, names.second);
  if (with_task && !names.task.empty()) name += " on " + names.task;
  return {name + ": " + title(comparison.number),
          difference_text(comparison, ""),
          comparison.test ? p_text(comparison.test->p) : "-",
          comparison.holm ? p_text(*comparison.holm) : "-",
          delta_text(comparison),
          comparison.hedges_g ? fmt::format("{:+.2f}", *comparison.hedges_g) : "-",
          fmt::format("{}:{}", comparison.first.values.size(), comparison.second.values.size())};
}

// "0.10 (3 against 3), 0.008 (5 against 5)"
std::string smallest_text(const std::vector<Comparison>& comparisons) {
  std::map<std::pair<size_t, size_t>, double> smallest;
  for (const Comparison& comparison : comparisons) {
    if (!comparison.test) continue;
    smallest[{comparison.first.values.size(), comparison.second.values.size()}] = comparison.test->smallest_p;
  }
  std::string text;
  for (const auto& [seeds, p] : smallest) {
    text += fmt::format("{}{} ({} against {})", text.empty() ? "" : ", ", p_text(p), seeds.first, seeds.second);
  }
  return text;
}

std::string runs_text(int64_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

// "; of alibi 1 run did not converge and 1 failed, which do not count"
std::string left_out_text(const ComparedCell& cell, const std::string& name) {
  std::vector<std::string> parts;
  if (cell.unconverged > 0) parts.push_back(fmt::format("{} did not converge", runs_text(cell.unconverged)));
  if (cell.failed > 0) parts.push_back(fmt::format("{} failed", runs_text(cell.failed)));
  if (cell.unmeasured > 0) parts.push_back(fmt::format("{} had no such number", runs_text(cell.unmeasured)));
  if (parts.empty()) return "";
  return fmt::format("; not counted of {}: {}", name, fmt::join(parts, ", "));
}

std::string never_text(const Comparison& comparison, const PairNames& names) {
  if (!has_never(comparison)) return "";
  const ComparedCell &first = comparison.first, &second = comparison.second;
  return fmt::format("; {} of {} runs of {} and {} of {} of {} never got there and count as later than all others",
                     first.never, first.values.size(), names.first, second.never, second.values.size(), names.second);
}

std::string evidence_text(const Comparison& comparison) {
  std::string text;
  if (has_never(comparison)) {
    text = "Cliff's delta " + delta_text(comparison);
  } else {
    if (words(comparison.number).unit[0] == '\0') text = title(comparison.number) + " ";
    text += difference_text(comparison, "95 % ");
  }
  text += fmt::format(", p = {}", p_text(comparison.test->p));
  if (comparison.holm) text += fmt::format(", after Holm {}", p_text(*comparison.holm));
  return text;
}

// An unfinished study plans more than it can say yet.
bool has_runs(const Comparison& comparison) {
  const auto any = [](const ComparedCell& cell) {
    return !cell.values.empty() || cell.unconverged + cell.failed + cell.unmeasured > 0;
  };
  return any(comparison.first) || any(comparison.second);
}

std::string untold_text(const Comparison& comparison) {
  const size_t first = comparison.first.values.size(), second = comparison.second.values.size();
  if (!comparison.test) {
    return fmt::format("{} against {} converged runs with that number, and a test needs two on each side", first,
                       second);
  }
  const double smallest = std::min(1.0, comparison.test->smallest_p * static_cast<double>(comparison.family));
  return fmt::format("{}; with {} against {} seeds the smallest p is {}{}{}", evidence_text(comparison), first, second,
                     p_text(smallest), comparison.family > 1 ? " after Holm" : "",
                     smallest > kComparisonLevel ? ", too few for any difference to be significant at 5 %" : "");
}

}  // namespace

std::string p_text(double p) {
  if (p >= 0.0995) return fmt::format("{:.2f}", p);
  return p >= 0.0005 ? fmt::format("{:.3f}", p) : fmt::format("{:.1e}", p);
}

std::string comparisons_text(const std::vector<Comparison>& comparisons, TableFormat format) {
  if (comparisons.empty()) return "";
  TextTable table{
      .titles = {"first - second", "difference (95 %)", "p", "Holm p", "Cliff's delta (95 %)", "Hedges' g", "seeds"}};
  const bool with_task = !one_task(comparisons);
  for (const Comparison& comparison : comparisons) {
    if (has_runs(comparison)) table.rows.push_back(row(comparison, with_task));
  }
  if (table.rows.empty()) return "";
  std::string notes =
      "Converged runs only. p: permutation of runs, two-sided; Holm p: adjusted for all comparisons of its family.";
  const std::string smallest = smallest_text(comparisons);
  if (!smallest.empty()) notes += fmt::format("\nsmallest possible p with these seeds: {}", smallest);
  const bool terminal = format == TableFormat::terminal;
  return to_text(table, format) + (terminal ? "" : "\n") + wrapped(notes, kTerminalColumns) + "\n";
}

std::string answer(const Comparison& comparison, bool with_task) {
  const PairNames names = names_of(comparison);
  const ComparedWords& own = words(comparison.number);
  std::string where;
  if (with_task && !names.task.empty()) where += " on " + names.task;
  std::string text;
  if (comparison.told()) {
    const bool larger = comparison.first.mean > comparison.second.mean;
    if (comparison.number.quantity == ComparedQuantity::accuracy_at_length) {
      where += title(comparison.number).substr(std::string("accuracy").size());
    }
    text = fmt::format("{} {} {}{}: {}", names.first, larger ? own.larger : own.smaller, names.second, where,
                       evidence_text(comparison));
  } else {
    text = fmt::format("no reliable difference between {} and {} in {}{}: {}", names.first, names.second,
                       title(comparison.number), where, untold_text(comparison));
  }
  return text + never_text(comparison, names) + left_out_text(comparison.first, names.first) +
         left_out_text(comparison.second, names.second) + ".";
}

std::string answers_text(const std::vector<Comparison>& comparisons, TableFormat format) {
  if (comparisons.empty()) return "";
  const bool with_task = !one_task(comparisons);
  std::string text;
  for (const Comparison& comparison : comparisons) {
    if (!has_runs(comparison)) continue;
    const std::string sentence = shown(answer(comparison, with_task), format);
    text += format == TableFormat::markdown ? "- " + sentence + "\n" : wrapped(sentence, kTerminalColumns, 2) + "\n";
  }
  return text;
}

}  // namespace phasor
