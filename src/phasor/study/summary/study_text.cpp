#include "phasor/study/summary/study_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "phasor/base/wrapped_text.h"
#include "phasor/study/summary/learned_text.h"

namespace phasor {
namespace {

std::string encoding_text(const CellName& cell) {
  return cell.variant.empty() ? encoding_label(cell) : encoding_label(cell) + ", " + cell.variant;
}

std::string accuracy_text(const SeedInterval& accuracy) {
  if (accuracy.count == 0) return "-";
  std::string mean = fmt::format("{:5.1f}", 100.0 * accuracy.mean);
  if (!accuracy.low) return mean;
  if (accuracy.degenerate) return mean + " (all equal)";
  return mean + fmt::format(" ({:.1f} to {:.1f})", 100.0 * *accuracy.low, 100.0 * *accuracy.high);
}

std::string range_text(const SeedInterval& accuracy) {
  if (accuracy.count < 2) return "";
  std::vector<double> finite;
  std::copy_if(accuracy.values.begin(), accuracy.values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  const auto [least, most] = std::minmax_element(finite.begin(), finite.end());
  return fmt::format("{:.1f}..{:.1f}", 100.0 * *least, 100.0 * *most);
}

std::string steps_text(const StepsTo90& steps) {
  const int64_t runs = steps.reached + steps.never;
  if (runs == 0) return "-";
  if (steps.median) {
    const std::string median = fmt::format("{:g}", *steps.median);
    return steps.never == 0 ? median : median + fmt::format(" ({} of {} never)", steps.never, runs);
  }
  return steps.reached == 0 ? "never" : fmt::format("never ({} of {} did)", steps.reached, runs);
}

struct Marks {
  int64_t unconverged = 0, failed = 0, missing = 0;

  std::string text() const {
    std::string result;
    const auto add = [&](int64_t runs, char mark) {
      if (runs > 0) result += fmt::format("{}{}{}", result.empty() ? "" : " ", runs, mark);
    };
    add(unconverged, '*');
    add(failed, '!');
    add(missing, '?');
    return result;
  }
};

Marks marks_of(const CellSummary& cell) {
  const int64_t failed = std::ssize(cell.failed);
  return {std::ssize(cell.unconverged), failed, std::max<int64_t>(0, cell.planned - std::ssize(cell.runs) - failed)};
}

std::string legend(const std::vector<CellSummary>& cells) {
  Marks all;
  for (const CellSummary& cell : cells) {
    const Marks marks = marks_of(cell);
    all.unconverged += marks.unconverged;
    all.failed += marks.failed;
    all.missing += marks.missing;
  }
  std::string text;
  if (all.unconverged > 0) {
    text += "* runs that have not converged: they count like all others\n";
  }
  if (all.failed > 0) text += "! runs that failed: no successes, and part of nothing else\n";
  if (all.missing > 0) text += "? runs that are planned and not there yet\n";
  return text;
}

std::vector<std::string> row(const CellSummary& cell) {
  const CellNumbers& numbers = cell.numbers;
  return {encoding_text(cell.cell),
          accuracy_text(numbers.test_accuracy),
          range_text(numbers.test_accuracy),
          numbers.success ? fmt::format("{}/{}", numbers.success->successes, numbers.success->trials) : "-",
          steps_text(numbers.steps_to_90),
          marks_of(cell).text()};
}

std::string heading(const std::string& text, TableFormat format) {
  const std::string line = shown(text, format);
  return format == TableFormat::markdown ? "### " + line + "\n\n" : wrapped(line, kTerminalColumns) + "\n";
}

// Lines that Markdown would else join.
std::string notes(const std::string& text, TableFormat format) {
  if (text.empty() || format == TableFormat::terminal) return text;
  std::string result = "\n";
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    result += "- " + shown(text.substr(at, end - at), format) + "\n";
    at = end + 1;
  }
  return result;
}

// Where the expressions stand, once.
std::string legend_of(const StudySummary& summary, TableFormat format) {
  return notes(labels_text(summary.labels()), format);
}

std::string section(const std::string& text) { return text.empty() ? "" : "\n" + text; }

}  // namespace

std::string cells_text(const std::vector<CellSummary>& cells, TableFormat format) {
  std::vector<std::pair<std::string, TextTable>> groups;
  for (const CellSummary& cell : cells) {
    const std::string name = fmt::format("{}, {}", cell.cell.task, cell.cell.protocol);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) { return other.first == name; });
    if (group == groups.end()) {
      groups.push_back(
          {name,
           {.titles = {"encoding", "test accuracy % (95 %)", "lowest..highest", "at 90 %", "steps to 90 %", ""}}});
      group = std::prev(groups.end());
    }
    group->second.rows.push_back(row(cell));
  }
  std::string text;
  for (const auto& [name, table] : groups) {
    if (!text.empty()) text += '\n';
    text += heading(name, format) + to_text(table, format);
  }
  return text + notes(legend(cells), format);
}

std::string rates_text(const std::vector<RateChoice>& rates, TableFormat format) {
  if (rates.empty()) return "";
  bool edge = false;
  TextTable table{.titles = {"learning rate of", "chosen", "validation accuracy % at each rate"}};
  for (const RateChoice& choice : rates) {
    std::string trials;
    for (const RateChoice::Trial& trial : choice.trials) {
      trials += fmt::format("{}{}: {}", trials.empty() ? "" : ", ", trial.rate,
                            trial.accuracy ? fmt::format("{:.1f}", 100.0 * *trial.accuracy) : "failed");
    }
    edge = edge || !choice.edge().empty();
    const std::string chosen = fmt::format("{}{}", choice.rate, choice.edge().empty() ? "" : "^");
    table.rows.push_back({text(choice.cell), chosen, trials});
  }
  const char* note = "^ the lowest or the highest of those tried: a better one may lie beyond\n";
  return to_text(table, format) + (edge ? (format == TableFormat::markdown ? "\n" : "") + std::string(note) : "");
}

std::string failures_text(const std::vector<RunFailure>& failures, TableFormat format) {
  std::string text;
  for (const RunFailure& failure : failures) {
    const std::string line = shown(
        fmt::format("failed: {}, seed {} ({}): {}", phasor::text(failure.cell), failure.seed, failure.id, failure.what),
        format);
    text += format == TableFormat::markdown ? "- " + line + "\n" : wrapped(line, kTerminalColumns, 2) + "\n";
  }
  return text;
}

std::string study_text(const StudySummary& summary, TableFormat format) {
  const std::string title = shown(fmt::format("Study {}, preset {}", summary.name, summary.preset), format);
  return (format == TableFormat::markdown ? "## " : "") + title + "\n" + section(cells_text(summary.cells, format)) +
         section(legend_of(summary, format)) + section(rates_text(summary.rates, format)) +
         section(learned_text(summary.cells, format)) + section(comparisons_text(summary.comparisons, format)) +
         section(answers_text(summary.comparisons, format)) + section(failures_text(summary.failures, format));
}

}  // namespace phasor
