#include "phasor/paper/trained_road_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/base/wrapped_text.h"

namespace phasor::paper {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRoadTitle = "The road to RoPE, trained";
constexpr const char* kRoadKey =
    "Norm, jump and shift: as in `phasor encodings --road`. Accuracy: test, % (95 % interval over seeds). Steps: median "
    "to 90 %. Area: mean test loss over training, as a share of the first (95 %): small where learning is fast.";
constexpr const char* kNothingDecided = "No interval tells two steps of the road apart.";

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

const CellNumbers& numbers(const RoadRow& row) { return row.cell.all; }

// The encoding and what it fulfils stand in its first row alone.
TextTable table_of(const TrainedRoad& road) {
  TextTable table{.titles = {"encoding", "norm", "jump", "shift", "task", "accuracy", "steps", "area"}, .rows = {}};
  std::string last;
  for (const RoadRow& row : road.rows) {
    const std::string& encoding = row.cell.cell.encoding;
    const bool first = encoding != last;
    last = encoding;
    table.rows.push_back({first ? encoding : "", first ? row.norm : "", first ? row.jump : "", first ? row.shift : "",
                          row.cell.cell.task, interval_of(numbers(row).test_accuracy, 100.0, 5, 1),
                          steps_to(numbers(row).steps_to_90), interval_of(numbers(row).loss_area, 1.0, 4, 2)});
  }
  return table;
}

std::vector<std::string> sentences_of(const TrainedRoad& road) {
  std::vector<std::string> sentences;
  for (const RoadFinding& finding : road.findings) {
    if (!finding.sentence.empty()) sentences.push_back(finding.sentence);
  }
  if (sentences.empty()) sentences.emplace_back(kNothingDecided);
  return sentences;
}

}  // namespace

std::string trained_road_text(const TrainedRoad& road, TableFormat format) {
  const bool markdown = format == TableFormat::markdown;
  const auto paragraph = [&](const std::string& text) {
    return markdown ? shown(text, format) + "\n" : wrapped(shown(text, format), kTerminalColumns) + "\n";
  };
  std::string text = (markdown ? "## " : "") + std::string(kRoadTitle) + "\n\n" + to_text(table_of(road), format) + "\n" +
                     paragraph(kRoadKey) + "\n";
  for (const std::string& sentence : sentences_of(road)) {
    text += markdown ? "- " + shown(sentence, format) + "\n"
                     : wrapped(shown(sentence, format), kTerminalColumns, 2) + "\n";
  }
  return text;
}

Json trained_road_json(const TrainedRoad& road) {
  const TextTable table = table_of(road);
  return {{"title", kRoadTitle},
          {"key", kRoadKey},
          {"titles", table.titles},
          {"rows", table.rows},
          {"sentences", sentences_of(road)}};
}

}  // namespace phasor::paper
