#include "phasor/report/text_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "phasor/base/display_width.h"
#include "phasor/base/text_table.h"
#include "phasor/report/head_picture.h"

namespace phasor {
namespace {

constexpr size_t kName = 38;   // columns of a cell's name
constexpr size_t kField = 51;  // columns of a plot

// Characters of a line, drawn in any order.
class PlotField {
 public:
  explicit PlotField(size_t columns) : marks_(columns, " ") {}

  void put(size_t column, std::string_view mark) { marks_[std::min(column, marks_.size() - 1)] = mark; }
  std::string text() const {
    std::string line;
    for (const std::string_view mark : marks_) line += mark;
    return line;
  }

 private:
  std::vector<std::string_view> marks_;
};

size_t column_of(double share) {
  return static_cast<size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(kField - 1)));
}

std::string label_of(const CellName& cell) {
  const std::string& encoding = encoding_label(cell);
  const std::string whole = cell.variant.empty() ? encoding : fmt::format("{}, {}", encoding, cell.variant);
  return padded_to(isolated(cut_to(shown(whole, TableFormat::terminal), kName)), kName);
}

std::string group_of(const CellName& cell) { return fmt::format("{}, {}", cell.task, cell.protocol); }

std::string accuracy_line(const CellSummary& cell) {
  const SeedInterval& accuracy = cell.numbers.test_accuracy;
  PlotField field(kField);
  if (accuracy.low && accuracy.high) {
    for (size_t c = column_of(*accuracy.low); c <= column_of(*accuracy.high); ++c) field.put(c, "─");
  }
  if (cell.floors) field.put(column_of(cell.floors->ceiling), "│");
  for (const double value : accuracy.values) {
    if (std::isfinite(value)) field.put(column_of(value), "·");
  }
  field.put(column_of(accuracy.mean), "○");
  return fmt::format("{} {} {:5.1f}\n", label_of(cell.cell), field.text(), 100.0 * accuracy.mean);
}

std::string learning_line(const CellSummary& cell) {
  constexpr std::array<std::string_view, 8> kBars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::vector<SeedInterval>& accuracy = cell.curves.test_accuracy;
  const size_t columns = std::min(kField, accuracy.size());
  PlotField field(kField);
  for (size_t c = 0; c < columns; ++c) {
    const size_t step = columns == 1 ? 0 : c * (accuracy.size() - 1) / (columns - 1);
    const double mean = accuracy[step].mean;
    if (!std::isfinite(mean)) continue;
    field.put(c, kBars[static_cast<size_t>(std::clamp(std::lround(mean * 7.0), 0L, 7L))]);
  }
  return fmt::format("{} {} {}\n", label_of(cell.cell), field.text(),
                     cell.curves.steps.empty() ? 0 : cell.curves.steps.back());
}

std::string head_line(const CellSummary& cell) {
  const SeedHeads& seed = pictured_seed(cell.position->seeds);
  const EncodingVerdict& all = cell.position->verdict;
  return fmt::format("{} {}  seed {}: {} (all: {} D, {} P, {} S, {} N, {} U)\n", label_of(cell.cell),
                     head_picture(seed), seed.seed, name(seed.verdict.verdict), all.deposit.seeds, all.partial.seeds,
                     all.spread.seeds, all.not_used.seeds, all.undetermined.seeds);
}

// A title above the cells of every task and protocol, in the order of the study.
template <class Has, class Line>
std::string grouped(const std::vector<CellSummary>& cells, const std::string& title, const std::string& axis,
                    const Has& has, const Line& line_of) {
  std::string text, group;
  for (const CellSummary& cell : cells) {
    if (!has(cell)) continue;
    if (group != group_of(cell.cell)) {
      group = group_of(cell.cell);
      const std::string heading = fmt::format("{}: {}", title, group);
      if (!text.empty()) text += '\n';
      text += axis.empty() ? heading : fmt::format("{:<{}} {}", heading, kName, axis);
      text += '\n';
    }
    text += line_of(cell);
  }
  return text;
}

}  // namespace

std::string accuracy_plots(const std::vector<CellSummary>& cells) {
  const std::string axis = fmt::format("{:<12}{:<13}{:<12}{:<9}{}", "0", "25", "50", "75", "100 %");
  return grouped(
      cells, "test accuracy", axis, [](const CellSummary& cell) { return cell.numbers.test_accuracy.count > 0; },
      accuracy_line);
}

std::string learning_plots(const std::vector<CellSummary>& cells) {
  return grouped(
      cells, "accuracy over steps", "", [](const CellSummary& cell) { return !cell.curves.steps.empty(); },
      learning_line);
}

std::string head_plots(const std::vector<CellSummary>& cells) {
  return grouped(
      cells, "position in heads", "layers of heads, the darker the more it costs",
      [](const CellSummary& cell) { return cell.position && !cell.position->seeds.empty(); }, head_line);
}

}  // namespace phasor
