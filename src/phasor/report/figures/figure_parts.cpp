#include "phasor/report/figures/figure_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace phasor {
namespace {

constexpr double kSeedSize = 2.6;
constexpr double kMeanSize = 4.8;
constexpr size_t kMarkersOfCurve = 6;
constexpr size_t kMostFilePart = 60;

void append_part(std::string& name, std::string_view part) {
  if (!part.empty()) name += "_" + file_part(part);
}

}  // namespace

std::string file_part(std::string_view text) {
  std::string part;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      part += c;
    } else if (c >= 'A' && c <= 'Z') {
      part += static_cast<char>(c - 'A' + 'a');
    } else if (!part.empty() && part.back() != '-') {
      part += '-';
    }
  }
  part = part.substr(0, kMostFilePart);
  while (!part.empty() && part.back() == '-') part.pop_back();
  return part.empty() ? "x" : part;
}

std::string figure_name(std::string_view id, const FigurePlace& place, std::string_view more) {
  std::string name(id);
  append_part(name, place.task);
  append_part(name, place.protocol);
  append_part(name, more);
  return name;
}

std::vector<FigureColumn> cell_columns(const std::vector<FigureColumn>& more) {
  std::vector<FigureColumn> columns = {{"encoding", "what the figure calls it"},
                                       {"expression", "the encoding as `--encodings` reads it"},
                                       {"variant", "what else sets the cell apart; often empty"},
                                       {"task", "as in `summary.json`"},
                                       {"protocol", "as in `summary.json`"}};
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

std::vector<Datum> cell_row(const FigureCell& cell, const std::vector<Datum>& more) {
  const CellName& name = cell.cell->cell;
  std::vector<Datum> row = {cell.label, name.encoding, name.variant, name.task, name.protocol};
  row.insert(row.end(), more.begin(), more.end());
  return row;
}

std::string figure_title(std::string_view title, const FigurePlace& place, std::string_view more) {
  std::string text = std::string(title) + ": " + place.title();
  if (!more.empty()) text += ", " + std::string(more);
  return text;
}

figure::Axis share_axis(std::string title) {
  return {.title = std::move(title) + " (%)",
          .low = -0.03,
          .high = 1.03,
          .percent = true,
          .ticks = {0, 0.25, 0.5, 0.75, 1}};
}

figure::Axis name_axis(std::vector<std::string> names) { return {.grid = false, .names = std::move(names)}; }

double spread_at(size_t i, size_t n, double reach) {
  return n < 2 ? 0.0 : reach * (2.0 * static_cast<double>(i) / static_cast<double>(n - 1) - 1.0);
}

std::vector<FloorLine> floor_lines(const FigurePlace& place) {
  const auto found = std::find_if(place.cells.begin(), place.cells.end(),
                                  [](const FigureCell& cell) { return cell.cell->floors.has_value(); });
  if (found == place.cells.end()) return {};
  const TaskFloors& floors = *found->cell->floors;
  const auto apart = [](double a, double b) { return std::abs(a - b) > 0.005; };
  std::vector<FloorLine> lines = {{"chance", floors.chance, figure::Dash::dotted}};
  if (apart(floors.length, floors.chance))
    lines.push_back({"best from length alone", floors.length, figure::Dash::dashed});
  if (apart(floors.rule, floors.ceiling) && apart(floors.rule, floors.chance) && apart(floors.rule, floors.length)) {
    lines.push_back({"simple rule", floors.rule, figure::Dash::dash_dot});
  }
  lines.push_back({"ceiling", floors.ceiling, figure::Dash::solid});
  std::erase_if(lines, [](const FloorLine& line) { return !std::isfinite(line.value); });
  return lines;
}

void add_floors(figure::Chart& chart, figure::Panel& panel, const std::vector<FloorLine>& floors,
                figure::Rule::Along along) {
  for (const FloorLine& floor : floors) {
    panel.marks.emplace_back(figure::Rule{.along = along, .at = floor.value, .dash = floor.dash});
    chart.legend.push_back(line_item(floor.name, figure::kSoft, floor.dash));
  }
}

figure::Points mean_across(const SeedInterval& number, double row, const EncodingStyle& style) {
  return {.points =
              {{.x = number.mean, .y = row, .x_low = number.low.value_or(kNaN), .x_high = number.high.value_or(kNaN)}},
          .colour = style.colour,
          .marker = style.marker,
          .size = kMeanSize};
}

figure::Points seeds_across(const SeedInterval& number, const std::vector<SeedOutcome>& runs, double row,
                            const EncodingStyle& style) {
  figure::Points points{.colour = style.colour, .marker = style.marker, .size = kSeedSize, .opacity = 0.8};
  for (size_t i = 0; i < number.values.size(); ++i) {
    points.points.push_back(
        {.x = number.values[i], .y = row + spread_at(i, number.values.size(), 0.09), .hollow = !converged_at(runs, i)});
  }
  return points;
}

bool converged_at(const std::vector<SeedOutcome>& runs, size_t i) { return i >= runs.size() || runs[i].converged; }

figure::LegendItem mean_item() {
  return {.label = "mean, 95 % interval", .marker = figure::Marker::circle, .interval = true, .size = kMeanSize};
}

figure::LegendItem run_item(std::string label) {
  return {.label = std::move(label), .marker = figure::Marker::circle, .size = kSeedSize};
}

figure::LegendItem hollow_item() {
  return {.label = "not converged", .marker = figure::Marker::circle, .hollow = true, .size = kSeedSize};
}

figure::LegendItem line_item(std::string label, figure::Colour colour, figure::Dash dash) {
  return {.label = std::move(label), .colour = colour, .dash = dash};
}

figure::LegendItem cell_item(const FigureCell& cell) {
  return {.label = cell.label,
          .colour = cell.style.colour,
          .marker = cell.style.marker,
          .dash = cell.style.dash,
          .size = 3.6};
}

figure::Colour layer_colour(int64_t layer) {
  return figure::kLayerColours[static_cast<size_t>(layer) % figure::kLayerColours.size()];
}

figure::Dash layer_dash(int64_t layer) {
  constexpr std::array<figure::Dash, 6> kDashes = {figure::Dash::solid,  figure::Dash::long_dash,
                                                   figure::Dash::fine,   figure::Dash::dash_dot,
                                                   figure::Dash::dotted, figure::Dash::dash_dot_dot};
  return kDashes[static_cast<size_t>(layer) % kDashes.size()];
}

figure::Marker layer_marker(int64_t layer) {
  constexpr std::array<figure::Marker, 6> kMarkers = {figure::Marker::circle,      figure::Marker::square,
                                                      figure::Marker::triangle_up, figure::Marker::triangle_down,
                                                      figure::Marker::pentagon,    figure::Marker::star};
  return kMarkers[static_cast<size_t>(layer) % kMarkers.size()];
}

std::vector<figure::LegendItem> layer_items(int64_t layers, bool marks) {
  std::vector<figure::LegendItem> items;
  for (int64_t layer = 0; layer < layers; ++layer) {
    figure::LegendItem item = line_item("layer " + std::to_string(layer), layer_colour(layer), layer_dash(layer));
    if (marks) {
      item.dash = std::nullopt;
      item.marker = layer_marker(layer);
      item.size = 3.0;
    }
    items.push_back(std::move(item));
  }
  return items;
}

void add_curve(figure::Panel& panel, const CurveMarks& curve, const EncodingStyle& style, bool every_marker) {
  figure::Line line{.colour = style.colour, .dash = style.dash};
  figure::Band band{.colour = style.colour, .opacity = 0.14};
  for (size_t i = 0; i < curve.x.size(); ++i) {
    if (!std::isfinite(curve.mean[i])) continue;
    line.x.push_back(curve.x[i]);
    line.y.push_back(curve.mean[i]);
    if (i < curve.low.size() && curve.low[i] && curve.high[i]) {
      band.x.push_back(curve.x[i]);
      band.low.push_back(*curve.low[i]);
      band.high.push_back(*curve.high[i]);
    }
  }
  if (line.x.empty()) return;
  figure::Points points{.colour = style.colour, .marker = style.marker, .size = every_marker ? 4.0 : 3.4};
  const size_t steps = line.x.size() - 1;
  const size_t count = every_marker ? steps : std::min(steps, kMarkersOfCurve);
  for (size_t k = 0; k <= count; ++k) {
    const size_t i = count == 0 ? 0 : k * steps / count;
    points.points.push_back({.x = line.x[i], .y = line.y[i]});
  }
  // Bands below all lines.
  const auto first_line = std::find_if(panel.marks.begin(), panel.marks.end(), [](const figure::Mark& mark) {
    return std::holds_alternative<figure::Line>(mark);
  });
  panel.marks.insert(first_line, std::move(band));
  panel.marks.emplace_back(std::move(line));
  panel.marks.emplace_back(std::move(points));
}

figure::Chart small_multiples(std::string title, std::string caption, double panel_height) {
  return {.title = std::move(title), .caption = std::move(caption), .columns = 4, .panel_height = panel_height};
}

bool has_values(const SeedInterval& number) { return number.count > 0; }

}  // namespace phasor
