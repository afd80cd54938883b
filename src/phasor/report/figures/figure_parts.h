#pragma once
// What several figures share: names of files, columns, axes, marks.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/figure/chart.h"
#include "phasor/report/figures/report_figure.h"
#include "phasor/study/summary/seed_interval.h"

namespace phasor {

// Of lower-case letters, digits and dashes: "distance", "rope-base-500".
std::string file_part(std::string_view text);
// "learning-curves_distance_clean_test-loss"
std::string figure_name(std::string_view id, const FigurePlace& place, std::string_view more = "");

// encoding, expression, variant, task, protocol, and the given ones.
std::vector<FigureColumn> cell_columns(const std::vector<FigureColumn>& more);
std::vector<Datum> cell_row(const FigureCell& cell, const std::vector<Datum>& more);

// "learning curves: distance, clean"
std::string figure_title(std::string_view title, const FigurePlace& place, std::string_view more = "");

figure::Axis share_axis(std::string title);              // 0 to 100 %
figure::Axis name_axis(std::vector<std::string> names);  // of rows

// Where the i-th of n marks of a row stands, between -reach and reach.
double spread_at(size_t i, size_t n, double reach);

struct FloorLine {
  std::string name;
  double value = 0.0;
  figure::Dash dash = figure::Dash::solid;
};
// What an accuracy is to be held against; a floor that is another one is there once.
std::vector<FloorLine> floor_lines(const FigurePlace& place);
void add_floors(figure::Chart& chart, figure::Panel& panel, const std::vector<FloorLine>& floors,
                figure::Rule::Along along);

// A row's mean with its interval, across.
figure::Points mean_across(const SeedInterval& number, double row, const EncodingStyle& style);
// Every seed's value, hollow where the run did not converge.
figure::Points seeds_across(const SeedInterval& number, const std::vector<SeedOutcome>& runs, double row,
                            const EncodingStyle& style);
bool converged_at(const std::vector<SeedOutcome>& runs, size_t i);

figure::LegendItem mean_item();
figure::LegendItem run_item(std::string label = "a run");
figure::LegendItem hollow_item();
figure::LegendItem line_item(std::string label, figure::Colour colour, figure::Dash dash);
figure::LegendItem cell_item(const FigureCell& cell);  // line and marker
std::vector<figure::LegendItem> layer_items(int64_t layers, bool marks);
figure::Colour layer_colour(int64_t layer);
figure::Dash layer_dash(int64_t layer);
figure::Marker layer_marker(int64_t layer);

// A line with its band and with some markers; values that are missing are passed over.
struct CurveMarks {
  std::vector<double> x, mean;
  std::vector<std::optional<double>> low, high;
};
void add_curve(figure::Panel& panel, const CurveMarks& curve, const EncodingStyle& style, bool every_marker = false);

figure::Chart small_multiples(std::string title, std::string caption, double panel_height);

bool has_values(const SeedInterval& number);

}  // namespace phasor
