#include "phasor/paper/trained_road.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "phasor/encoding/measure/road.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "phasor/paper/paper_cells.h"
#include "phasor/paper/road_study.h"
#include "phasor/statistics/mean_difference.h"

namespace phasor::paper {
namespace {

CellName road_cell(const std::string& encoding, const std::string& task, const std::string& variant) {
  return {task, kClean, encoding, variant};
}

// The cell of a table by the head of its column.
std::string column_of(const RoadStep& step, const std::string& head) {
  const std::vector<RoadColumn>& columns = road_columns();
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].head == head) return road_cells(step)[c];
  }
  return "";
}

// "43.1 points (40.0..46.2) on grid", where the interval is wholly beyond a point.
std::string accuracy_words(const RoadCost& cost, bool loss) {
  if (cost.accuracy.reading != statistics::DifferenceReading::of_interest) return "";
  const statistics::MeanDifference& found = *cost.accuracy.difference;
  if ((found.difference > 0.0) != loss) return "";
  const double ends[] = {std::abs(found.low), std::abs(found.high)};
  return fmt::format("{:.1f} points ({:.1f}..{:.1f}) on {}", 100.0 * std::abs(found.difference),
                     100.0 * std::min(ends[0], ends[1]), 100.0 * std::max(ends[0], ends[1]), cost.task);
}

// The task, where the interval of the areas under the loss excludes 0.
std::string speed_words(const RoadCost& cost, bool slower) {
  if (!cost.slowness.significant()) return "";
  const statistics::MeanDifference& found = *cost.slowness.difference;
  if ((found.difference > 0.0) != slower) return "";
  const double ends[] = {std::abs(found.low), std::abs(found.high)};
  return fmt::format("{} (by {:.2f}, {:.2f}..{:.2f})", cost.task, std::abs(found.difference),
                     std::min(ends[0], ends[1]), std::max(ends[0], ends[1]));
}

template <class Words>
void add_part(std::vector<std::string>& parts, const char* verb, const std::vector<RoadCost>& costs,
              const Words& words) {
  std::vector<std::string> found;
  for (const RoadCost& cost : costs) {
    if (std::string text = words(cost); !text.empty()) found.push_back(std::move(text));
  }
  if (!found.empty()) parts.push_back(fmt::format("{} {}", verb, fmt::join(found, ", ")));
}

std::string sentence_of(const RoadFinding& finding) {
  std::vector<std::string> parts;
  add_part(parts, "costs", finding.costs, [](const RoadCost& cost) { return accuracy_words(cost, true); });
  add_part(parts, "gains", finding.costs, [](const RoadCost& cost) { return accuracy_words(cost, false); });
  add_part(parts, "is slower to learn on", finding.costs, [](const RoadCost& cost) { return speed_words(cost, true); });
  add_part(parts, "is faster to learn on", finding.costs,
           [](const RoadCost& cost) { return speed_words(cost, false); });
  if (parts.empty()) return "";
  const RoadContrast& contrast = finding.contrast;
  return fmt::format("{} ({} against {}{}{}) {}.", contrast.lack, contrast.without, contrast.with,
                     contrast.variant.empty() ? "" : ", both with ", contrast.variant, fmt::join(parts, "; "));
}

RoadFinding finding_of(const StudyResults& results, const RoadContrast& contrast) {
  RoadFinding finding{.contrast = contrast, .costs = {}, .sentence = ""};
  for (const std::string& task : road_tasks()) {
    const CellRuns* without = results.find(road_cell(contrast.without, task, contrast.variant));
    const CellRuns* with = results.find(road_cell(contrast.with, task, contrast.variant));
    if (without == nullptr || with == nullptr) continue;
    finding.costs.push_back({task, compare(*with, *without, {ComparedQuantity::test_accuracy}),
                             compare(*without, *with, {ComparedQuantity::loss_area})});
  }
  finding.sentence = sentence_of(finding);
  return finding;
}

}  // namespace

const std::vector<RoadContrast>& road_contrasts() {
  static const std::vector<RoadContrast> contrasts = [] {
    std::vector<RoadContrast> all = {
        {"Swamping: numbers that grow with the place", "integer", "integer(normalised)", kRmsNorm},
        {"One number for all channels, where the norm keeps it", "nope", "integer(normalised)", kRmsNorm},
        {"Jumps: codes whose neighbours differ in many bits", "binary", "sinusoidal"},
        {"Adding positions instead of giving them channels", "sinusoidal", "concat(sinusoidal)"},
        {"Adding positions instead of rotating by them", "sinusoidal", "rope"},
        {"Learning a table instead of a rule", "learned", "sinusoidal"},
        {"One axis where there are two", "rope", "rope(axes=2)"},
        {"One axis where there are three", "rope", "rope(axes=3)"},
    };
    for (RoadContrast& contrast : all) {
      contrast.without = print(parse_encoding(contrast.without));
      contrast.with = print(parse_encoding(contrast.with));
    }
    return all;
  }();
  return contrasts;
}

TrainedRoad trained_road(const StudyResults& results) {
  TrainedRoad road;
  for (const std::string& expression : road_encodings()) {
    const Encoding encoding = parse_encoding(expression);
    const RoadStep step{.expression = expression,
                        .measured = measure_desiderata(encoding, usual_shape(encoding)).front()};
    for (const char* variant : {"", kRmsNorm}) {
      for (const std::string& task : road_tasks()) {
        const CellRuns* runs = results.find(road_cell(expression, task, variant));
        if (runs == nullptr) continue;
        road.rows.push_back(
            {summarize(*runs), column_of(step, "shift"), column_of(step, "norm"), column_of(step, "jump")});
      }
    }
  }
  for (const RoadContrast& contrast : road_contrasts()) road.findings.push_back(finding_of(results, contrast));
  return road;
}

}  // namespace phasor::paper
