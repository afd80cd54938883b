#include "phasor/study/summary/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "phasor/base/display_width.h"
#include "phasor/base/number_text.h"
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
  first.encoding = second.encoding;
  if (first != second) {
    return {isolated(text(comparison.first.cell)), isolated(text(comparison.second.cell)), ""};
  }
  return {isolated(encoding_label(comparison.first.cell)), isolated(encoding_label(second)),
          fmt::format("{}, {}{}{}", first.task, first.protocol, first.variant.empty() ? "" : ", ", first.variant)};
}

bool one_task(const std::vector<Comparison>& comparisons) {
  const std::string task = names_of(comparisons.front()).task;
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [&](const Comparison& comparison) { return names_of(comparison).task == task; });
}

std::string plain_number(double value, const ComparedWords& words) {
  return fmt::format("{:.{}f}", words.scale * value, words.digits);
}

std::string signed_number(double value, const ComparedWords& words) {
  return fmt::format("{:+.{}f}", words.scale * value, words.digits);
}

// Runs that never reached 90 % stand for no number of steps.
bool has_never(const Comparison& comparison) { return comparison.first.never + comparison.second.never > 0; }

// "+3.1 points (95 % +1.2 to +5.0)"; in tables the title has the per cent.
std::string difference_text(const Comparison& comparison, const char* level) {
  const ComparedWords& own = words(comparison.number);
  if (!comparison.difference) {
    const double value = comparison.first.mean - comparison.second.mean;
    return std::isfinite(value) && !has_never(comparison) ? signed_number(value, own) + own.unit : "-";
  }
  const statistics::MeanDifference& found = *comparison.difference;
  if (has_never(comparison)) return "-";
  const std::string text = signed_number(found.difference, own) + own.unit;
  if (found.degenerate) return text + " (no spread on either side)";
  return fmt::format("{} ({}{} to {})", text, level, signed_number(found.low, own), signed_number(found.high, own));
}

// "86.0 points (95 % 84.6 to 87.5)": the size of a difference whose sign the words have.
std::string size_text(const Comparison& comparison) {
  const ComparedWords& own = words(comparison.number);
  const statistics::MeanDifference& found = *comparison.difference;
  const bool larger = found.difference > 0.0;
  return fmt::format("{}{} (95 % {} to {})", plain_number(std::abs(found.difference), own), own.unit,
                     plain_number(larger ? found.low : -found.high, own),
                     plain_number(larger ? found.high : -found.low, own));
}

// "1 point", "50 steps", "0.01"
std::string margin_text(const Comparison& comparison) {
  const ComparedWords& own = words(comparison.number);
  const double margin = own.scale * comparison.margin;
  std::string unit = own.unit;
  if (margin == 1.0 && unit.ends_with('s')) unit.pop_back();
  return fmt::format("{}{}", print_number(margin), unit);
}

std::string holm_text(const Comparison& comparison) {
  if (!comparison.holm) return "-";
  return comparison.family > 1 ? p_text(*comparison.holm) : p_text(comparison.difference->p);
}

std::vector<std::string> row(const Comparison& comparison, bool with_task) {
  const PairNames names = names_of(comparison);
  std::string name = fmt::format("{} - {}", names.first, names.second);
  if (with_task && !names.task.empty()) name += " on " + names.task;
  return {name + ": " + title(comparison.number),
          difference_text(comparison, ""),
          fmt::format("{}{}", statistics::name(comparison.reading), comparison.extension() ? ", extension" : "") +
              (comparison.post_hoc ? ", post hoc" : ""),
          holm_text(comparison),
          comparison.test ? p_text(comparison.test->p) : "-",
          fmt::format("{}:{}", comparison.first.values.size(), comparison.second.values.size())};
}

std::string runs_text(int64_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

std::string left_out_text(const ComparedCell& cell, const std::string& name) {
  std::vector<std::string> parts;
  if (cell.failed > 0) parts.push_back(fmt::format("{} that failed", runs_text(cell.failed)));
  if (cell.unmeasured > 0) parts.push_back(fmt::format("{} without such a number", runs_text(cell.unmeasured)));
  if (parts.empty()) return "";
  return fmt::format("; not counted of {}: {}", name, fmt::join(parts, ", "));
}

// "3 of 5 runs of rope and 0 of 5 of nope reach 90 %"
std::string reached_text(const Comparison& comparison, const PairNames& names) {
  const auto reached = [](const ComparedCell& cell) { return std::ssize(cell.values) - cell.never; };
  const ComparedCell &first = comparison.first, &second = comparison.second;
  return fmt::format("{} of {} of {} and {} of {} of {} reach it", reached(first), runs_text(std::ssize(first.values)),
                     names.first, reached(second), runs_text(std::ssize(second.values)), names.second);
}

// What makes any test of means doubtful.
std::string mixed_text(const Comparison& comparison, const PairNames& names) {
  std::vector<std::string> parts;
  const auto add = [&](const ComparedCell& cell, const std::string& name) {
    if (!cell.mixed || !cell.success) return;
    parts.push_back(
        fmt::format("of {} {} of {} reach 90 %", name, cell.success->successes, runs_text(cell.success->trials)));
  };
  add(comparison.first, names.first);
  add(comparison.second, names.second);
  if (parts.empty()) return "";
  return fmt::format("; runs lie far apart, where no test of means is right: {}", fmt::join(parts, ", "));
}

std::string permutation_text(const Comparison& comparison) {
  if (!comparison.test) return "";
  return fmt::format("; a permutation test {} p = {}", comparison.disputed() ? "says otherwise," : "gives",
                     p_text(comparison.test->p));
}

std::string chance_text(const Comparison& comparison) {
  if (!comparison.lost_to_holm()) return "";
  return fmt::format("; one of {} comparisons may look like this by chance (p after Holm {})", comparison.family,
                     p_text(*comparison.holm));
}

std::string extension_text(const Comparison& comparison) {
  return comparison.extension() ? "; extension: with runs that were added to the study later" : "";
}

std::string turned_text(const Comparison& comparison) {
  if (!comparison.turned) return "";
  return fmt::format("; without runs that have not converged the order would turn ({}{})",
                     signed_number(*comparison.turned, words(comparison.number)), words(comparison.number).unit);
}

// An unfinished study plans more than it can say yet.
bool has_runs(const Comparison& comparison) {
  const auto any = [](const ComparedCell& cell) { return !cell.values.empty() || cell.failed + cell.unmeasured > 0; };
  return any(comparison.first) || any(comparison.second);
}

std::string told_text(const Comparison& comparison, const PairNames& names, std::string where) {
  const ComparedWords& own = words(comparison.number);
  if (comparison.number.quantity == ComparedQuantity::accuracy_at_length) {
    where += title(comparison.number).substr(std::string("accuracy").size());
  }
  const char* how = comparison.difference->difference > 0.0 ? own.larger : own.smaller;
  const std::string start = fmt::format("{} {} {}{}", names.first, how, names.second, where);
  if (has_never(comparison)) return fmt::format("{}: {}", start, reached_text(comparison, names));
  std::string found =
      fmt::format("{}{} by {}", start, where.find(',') == std::string::npos ? "" : ",", size_text(comparison));
  if (comparison.reading == statistics::DifferenceReading::of_interest) return found;
  return fmt::format("{}; whether by more than {} is open", found, margin_text(comparison));
}

std::string verdict_text(const Comparison& comparison, const PairNames& names, const std::string& where) {
  using enum statistics::DifferenceReading;
  if (comparison.reading == of_interest || comparison.reading == significant) {
    return told_text(comparison, names, where);
  }
  const std::string what = title(comparison.number) + where;
  const std::string found =
      has_never(comparison) ? reached_text(comparison, names) : difference_text(comparison, "95 % ");
  if (comparison.reading == not_of_interest) {
    return fmt::format("no difference of interest between {} and {} in {}: {}, {}less than {}", names.first,
                       names.second, what, found, comparison.significant() ? "significant, but " : "",
                       margin_text(comparison));
  }
  const std::string question = fmt::format("open: whether {} and {} differ in {}", names.first, names.second, what);
  const size_t first = comparison.first.values.size(), second = comparison.second.values.size();
  if (static_cast<int64_t>(std::min(first, second)) >= statistics::kLeastRunsToCompare) {
    return fmt::format("{}: {}", question, found);
  }
  return fmt::format("{}; there are {} against {} finished runs with that number, and {} on each side are needed",
                     question, first, second, statistics::kLeastRunsToCompare);
}

}  // namespace

std::string p_text(double p) {
  if (p >= 0.0995) return fmt::format("{:.2f}", p);
  return p >= 0.0005 ? fmt::format("{:.3f}", p) : fmt::format("{:.1e}", p);
}

TextTable comparisons_table(const std::vector<Comparison>& comparisons) {
  TextTable table{.titles = {"first - second", "difference (95 %)", "reading", "Holm p", "permutation p", "runs"}};
  if (comparisons.empty()) return table;
  const bool with_task = !one_task(comparisons);
  for (const Comparison& comparison : comparisons) {
    if (has_runs(comparison)) table.rows.push_back(row(comparison, with_task));
  }
  return table;
}

std::string comparisons_text(const std::vector<Comparison>& comparisons, TableFormat format) {
  const TextTable table = comparisons_table(comparisons);
  if (table.rows.empty()) return "";
  const bool permuted = std::any_of(comparisons.begin(), comparisons.end(), [](const Comparison& comparison) {
    return has_runs(comparison) && comparison.test.has_value();
  });
  std::string notes =
      "All finished runs. The interval decides: of interest, if it lies wholly beyond the margin (1 point of "
      "accuracy); "
      "no difference of interest, if within it; significant, if it excludes 0. Holm p: for those who would count any "
      "one "
      "of a family of comparisons.";
  if (permuted) notes += " permutation p: beside it, from 5 runs on each side on; it decides nothing.";
  const bool terminal = format == TableFormat::terminal;
  return to_text(table, format) + (terminal ? "" : "\n") + wrapped(notes, kTerminalColumns) + "\n";
}

std::string answer(const Comparison& comparison, bool with_task) {
  const PairNames names = names_of(comparison);
  const std::string where = with_task && !names.task.empty() ? " on " + names.task : "";
  return verdict_text(comparison, names, where) + chance_text(comparison) + permutation_text(comparison) +
         mixed_text(comparison, names) + turned_text(comparison) + left_out_text(comparison.first, names.first) +
         left_out_text(comparison.second, names.second) + extension_text(comparison) +
         (comparison.post_hoc ? "; post hoc: not a comparison that the study planned" : "") + ".";
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
