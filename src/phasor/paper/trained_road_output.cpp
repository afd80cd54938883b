#include "phasor/paper/trained_road_output.h"

#include <fmt/format.h>

namespace phasor::paper {
namespace {

std::string interval_of(const SeedInterval& number, double scale, int width, int digits) {
  if (number.count == 0) return "";
  std::string mean = fmt::format("{:{}.{}f}", scale * number.mean, width, digits);
  if (!number.low) return mean;
  if (number.degenerate) return mean + " (all equal)";
  return mean + fmt::format(" ({:.{}f}..{:.{}f})", scale * *number.low, digits, scale * *number.high, digits);
}

std::string steps_to(const StepsTo90& steps) {
  if (steps.reached + steps.never == 0) return "";
  if (!steps.median) return "never";
  return fmt::format("{:g}", *steps.median) + (steps.never > 0 ? fmt::format(", {} never", steps.never) : "");
}

const CellNumbers& numbers(const RoadRow& row) { return row.cell.numbers; }

}  // namespace

TextTable trained_road_table(const TrainedRoad& road) {
  TextTable table{.titles = {"encoding", "norm", "jump", "shift", "task", "accuracy", "steps", "area"}, .rows = {}};
  std::string last;
  for (const RoadRow& row : road.rows) {
    const CellName& cell = row.cell.cell;
    const std::string encoding =
        cell.variant.empty() ? encoding_label(cell) : encoding_label(cell) + ", " + cell.variant;
    // The encoding and what it fulfils stand in its first row alone.
    const bool first = encoding != last;
    last = encoding;
    table.rows.push_back({first ? encoding : "", first ? row.norm : "", first ? row.jump : "", first ? row.shift : "",
                          cell.task, interval_of(numbers(row).test_accuracy, 100.0, 5, 1),
                          steps_to(numbers(row).steps_to_90), interval_of(numbers(row).loss_area, 1.0, 4, 2)});
  }
  return table;
}

std::string_view trained_road_key() {
  return "norm, jump, shift: as `phasor encodings --road` measures them; accuracy: test, % (95 % interval over seeds); "
         "steps: median to 90 %; area: mean test loss over training, as a share of the first (95 %), small where "
         "learning is fast";
}

std::vector<std::string> trained_road_reading(const TrainedRoad& road) {
  std::vector<std::string> sentences;
  for (const RoadFinding& finding : road.findings) {
    if (!finding.sentence.empty()) sentences.push_back(finding.sentence);
  }
  if (sentences.empty()) sentences.emplace_back("No interval tells two steps of the road apart.");
  return sentences;
}

}  // namespace phasor::paper
