// Attention logits of trained models, taken apart: how large they are, where they turn, and what in them is position.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "phasor/report/figures/figure_parts.h"

namespace phasor {
namespace {

using HasCurves = bool (*)(const ShownHead&);

struct SpectralPlace {
  const FigurePlace* place = nullptr;
  std::vector<const FigureCell*> cells;
};

bool any_head(const ShownHead&) { return true; }
bool has_singular(const ShownHead& head) { return !head.singular.empty(); }
bool has_eigenvalues(const ShownHead& head) { return head.eigenvalues && !head.eigenvalues->empty(); }
bool has_kernel(const ShownHead& head) { return !head.kernel_value.empty(); }

std::vector<SpectralPlace> spectral_places(const FigureStudy& study, HasCurves has) {
  std::vector<SpectralPlace> places;
  for (const FigurePlace& place : study.places) {
    SpectralPlace it{.place = &place};
    for (const FigureCell& cell : place.cells) {
      const std::optional<ShownRun>& run = cell.more->head_curves;
      if (run && std::any_of(run->heads.begin(), run->heads.end(), has)) it.cells.push_back(&cell);
    }
    if (!it.cells.empty()) places.push_back(std::move(it));
  }
  return places;
}

int64_t layers_of(const std::vector<const FigureCell*>& cells) {
  int64_t layers = 1;
  for (const FigureCell* cell : cells) {
    for (const ShownHead& head : cell->more->head_curves->heads) layers = std::max(layers, head.layer + 1);
  }
  return layers;
}

// "seed 0, a sequence of 26 tokens", where all cells have these.
std::string source_of(const std::vector<const FigureCell*>& cells, bool tokens) {
  const ShownRun& first = *cells.front()->more->head_curves;
  const bool same = std::all_of(cells.begin(), cells.end(), [&](const FigureCell* cell) {
    const ShownRun& run = *cell->more->head_curves;
    return run.seed == first.seed && (!tokens || run.tokens == first.tokens);
  });
  if (!same) return "one run of every encoding";
  return tokens ? fmt::format("seed {}, a sequence of {} tokens", first.seed, first.tokens)
                : fmt::format("seed {}", first.seed);
}

ReportFigure spectral_figure(std::string_view id, std::string_view title, const SpectralPlace& place,
                             std::string caption, double height) {
  return {.name = figure_name(id, *place.place),
          .chart = small_multiples(figure_title(title, *place.place), std::move(caption), height)};
}

constexpr std::string_view kLackCurves = "no run has head_curves.json (spectra were not measured)";
constexpr double kSmallestShare = 1e-6;  // of the largest singular value: below is rounding

std::vector<ReportFigure> singular_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const SpectralPlace& place : spectral_places(study, has_singular)) {
    ReportFigure figure = spectral_figure(
        "singular-values", "Singular values of the logits", place,
        fmt::format("A line is one head ({}); thin and dotted, the same queries and keys with all angles at zero.",
                    source_of(place.cells, true)),
        76.0);
    bool any_plain = false;
    for (const FigureCell* cell : place.cells) {
      const ShownRun& run = *cell->more->head_curves;
      figure::Panel panel{.title = cell->label,
                          .x = {.title = "rank", .with = 1.0, .whole = true},
                          .y = {.title = "singular value", .scale = figure::Scale::logarithmic}};
      const auto add = [&](const ShownHead& head, const std::vector<double>& values, bool plain) {
        const double least = head.singular.empty() ? 0.0 : kSmallestShare * head.singular.front();
        figure::Line line{.colour = layer_colour(head.layer),
                          .dash = plain ? figure::Dash::dotted : figure::Dash::solid,
                          .width = plain ? 0.5 : 0.7,
                          .opacity = plain ? 0.75 : 0.85};
        for (size_t i = 0; i < values.size(); ++i) {
          line.x.push_back(static_cast<double>(i + 1));
          line.y.push_back(values[i] > least ? values[i] : kNaN);
          figure.rows.push_back(cell_row(*cell, {run.seed, head.layer, head.head, static_cast<int64_t>(i + 1),
                                                 plain ? "zero" : "as trained", values[i]}));
        }
        panel.marks.emplace_back(std::move(line));
      };
      for (const ShownHead& head : run.heads) {
        if (head.plain) add(head, *head.plain, true);
        any_plain = any_plain || head.plain.has_value();
      }
      for (const ShownHead& head : run.heads) add(head, head.singular, false);
      figure.chart.panels.push_back(std::move(panel));
    }
    for (int64_t layer = 0; layer < layers_of(place.cells); ++layer) {
      figure.chart.legend.push_back(
          line_item("layer " + std::to_string(layer), layer_colour(layer), figure::Dash::solid));
    }
    if (any_plain) figure.chart.legend.push_back(line_item("angles at zero", figure::kInk, figure::Dash::dotted));
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::vector<ReportFigure> eigenvalue_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const SpectralPlace& place : spectral_places(study, has_eigenvalues)) {
    ReportFigure figure =
        spectral_figure("eigenvalues", "Eigenvalues in the complex plane", place,
                        fmt::format("Eigenvalues of the logits of all heads ({}); each panel has scales of its own.",
                                    source_of(place.cells, true)),
                        84.0);
    for (const FigureCell* cell : place.cells) {
      const ShownRun& run = *cell->more->head_curves;
      figure::Panel panel{.title = cell->label,
                          .x = {.title = "real", .balanced = true},
                          .y = {.title = "imaginary", .balanced = true}};
      for (const auto along : {figure::Rule::Along::x, figure::Rule::Along::y}) {
        panel.marks.emplace_back(figure::Rule{.along = along, .at = 0.0, .colour = figure::kFaint, .width = 0.4});
      }
      std::vector<figure::Points> layers;
      for (const ShownHead& head : run.heads) {
        while (std::ssize(layers) <= head.layer) {
          const int64_t layer = std::ssize(layers);
          layers.push_back(
              {.colour = layer_colour(layer), .marker = layer_marker(layer), .size = 1.9, .opacity = 0.75});
        }
        if (!head.eigenvalues) continue;
        for (const std::complex<double>& value : *head.eigenvalues) {
          layers[static_cast<size_t>(head.layer)].points.push_back({.x = value.real(), .y = value.imag()});
          figure.rows.push_back(cell_row(*cell, {run.seed, head.layer, head.head, value.real(), value.imag()}));
        }
      }
      for (figure::Points& points : layers) panel.marks.emplace_back(std::move(points));
      figure.chart.panels.push_back(std::move(panel));
    }
    figure.chart.legend = layer_items(layers_of(place.cells), true);
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::vector<ReportFigure> kernel_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const SpectralPlace& place : spectral_places(study, has_kernel)) {
    ReportFigure figure = spectral_figure(
        "toeplitz-kernels", "Toeplitz kernels", place,
        fmt::format(
            "Mean of the logits over all queries and keys a distance apart, each query's own level taken out ({}); "
            "one line per head.",
            source_of(place.cells, true)),
        70.0);
    for (const FigureCell* cell : place.cells) {
      const ShownRun& run = *cell->more->head_curves;
      figure::Panel panel{
          .title = cell->label, .x = {.title = "key minus query", .whole = true}, .y = {.title = "logit"}};
      panel.marks.emplace_back(
          figure::Rule{.along = figure::Rule::Along::x, .at = 0.0, .colour = figure::kFaint, .width = 0.4});
      for (const ShownHead& head : run.heads) {
        figure::Line line{.y = head.kernel_value, .colour = layer_colour(head.layer), .width = 0.7, .opacity = 0.8};
        for (size_t i = 0; i < head.kernel_value.size(); ++i) {
          line.x.push_back(static_cast<double>(head.kernel_distance[i]));
          figure.rows.push_back(
              cell_row(*cell, {run.seed, head.layer, head.head, head.kernel_distance[i], head.kernel_value[i]}));
        }
        panel.marks.emplace_back(std::move(line));
      }
      figure.chart.panels.push_back(std::move(panel));
    }
    for (int64_t layer = 0; layer < layers_of(place.cells); ++layer) {
      figure.chart.legend.push_back(
          line_item("layer " + std::to_string(layer), layer_colour(layer), figure::Dash::solid));
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

struct LogitPart {
  const char* name;
  double PartShares::*share;
  figure::Colour colour;
  figure::Hatch hatch;
};
constexpr std::array<LogitPart, 5> kLogitParts = {
    {{"content \u00d7 content", &PartShares::content_content, {0x1f6fa3}, figure::Hatch::none},
     {"content \u00d7 position", &PartShares::content_position, {0x7fb2d3}, figure::Hatch::rising},
     {"position \u00d7 content", &PartShares::position_content, {0xe0ac63}, figure::Hatch::falling},
     {"position \u00d7 position", &PartShares::position_position, {0xb8461b}, figure::Hatch::crossed},
     {"bias", &PartShares::bias, {0x6a6f7a}, figure::Hatch::dotted}}};
constexpr LogitPart kRowsPart = {"distance rows", &PartShares::rows, {0xa99fbf}, figure::Hatch::none};

// Distance rows are a part where some cell has them.
std::vector<LogitPart> parts_of(const SpectralPlace& place) {
  std::vector<LogitPart> parts(kLogitParts.begin(), kLogitParts.end());
  const bool rows = std::any_of(place.cells.begin(), place.cells.end(), [](const FigureCell* cell) {
    const std::vector<ShownLayer>& layers = cell->more->head_curves->layers;
    return std::any_of(layers.begin(), layers.end(), [](const ShownLayer& layer) { return layer.shares.has_rows(); });
  });
  if (rows) parts.push_back(kRowsPart);
  return parts;
}

std::vector<ReportFigure> share_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const SpectralPlace& place : spectral_places(study, any_head)) {
    const std::vector<LogitPart> parts = parts_of(place);
    ReportFigure figure = spectral_figure(
        "logit-shares", "Parts of the logits", place,
        fmt::format(
            "Shares of the variance of row-centred logits, means over the heads of a layer ({}). The first word is "
            "the query's part, the second the key's.",
            source_of(place.cells, false)),
        0.0);
    for (const FigureCell* cell : place.cells) {
      const ShownRun& run = *cell->more->head_curves;
      figure::Axis axis = share_axis("share");
      axis.low = 0.0;
      axis.high = 1.0;
      axis.ticks = {0, 0.5, 1};
      figure::Panel panel{.title = cell->label, .x = std::move(axis)};
      std::vector<std::string> names;
      for (const ShownLayer& layer : run.layers) {
        double from = 0.0;
        for (const LogitPart& part : parts) {
          const double share = layer.shares.*part.share;
          figure.rows.push_back(cell_row(*cell, {run.seed, layer.layer, part.name, share}));
          if (!(share > 0)) continue;
          panel.marks.emplace_back(figure::Bar{.y = static_cast<double>(names.size()),
                                               .from = from,
                                               .to = from + share,
                                               .colour = part.colour,
                                               .hatch = part.hatch});
          from += share;
        }
        names.push_back(fmt::format("layer {}", layer.layer));
      }
      panel.y = name_axis(std::move(names));
      figure.chart.panels.push_back(std::move(panel));
    }
    for (const LogitPart& part : parts) {
      figure.chart.legend.push_back({.label = part.name, .colour = part.colour, .box = true, .hatch = part.hatch});
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

// Contraction by rotation.

constexpr double kExact = 1e-9;

struct ContractionRow {
  const FigureCell* cell;
  const char* when;
  const SeedInterval* number;
  const std::vector<std::vector<double>>* heads;  // [runs][heads of all layers]
};

bool turns(const ContractionRow& row) {
  const auto differs = [](double value) { return std::isfinite(value) && std::abs(value - 1.0) > kExact; };
  for (const auto& run : *row.heads) {
    if (std::any_of(run.begin(), run.end(), differs)) return true;
  }
  return std::any_of(row.number->values.begin(), row.number->values.end(), differs);
}

std::vector<ContractionRow> contraction_rows(const FigurePlace& place) {
  std::vector<ContractionRow> rows;
  for (const FigureCell& cell : place.cells) {
    if (!cell.cell->spectrum) continue;
    const SpectrumSummary& spectrum = *cell.cell->spectrum;
    const ContractionRow before{&cell, "before", &spectrum.contraction_start, &spectrum.head_contractions_start};
    const ContractionRow after{&cell, "after", &spectrum.contraction_end, &spectrum.head_contractions_end};
    if (turns(before) || turns(after)) rows.insert(rows.end(), {before, after});
  }
  return rows;
}

std::vector<ReportFigure> contraction_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const FigurePlace& place : study.places) {
    const std::vector<ContractionRow> rows = contraction_rows(place);
    if (rows.empty()) continue;
    ReportFigure figure{.name = figure_name("contraction", place)};
    figure.chart.title = figure_title("Contraction by rotation, before and after training", place);
    figure.chart.caption =
        "Largest singular value of a head's logits, divided by the same with all angles at zero: below 1 is "
        "contraction. Small points are heads of all seeds, hollow where the run did not converge, large ones means of "
        "all finished runs with 95 % intervals. Encodings that turn nothing have 1 by definition, and are left out.";
    figure::Panel panel{.x = {.title = "contraction"}};
    panel.marks.emplace_back(figure::Rule{.along = figure::Rule::Along::x, .at = 1.0});
    std::vector<std::string> names;
    bool hollow = false;
    for (const ContractionRow& row : rows) {
      const auto at = static_cast<double>(names.size());
      names.push_back(fmt::format("{}, {}", row.cell->label, row.when));
      const std::string when = std::string(row.when) + " training";
      figure::Points heads{
          .colour = row.cell->style.colour, .marker = row.cell->style.marker, .size = 2.2, .opacity = 0.5};
      for (size_t run = 0; run < row.heads->size(); ++run) {
        const bool converged = converged_at(row.cell->cell->runs, run);
        for (size_t head = 0; head < (*row.heads)[run].size(); ++head) {
          const double value = (*row.heads)[run][head];
          if (!std::isfinite(value)) continue;
          hollow = hollow || !converged;
          heads.points.push_back(
              {.x = value, .y = at + 0.2 + spread_at(heads.points.size() * 7 % 11, 11, 0.13), .hollow = !converged});
          const bool known = run < row.cell->cell->runs.size();
          figure.rows.push_back(cell_row(*row.cell, {when,
                                                     "head",
                                                     known ? Datum(row.cell->cell->runs[run].seed) : Datum(),
                                                     converged ? "yes" : "no",
                                                     static_cast<int64_t>(head),
                                                     value,
                                                     {},
                                                     {}}));
        }
      }
      figure.rows.push_back(
          cell_row(*row.cell, {when, "mean", {}, {}, {}, row.number->mean, row.number->low, row.number->high}));
      panel.marks.emplace_back(std::move(heads));
      panel.marks.emplace_back(mean_across(*row.number, at - 0.14, row.cell->style));
    }
    figure.chart.legend = {mean_item(), run_item("a head of a run"),
                           line_item("no contraction", figure::kSoft, figure::Dash::solid)};
    if (hollow) figure.chart.legend.push_back(hollow_item());
    panel.y = name_axis(std::move(names));
    figure.chart.panels.push_back(std::move(panel));
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

FigureBuilder singular_values_builder() {
  return {
      .id = "singular-values",
      .title = "Singular values of the logits",
      .columns = cell_columns({{"seed", "of the run"},
                               {"layer", "from 0"},
                               {"head", "from 0"},
                               {"rank", "from 1"},
                               {"angles", "`as trained`, or `zero`: the same queries and keys with all angles at zero"},
                               {"singular_value", "of the logits"}}),
      .build = singular_figures,
      .lacking = kLackCurves};
}

FigureBuilder eigenvalues_builder() {
  return {.id = "eigenvalues",
          .title = "Eigenvalues in the complex plane",
          .columns = cell_columns({{"seed", "of the run"},
                                   {"layer", "from 0"},
                                   {"head", "from 0"},
                                   {"real", "part of an eigenvalue of the logits"},
                                   {"imaginary", "likewise"}}),
          .build = eigenvalue_figures,
          .lacking = "no run has eigenvalues in head_curves.json (causal logits have none to show)"};
}

FigureBuilder kernels_builder() {
  return {.id = "toeplitz-kernels",
          .title = "Toeplitz kernels",
          .columns = cell_columns({{"seed", "of the run"},
                                   {"layer", "from 0"},
                                   {"head", "from 0"},
                                   {"distance", "key minus query"},
                                   {"logit", "mean over all queries and keys so far apart"}}),
          .build = kernel_figures,
          .lacking = kLackCurves};
}

FigureBuilder logit_shares_builder() {
  return {.id = "logit-shares",
          .title = "Parts of the logits",
          .columns = cell_columns({{"seed", "of the run"},
                                   {"layer", "from 0"},
                                   {"part", "`content × content`, ..., `bias`: of the query and of the key"},
                                   {"share", "of the logits' variance, mean over the heads of the layer"}}),
          .build = share_figures,
          .lacking = kLackCurves};
}

FigureBuilder contraction_builder() {
  return {.id = "contraction",
          .title = "Contraction by rotation, before and after training",
          .columns = cell_columns({{"when", "`before training` or `after training`"},
                                   {"mark", "`head` or `mean`"},
                                   {"seed", "of a head's run"},
                                   {"converged", "`yes` or `no`, likewise"},
                                   {"head", "of all heads of all layers, from 0"},
                                   {"value", "1 is no contraction"},
                                   {"low", "of a mean's 95 % interval over seeds; empty where there is none"},
                                   {"high", "likewise"}}),
          .build = contraction_figures,
          .lacking = "no run has spectra, or no encoding turns anything"};
}

}  // namespace phasor
