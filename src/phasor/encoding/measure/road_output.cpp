#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "phasor/base/wrapped_text.h"
#include "phasor/encoding/measure/road.h"

namespace phasor {

std::string road_text() {
  constexpr size_t kWidth = 100;
  std::vector<std::vector<std::string>> rows(1);
  for (const RoadColumn& column : road_columns()) rows[0].push_back(column.head);
  for (const RoadStep& step : walk_road()) rows.push_back(road_cells(step));
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) line += fmt::format("{:<{}}", row[c], widths[c] + 2);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  text += fmt::format("\n{}\n\n", wrapped(road_story(), kWidth));
  for (const RoadColumn& column : road_columns()) {
    if (column.meaning.empty()) continue;
    text += fmt::format("{:<12}{}\n", column.head, wrapped(column.meaning, kWidth, 12));
  }
  return text;
}

nlohmann::ordered_json road_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RoadStep& step : walk_road()) {
    nlohmann::ordered_json json = {{"name", step.expression}};
    json.update(desiderata_json(step.measured));
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace phasor
