// Lines over training steps, over lengths and over snapshots: one per encoding, with a band.
#include <algorithm>
#include <cmath>
#include <functional>

#include "phasor/report/figures/figure_parts.h"

namespace phasor {
namespace {

struct SeriesPoint {
  double at = 0.0;
  double mean = kNaN;
  std::optional<double> low, high;
};
using SeriesOf = std::function<std::vector<SeriesPoint>(const FigureCell&)>;

struct SeriesSpec {
  std::string_view id;
  std::string title;  // of the figure
  std::string more;   // in its name and title: which of several
  std::string caption;
  figure::Axis x, y;
  bool every_marker = false;
};

bool has_series(const std::vector<SeriesPoint>& points) {
  return std::any_of(points.begin(), points.end(), [](const SeriesPoint& it) { return std::isfinite(it.mean); });
}

// A logarithm has no place for 0 and less.
void keep_positive(SeriesPoint& point) {
  if (!(point.mean > 0)) point.mean = kNaN;
  if (point.low && !(*point.low > 0)) point.low = point.mean / 10.0;
}

std::vector<ReportFigure> series_figures(const FigureStudy& study, const SeriesSpec& spec, const SeriesOf& series) {
  std::vector<ReportFigure> figures;
  for (const FigurePlace& place : study.places) {
    ReportFigure figure{.name = figure_name(spec.id, place, spec.more)};
    figure.chart.title = figure_title(spec.title, place, spec.more);
    figure.chart.caption = spec.caption;
    figure::Panel panel{.x = spec.x, .y = spec.y};
    for (const FigureCell& cell : place.cells) {
      const std::vector<SeriesPoint> points = series(cell);
      if (!has_series(points)) continue;
      CurveMarks curve;
      for (SeriesPoint point : points) {
        figure.rows.push_back(cell_row(cell, {spec.more, point.at, point.mean, point.low, point.high}));
        if (spec.y.scale == figure::Scale::logarithmic) keep_positive(point);
        curve.x.push_back(point.at);
        curve.mean.push_back(point.mean);
        curve.low.push_back(point.low);
        curve.high.push_back(point.high);
      }
      add_curve(panel, curve, cell.style, spec.every_marker);
      figure.chart.legend.push_back(cell_item(cell));
    }
    if (figure.rows.empty()) continue;
    figure.chart.panels.push_back(std::move(panel));
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::vector<SeriesPoint> of_intervals(const std::vector<int64_t>& steps, const std::vector<SeedInterval>& numbers) {
  std::vector<SeriesPoint> points;
  for (size_t i = 0; i < std::min(steps.size(), numbers.size()); ++i) {
    points.push_back({static_cast<double>(steps[i]), numbers[i].mean, numbers[i].low, numbers[i].high});
  }
  return points;
}

std::vector<SeriesPoint> of_columns(const FigureCell& cell, CurveColumns TelemetryCurves::*member) {
  std::vector<SeriesPoint> points;
  if (!cell.more->telemetry) return points;
  const CurveColumns& curve = *cell.more->telemetry.*member;
  for (size_t i = 0; i < curve.mean.size(); ++i) {
    points.push_back({static_cast<double>(cell.more->telemetry->steps[i]), curve.mean[i], curve.low[i], curve.high[i]});
  }
  return points;
}

std::vector<SeriesPoint> rates_of(const FigureCell& cell) {
  std::vector<SeriesPoint> points;
  if (!cell.more->telemetry) return points;
  const TelemetryCurves& curves = *cell.more->telemetry;
  for (size_t i = 0; i < curves.steps.size(); ++i) {
    points.push_back({.at = static_cast<double>(curves.steps[i]), .mean = curves.learning_rate[i]});
  }
  return points;
}

const figure::Axis kSteps{.title = "step", .with = 0.0};
constexpr const char* kBands = "Lines are means of all finished runs, bands their 95 % intervals over seeds.";

void append_figures(std::vector<ReportFigure>& to, std::vector<ReportFigure> more) {
  for (ReportFigure& figure : more) to.push_back(std::move(figure));
}

std::vector<ReportFigure> learning_figures(const FigureStudy& study) {
  constexpr std::string_view kId = "learning-curves";
  const auto spec = [&](const char* what, figure::Axis y) {
    return SeriesSpec{.id = kId,
                      .title = "Learning curves",
                      .more = what,
                      .caption = std::string(what) + " over training. " + kBands,
                      .x = kSteps,
                      .y = std::move(y)};
  };
  std::vector<ReportFigure> figures = series_figures(
      study, spec("test accuracy", share_axis("test accuracy")),
      [](const FigureCell& cell) { return of_intervals(cell.cell->curves.steps, cell.cell->curves.test_accuracy); });
  append_figures(
      figures,
      series_figures(study, spec("train accuracy", share_axis("training accuracy")), [](const FigureCell& cell) {
        return of_intervals(cell.cell->curves.steps, cell.cell->curves.train_accuracy);
      }));
  append_figures(figures,
                 series_figures(study, spec("test loss", {.title = "test loss", .with = 0.0}),
                                [](const FigureCell& cell) { return of_columns(cell, &TelemetryCurves::test_loss); }));
  return figures;
}

std::vector<ReportFigure> telemetry_figures(const FigureStudy& study) {
  constexpr std::string_view kId = "telemetry-curves";
  const auto spec = [&](const char* what, figure::Axis y, std::string caption) {
    return SeriesSpec{.id = kId,
                      .title = "Telemetry over training",
                      .more = what,
                      .caption = std::string(what) + " over training. " + std::move(caption),
                      .x = kSteps,
                      .y = std::move(y)};
  };
  const std::string bands = std::string(kBands) + " Logarithmic.";
  std::vector<ReportFigure> figures = series_figures(
      study, spec("gradient norm", {.title = "gradient norm", .scale = figure::Scale::logarithmic}, bands),
      [](const FigureCell& cell) { return of_columns(cell, &TelemetryCurves::gradient_norm); });
  append_figures(
      figures,
      series_figures(study, spec("test loss", {.title = "test loss", .scale = figure::Scale::logarithmic}, bands),
                     [](const FigureCell& cell) { return of_columns(cell, &TelemetryCurves::test_loss); }));
  append_figures(figures, series_figures(study,
                                         spec("learning rate", {.title = "learning rate", .with = 0.0},
                                              "The first run of every encoding."),
                                         rates_of));
  return figures;
}

// The third column: of what the second one counts.
std::vector<FigureColumn> series_columns(std::string_view at, std::string_view what) {
  return cell_columns({{"quantity", what},
                       {at, "where the point lies"},
                       {"mean", "over all finished runs"},
                       {"low", "of its 95 % interval over seeds; empty where there is none"},
                       {"high", "likewise"}});
}

std::vector<ReportFigure> length_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const FigurePlace& place : study.places) {
    ReportFigure figure{.name = figure_name("length-generalisation", place)};
    figure.chart.title = figure_title("Accuracy on longer sequences", place);
    figure.chart.caption = std::string("Accuracy by the length of sequences. ") + kBands;
    figure::Panel panel{.x = {.title = "times the longest training length"}, .y = share_axis("accuracy")};
    for (const FigureCell& cell : place.cells) {
      CurveMarks curve;
      for (const LengthSummary& length : cell.cell->lengths) {
        const SeedInterval& number = length.accuracy;
        if (!has_values(number)) continue;
        curve.x.push_back(length.factor);
        curve.mean.push_back(number.mean);
        curve.low.push_back(number.low);
        curve.high.push_back(number.high);
        if (std::find(panel.x.ticks.begin(), panel.x.ticks.end(), length.factor) == panel.x.ticks.end()) {
          panel.x.ticks.push_back(length.factor);
        }
        figure.rows.push_back(
            cell_row(cell, {length.factor, length.longest, number.mean, number.low, number.high, number.count}));
      }
      if (curve.x.empty()) continue;
      add_curve(panel, curve, cell.style, true);
      figure.chart.legend.push_back(cell_item(cell));
    }
    if (figure.rows.empty()) continue;
    std::sort(panel.x.ticks.begin(), panel.x.ticks.end());
    figure.chart.panels.push_back(std::move(panel));
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::vector<ReportFigure> snapshot_figures(const FigureStudy& study, Question question) {
  std::vector<ReportFigure> figures;
  for (const FigurePlace& place : study.places) {
    ReportFigure figure{.name = figure_name("snapshots", place, name(question))};
    figure.chart.title = figure_title("Largest head's share over training", place, name(question));
    figure.chart.caption = std::string(
                               "Share of the top head in the drops of the layer that is the finished model's key "
                               "layer, at snapshots of training. ") +
                           kBands;
    figure::Panel panel{.x = kSteps, .y = share_axis("largest share")};
    for (const FigureCell& cell : place.cells) {
      CurveMarks curve;
      for (const SnapshotSummary& snapshot : cell.cell->snapshots) {
        const SnapshotShares& shares = snapshot.shares(question);
        if (!has_values(shares.max_share)) continue;
        curve.x.push_back(static_cast<double>(snapshot.step));
        curve.mean.push_back(shares.max_share.mean);
        curve.low.push_back(shares.max_share.low);
        curve.high.push_back(shares.max_share.high);
        figure.rows.push_back(
            cell_row(cell, {name(question), snapshot.step, shares.max_share.mean, shares.max_share.low,
                            shares.max_share.high, shares.leading, snapshot.accuracy.mean}));
      }
      if (curve.x.empty()) continue;
      add_curve(panel, curve, cell.style, true);
      figure.chart.legend.push_back(cell_item(cell));
    }
    if (figure.rows.empty()) continue;
    figure.chart.panels.push_back(std::move(panel));
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

FigureBuilder learning_curves_builder() {
  return {.id = "learning-curves",
          .title = "Learning curves",
          .columns = series_columns("step", "`test accuracy`, `train accuracy` or `test loss`, a file for each"),
          .build = learning_figures,
          .lacking = "no run has finished"};
}

FigureBuilder telemetry_builder() {
  return {.id = "telemetry-curves",
          .title = "Telemetry over training",
          .columns = series_columns(
              "step", "`gradient norm`, `test loss` or `learning rate` (of the first run), a file for each"),
          .build = telemetry_figures,
          .lacking = "no run has finished"};
}

FigureBuilder lengths_builder() {
  return {.id = "length-generalisation",
          .title = "Accuracy on longer sequences",
          .columns = cell_columns({{"factor", "times the longest sequence of training"},
                                   {"longest", "tokens"},
                                   {"mean", "accuracy, over all finished runs"},
                                   {"low", "of its 95 % interval over seeds; empty where there is none"},
                                   {"high", "likewise"},
                                   {"runs", "that the mean is of"}}),
          .build = length_figures,
          .lacking = "no run was evaluated on longer sequences"};
}

FigureBuilder snapshots_builder() {
  return {.id = "snapshots",
          .title = "Largest head's share over training",
          .columns = cell_columns({{"question", "`position` or `importance`, a file for each"},
                                   {"step", "of the snapshot"},
                                   {"largest_share", "mean over seeds"},
                                   {"low", "of its 95 % interval; empty where there is none"},
                                   {"high", "likewise"},
                                   {"leading", "seeds whose top head is that of the finished model"},
                                   {"accuracy", "mean over seeds"}}),
          .build =
              [](const FigureStudy& study) {
                std::vector<ReportFigure> figures = snapshot_figures(study, Question::position);
                append_figures(figures, snapshot_figures(study, Question::importance));
                return figures;
              },
          .lacking = "heads were not ablated at snapshots of training, or no layer has shares there"};
}

}  // namespace phasor
