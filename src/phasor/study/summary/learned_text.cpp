#include "phasor/study/summary/learned_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "phasor/base/wrapped_text.h"

namespace phasor {
namespace {

constexpr size_t kMostRows = 24;  // of a cell

std::string learned_label(const CellName& cell) {
  return cell.variant.empty() ? encoding_label(cell) : fmt::format("{}, {}", encoding_label(cell), cell.variant);
}

std::string mean_text(const SeedInterval& number) {
  if (number.count == 0) return "not kept";
  const std::string mean = fmt::format("{:.4g}", number.mean);
  if (number.degenerate) return mean + (number.count > 1 ? " (all equal)" : "");
  return number.low ? fmt::format("{} ({:.4g} to {:.4g})", mean, *number.low, *number.high) : mean;
}

std::string start_text(const SeedInterval& number) {
  return number.count == 0 ? "-" : fmt::format("{:.4g}", number.mean);
}

std::string index_text(const std::optional<int64_t>& index) { return index ? fmt::format("{}", *index) : "all"; }

// "bias.b" of "bias.b[3]"
std::string tensor_of(const LearnedNumber& number) { return number.name.substr(0, number.name.find('[')); }

struct MeanRange {
  std::optional<double> least, most;

  void add(const SeedInterval& number) {
    if (number.count == 0) return;
    least = std::min(least.value_or(number.mean), number.mean);
    most = std::max(most.value_or(number.mean), number.mean);
  }
  std::string text() const {
    if (!least) return "not kept";
    return *least == *most ? fmt::format("{:.4g}", *least) : fmt::format("{:.4g}..{:.4g}", *least, *most);
  }
};

void add_ranges(const std::string& label, const std::vector<LearnedNumber>& numbers, TextTable& table) {
  std::vector<std::string> names;
  for (const LearnedNumber& number : numbers) {
    if (std::find(names.begin(), names.end(), tensor_of(number)) == names.end()) names.push_back(tensor_of(number));
  }
  for (const std::string& name : names) {
    MeanRange start, end;
    int64_t count = 0;
    for (const LearnedNumber& number : numbers) {
      if (tensor_of(number) != name) continue;
      ++count;
      start.add(number.start);
      end.add(number.end);
    }
    table.rows.push_back({label, fmt::format("{} ({} numbers)", name, count), "", "", start.text(), end.text()});
  }
}

void add_rows(const CellSummary& cell, TextTable& table) {
  const std::string label = learned_label(cell.cell);
  const std::vector<LearnedNumber>& numbers = cell.learned.numbers;
  if (numbers.size() > kMostRows) return add_ranges(label, numbers, table);
  for (const LearnedNumber& number : numbers) {
    table.rows.push_back({label, number.name, index_text(number.layer), index_text(number.head),
                          start_text(number.start), mean_text(number.end)});
  }
}

// Each once, whichever cells have them.
std::string tables_text(const std::vector<CellSummary>& cells) {
  std::vector<std::string> names;
  for (const CellSummary& cell : cells) {
    for (const LeftOutTable& table : cell.learned.tables) {
      const std::string name = fmt::format("{} [{}]", table.name, fmt::join(table.shape, ", "));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  if (names.empty()) return "";
  return fmt::format("Tables are left out ({}): phasor encodings RUN shows those of one run.", fmt::join(names, "; "));
}

}  // namespace

std::string learned_text(const std::vector<CellSummary>& cells, TableFormat format) {
  const bool markdown = format == TableFormat::markdown;
  std::vector<std::pair<std::string, TextTable>> groups;
  for (const CellSummary& cell : cells) {
    if (cell.learned.numbers.empty()) continue;
    const std::string name = fmt::format("What was learned: {}, {}", cell.cell.task, cell.cell.protocol);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& other) { return other.first == name; });
    if (group == groups.end()) {
      groups.push_back({name, {.titles = {"encoding", "number", "layer", "head", "start", "trained, mean (95 %)"}}});
      group = std::prev(groups.end());
    }
    add_rows(cell, group->second);
  }
  std::string text;
  for (const auto& [name, table] : groups) {
    const std::string line = shown(name, format);
    text += (text.empty() ? "" : "\n") + (markdown ? "### " + line + "\n\n" : wrapped(line, kTerminalColumns) + "\n");
    text += to_text(table, format);
  }
  const std::string left_out = tables_text(cells);
  if (groups.empty() || left_out.empty()) return text;
  const std::string line = shown(left_out, format);
  return text + (markdown ? "\n" + line + "\n" : wrapped(line, kTerminalColumns) + "\n");
}

}  // namespace phasor
