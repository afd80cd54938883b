// Accuracy per encoding: every seed, the mean with its interval, the paper's value, floor and ceiling.
#include <algorithm>
#include <cmath>

#include "phasor/report/figures/figure_parts.h"
#include "phasor/report/figures/published_values.h"

namespace phasor {
namespace {

constexpr std::string_view kAccuracyId = "accuracy-by-encoding";

void add_accuracy_rows(ReportFigure& figure, const FigureCell& cell, const std::vector<PublishedValue>& published) {
  const SeedInterval& number = cell.cell->numbers.test_accuracy;
  const auto row = [&](const char* mark, const Datum& seed, const Datum& converged, const Datum& value,
                       const Datum& low, const Datum& high, const Datum& source) {
    figure.rows.push_back(cell_row(cell, {mark, seed, converged, value, low, high, source}));
  };
  if (has_values(number)) row("mean", {}, {}, number.mean, number.low, number.high, {});
  for (size_t i = 0; i < number.values.size(); ++i) {
    if (!std::isfinite(number.values[i])) continue;
    const SeedOutcome& run = cell.cell->runs[i];
    row("run", run.seed, run.converged ? "yes" : "no", number.values[i], {}, {}, run.id);
  }
  for (const PublishedValue& value : published) row("published", {}, {}, value.value, {}, {}, value.source);
}

ReportFigure accuracy_figure(const FigureStudy& study, const FigurePlace& place) {
  ReportFigure figure{.name = figure_name(kAccuracyId, place)};
  figure.chart.title = figure_title("Test accuracy by encoding", place);
  figure.chart.caption =
      "Test accuracy of every encoding. Small marks are single runs, hollow where a run did not converge; large ones "
      "are means of all finished runs with 95 % intervals over seeds.";
  figure::Panel panel{.x = share_axis("test accuracy")};
  std::vector<std::string> names;
  bool hollow = false;
  bool has_published = false;
  figure.chart.legend = {mean_item(), run_item()};
  std::vector<figure::Mark> marks;
  for (const FigureCell& cell : place.cells) {
    const SeedInterval& number = cell.cell->numbers.test_accuracy;
    const std::vector<PublishedValue> published = published_accuracies(study, cell.cell->cell);
    if (!has_values(number) && published.empty()) continue;
    const auto row = static_cast<double>(names.size());
    names.push_back(cell.label);
    marks.emplace_back(seeds_across(number, cell.cell->runs, row + 0.24, cell.style));
    figure::Points paper{.marker = figure::Marker::diamond_dot, .size = 5.0};
    for (const PublishedValue& value : published) paper.points.push_back({.x = value.value, .y = row - 0.12});
    has_published = has_published || !published.empty();
    marks.emplace_back(mean_across(number, row - 0.12, cell.style));
    marks.emplace_back(std::move(paper));
    for (const SeedOutcome& run : cell.cell->runs) hollow = hollow || !run.converged;
    add_accuracy_rows(figure, cell, published);
  }
  if (hollow) figure.chart.legend.push_back(hollow_item());
  if (has_published) {
    figure.chart.legend.push_back({.label = "the paper's value", .marker = figure::Marker::diamond_dot, .size = 5.0});
  }
  const std::vector<FloorLine> floors = floor_lines(place);
  add_floors(figure.chart, panel, floors, figure::Rule::Along::x);
  for (const FloorLine& floor : floors) {
    figure.rows.push_back({"", "", "", place.task, place.protocol, floor.name, {}, {}, floor.value, {}, {}, {}});
  }
  for (figure::Mark& mark : marks) panel.marks.push_back(std::move(mark));
  panel.y = name_axis(std::move(names));
  figure.chart.panels.push_back(std::move(panel));
  return figure;
}

std::vector<ReportFigure> accuracy_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const FigurePlace& place : study.places) {
    const bool any = std::any_of(place.cells.begin(), place.cells.end(),
                                 [](const FigureCell& cell) { return has_values(cell.cell->numbers.test_accuracy); });
    if (any) figures.push_back(accuracy_figure(study, place));
  }
  return figures;
}

}  // namespace

FigureBuilder accuracy_builder() {
  return {.id = kAccuracyId,
          .title = "Test accuracy by encoding",
          .columns =
              cell_columns({{"mark",
                             "`mean`, `run`, `published` (the paper's value) or the name of a line that goes for all "
                             "encodings: `chance`, `best from length alone`, `simple rule`, `ceiling`"},
                            {"seed", "of a run"},
                            {"converged", "`yes` or `no`, of a run"},
                            {"value", "test accuracy, 0 to 1"},
                            {"low", "of a mean's 95 % interval over seeds; empty for fewer than two values"},
                            {"high", "likewise"},
                            {"source", "id of the run, or where a value was published"}}),
          .build = accuracy_figures,
          .lacking = "no run has finished"};
}

}  // namespace phasor
