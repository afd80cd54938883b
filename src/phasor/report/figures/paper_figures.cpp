// Figures beside which the paper's own numbers may stand: heads switched off its way, rotary heads, and removal of
// positions.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "phasor/report/figures/figure_parts.h"
#include "phasor/report/figures/published_values.h"

namespace phasor {
namespace {

// The number behind `start`, or 0.
int64_t number_behind(std::string_view text, std::string_view start) {
  int64_t number = 0;
  if (text.starts_with(start)) std::from_chars(text.data() + start.size(), text.data() + text.size(), number);
  return number;
}

figure::LegendItem paper_item() {
  return {.label = "the paper's value", .marker = figure::Marker::diamond, .hollow = true, .size = 4.4};
}

// Heads switched off as the released code does it.

struct PaperTurn {
  int64_t layer = 0;
  double accuracy = 0.0;
  std::string kind, source;
};

std::vector<PaperTurn> paper_turns(const FigureStudy& study, const CellName& cell, double& intact) {
  std::vector<PaperTurn> turns;
  const std::string subject = published_subject(cell);
  if (subject.empty()) return turns;
  for (const paper::PublishedEntry& entry : study.published) {
    if (entry.subject != subject || entry.task != cell.task || !entry.quantity.starts_with("accuracy_head_off"))
      continue;
    if (std::isnan(intact) && entry.baseline) intact = *entry.baseline;
    const int64_t layer = number_behind(entry.axis, "head of layer ");
    for (const paper::PublishedPoint& point : entry.points) {
      const std::string source = published_source(entry, point);
      const auto at = static_cast<int64_t>(point.at) - 1;
      if (layer > 0) {
        turns.push_back({layer - 1, point.value(), "one head off", source});
      } else if (entry.axis == "layer" && entry.quantity.ends_with("_mode")) {
        turns.push_back({at, point.value(), "where most heads of the layer lie", source});
      } else if (entry.axis == "layer") {
        turns.push_back({at, point.low, "end of the layer's range", source});
        if (point.is_range()) turns.push_back({at, point.high, "end of the layer's range", source});
      }
    }
  }
  return turns;
}

std::vector<ReportFigure> published_head_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const FigurePlace& place : study.places) {
    ReportFigure figure{.name = figure_name("published-heads", place)};
    figure.chart = small_multiples(
        figure_title("Heads switched off the released code's way", place),
        "Accuracy on training and test samples together, with one head off after another; the last head of every "
        "earlier layer is still off while a deeper layer is measured. A point is one head of one run, hollow where the "
        "run did not converge; the line is the mean of the intact models.",
        72.0);
    bool hollow = false;
    bool any_paper = false;
    bool any_paper_intact = false;
    for (const FigureCell& cell : place.cells) {
      if (cell.cell->published.empty()) continue;
      figure::Points points{.colour = cell.style.colour, .marker = cell.style.marker, .size = 2.4, .opacity = 0.65};
      figure::Points paper{.marker = figure::Marker::diamond, .size = 4.0};
      double intact = 0.0;
      int64_t layers = 1;
      for (const SeedPublished& seed : cell.cell->published) {
        const auto run = std::find_if(cell.cell->runs.begin(), cell.cell->runs.end(),
                                      [&](const SeedOutcome& outcome) { return outcome.id == seed.id; });
        const bool converged = run != cell.cell->runs.end() && run->converged;
        intact += seed.ablation.baseline / static_cast<double>(cell.cell->published.size());
        layers = std::max<int64_t>(layers, std::ssize(seed.ablation.accuracy));
        for (size_t layer = 0; layer < seed.ablation.accuracy.size(); ++layer) {
          const std::vector<double>& heads = seed.ablation.accuracy[layer];
          for (size_t head = 0; head < heads.size(); ++head) {
            if (!std::isfinite(heads[head])) continue;
            hollow = hollow || !converged;
            points.points.push_back({.x = static_cast<double>(layer) + 0.06 + spread_at(head, heads.size(), 0.2),
                                     .y = heads[head],
                                     .hollow = !converged});
            figure.rows.push_back(
                cell_row(cell, {seed.ablation.latent ? "latents" : "head", seed.seed, converged ? "yes" : "no",
                                static_cast<int64_t>(layer), static_cast<int64_t>(head), heads[head],
                                seed.ablation.baseline, "measured"}));
          }
        }
      }
      double paper_intact = kNaN;
      for (const PaperTurn& turn : paper_turns(study, cell.cell->cell, paper_intact)) {
        paper.points.push_back({.x = static_cast<double>(turn.layer) - 0.3, .y = turn.accuracy, .hollow = true});
        layers = std::max(layers, turn.layer + 1);
        any_paper = true;
        figure.rows.push_back(
            cell_row(cell, {turn.kind, {}, {}, turn.layer, {}, turn.accuracy, paper_intact, turn.source}));
      }
      figure::Panel panel{
          .title = cell.label,
          .x = {.title = "layer", .low = -0.6, .high = static_cast<double>(layers) - 0.4, .whole = true},
          .y = share_axis("accuracy")};
      panel.marks.emplace_back(figure::Rule{.along = figure::Rule::Along::y, .at = intact});
      if (std::isfinite(paper_intact)) {
        any_paper_intact = true;
        panel.marks.emplace_back(
            figure::Rule{.along = figure::Rule::Along::y, .at = paper_intact, .dash = figure::Dash::dotted});
      }
      panel.marks.emplace_back(std::move(points));
      panel.marks.emplace_back(std::move(paper));
      figure.chart.panels.push_back(std::move(panel));
    }
    if (figure.rows.empty()) continue;
    figure.chart.legend = {run_item("a head off, of one run"),
                           line_item("intact, mean", figure::kSoft, figure::Dash::solid)};
    if (hollow) figure.chart.legend.push_back(hollow_item());
    if (any_paper) figure.chart.legend.push_back(paper_item());
    if (any_paper_intact) {
      figure.chart.legend.push_back(line_item("intact in the paper", figure::kSoft, figure::Dash::dotted));
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

// Rotary heads.

// How many of the first heads rotate; nothing where that is not what the encoding is about.
std::optional<int64_t> first_rotary_heads(std::string_view encoding) {
  if (encoding == "rope[heads=0]") return 1;
  const int64_t last = number_behind(encoding, "rope[heads=0-");
  if (last < 1 || encoding != fmt::format("rope[heads=0-{}]", last)) return std::nullopt;
  return last + 1;
}

struct RotaryStep {
  int64_t heads = 0;
  const FigureCell* cell = nullptr;
};

std::vector<RotaryStep> rotary_steps(const FigurePlace& place, int64_t heads) {
  std::vector<RotaryStep> steps;
  bool partly = false;
  for (const FigureCell& cell : place.cells) {
    const std::string& encoding = cell.cell->cell.encoding;
    std::optional<int64_t> count = first_rotary_heads(encoding);
    if (!has_values(cell.cell->numbers.test_accuracy)) continue;
    partly = partly || count.has_value();
    if (encoding == "nope") count = 0;
    if (encoding == "rope") count = heads;
    if (count) steps.push_back({*count, &cell});
  }
  if (!partly || steps.size() < 2) return {};
  std::sort(steps.begin(), steps.end(), [](const RotaryStep& a, const RotaryStep& b) { return a.heads < b.heads; });
  return steps;
}

std::vector<ReportFigure> rotary_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const FigurePlace& place : study.rotary) {
    int64_t heads = 0;
    for (const FigureCell& cell : place.cells) heads = std::max(heads, cell.cell->heads);
    const std::vector<RotaryStep> steps = rotary_steps(place, heads);
    if (steps.empty()) continue;
    ReportFigure figure{.name = figure_name("rotary-heads", place)};
    figure.chart.title = figure_title("Accuracy by rotary heads per layer", place);
    figure.chart.caption =
        "The first k heads of every layer rotate, the others have no encoding; 0 is nope, all is rope. Small marks are "
        "single runs, hollow where a run did not converge; large ones are means of all finished runs with 95 % "
        "intervals over seeds.";
    figure::Panel panel{.x = {.title = fmt::format("rotary heads of {} in every layer", heads),
                              .low = -0.5,
                              .high = static_cast<double>(heads) + 0.5,
                              .whole = true},
                        .y = share_axis("test accuracy")};
    figure.chart.legend = {mean_item(), run_item()};
    figure.chart.legend.front().interval = true;
    add_floors(figure.chart, panel, floor_lines(place), figure::Rule::Along::y);
    const figure::Colour colour = steps.back().cell->style.colour;
    figure::Line line{.colour = colour};
    figure::Points means{.colour = colour, .size = 4.6};
    figure::Points runs{.colour = colour, .size = 2.4, .opacity = 0.7};
    for (const RotaryStep& step : steps) {
      const SeedInterval& number = step.cell->cell->numbers.test_accuracy;
      const auto x = static_cast<double>(step.heads);
      line.x.push_back(x);
      line.y.push_back(number.mean);
      means.points.push_back(
          {.x = x, .y = number.mean, .y_low = number.low.value_or(kNaN), .y_high = number.high.value_or(kNaN)});
      for (size_t i = 0; i < number.values.size(); ++i) {
        runs.points.push_back({.x = x + 0.16 + spread_at(i, number.values.size(), 0.06),
                               .y = number.values[i],
                               .hollow = !converged_at(step.cell->cell->runs, i)});
        if (std::isfinite(number.values[i])) {
          figure.rows.push_back(cell_row(
              *step.cell, {"run", step.cell->cell->runs[i].seed, step.heads, heads, number.values[i], {}, {}, {}}));
        }
      }
      figure.rows.push_back(
          cell_row(*step.cell, {"mean", {}, step.heads, heads, number.mean, number.low, number.high, {}}));
    }
    panel.marks.emplace_back(std::move(line));
    panel.marks.emplace_back(std::move(runs));
    panel.marks.emplace_back(std::move(means));
    figure::Points paper{.marker = figure::Marker::diamond, .size = 4.4};
    for (const paper::PublishedEntry& entry : study.published) {
      const int64_t of = number_behind(entry.axis, "rotary heads of ");
      if (entry.task != place.task || of <= 0) continue;
      for (const paper::PublishedPoint& point : entry.points) {
        paper.points.push_back(
            {.x = point.at * static_cast<double>(heads) / static_cast<double>(of), .y = point.value(), .hollow = true});
        figure.rows.push_back({"",
                               "",
                               "",
                               place.task,
                               place.protocol,
                               "published",
                               {},
                               point.at,
                               of,
                               point.value(),
                               {},
                               {},
                               published_source(entry, point)});
      }
    }
    if (!paper.points.empty()) {
      figure.chart.legend.push_back(paper_item());
      panel.marks.emplace_back(std::move(paper));
    }
    figure.chart.panels.push_back(std::move(panel));
    figures.push_back(std::move(figure));
  }
  return figures;
}

// Removal of positions.

struct RemovalLine {
  const char* name;
  SeedInterval RemovalSummary::*number;
  figure::Dash dash;
  figure::Marker marker;
};
constexpr RemovalLine kRemovalLines[] = {
    {"without position", &RemovalSummary::without_position, figure::Dash::solid, figure::Marker::circle},
    {"random vectors instead", &RemovalSummary::random, figure::Dash::dotted, figure::Marker::triangle_up},
    {"without the input term", &RemovalSummary::without_input_term, figure::Dash::dashed, figure::Marker::square}};

figure::Colour removal_colour(size_t line, const FigureCell& cell) {
  return line == 0 ? cell.style.colour : line == 1 ? figure::kSoft : figure::kFaint;
}

std::vector<ReportFigure> removal_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const FigurePlace& place : study.places) {
    ReportFigure figure{.name = figure_name("position-removal", place)};
    figure.chart = small_multiples(
        figure_title("Positions removed from the activations", place),
        "The part of the activations that position alone predicts is subtracted where they enter a layer. Costing more "
        "than random vectors means that it is read. Means of all finished runs with 95 % intervals over seeds; the "
        "line "
        "is the intact model.",
        72.0);
    std::vector<bool> seen(std::size(kRemovalLines), false);
    bool any_paper = false;
    for (const FigureCell& cell : place.cells) {
      const std::vector<RemovalSummary>& removal = cell.cell->removal;
      const bool any = std::any_of(removal.begin(), removal.end(),
                                   [](const RemovalSummary& layer) { return has_values(layer.without_position); });
      if (!any) continue;
      figure::Panel panel{
          .title = cell.label,
          .x = {.title = "layer", .low = -0.5, .high = static_cast<double>(removal.size()) - 0.5, .whole = true},
          .y = share_axis("accuracy")};
      const double intact = cell.cell->numbers.test_accuracy.mean;
      panel.marks.emplace_back(figure::Rule{.along = figure::Rule::Along::y, .at = intact});
      for (size_t l = 0; l < std::size(kRemovalLines); ++l) {
        const RemovalLine& kind = kRemovalLines[l];
        figure::Line line{.colour = removal_colour(l, cell), .dash = kind.dash};
        figure::Points points{.colour = line.colour, .marker = kind.marker, .size = 3.4};
        for (const RemovalSummary& layer : removal) {
          const SeedInterval& number = layer.*kind.number;
          if (!has_values(number)) continue;
          seen[l] = true;
          const double x = static_cast<double>(layer.layer) + 0.11 * (static_cast<double>(l) - 1.0);
          line.x.push_back(x);
          line.y.push_back(number.mean);
          points.points.push_back(
              {.x = x, .y = number.mean, .y_low = number.low.value_or(kNaN), .y_high = number.high.value_or(kNaN)});
          figure.rows.push_back(
              cell_row(cell, {layer.layer, kind.name, number.mean, number.low, number.high, intact, "measured"}));
        }
        panel.marks.emplace_back(std::move(line));
        panel.marks.emplace_back(std::move(points));
      }
      figure::Points paper{.marker = figure::Marker::diamond, .size = 4.0};
      for (const paper::PublishedEntry& entry : study.published) {
        const std::string subject = published_subject(cell.cell->cell);
        if (subject.empty() || entry.subject != subject || entry.task != place.task || entry.axis != "layer" ||
            !entry.quantity.starts_with("accuracy_without_")) {
          continue;
        }
        for (const paper::PublishedPoint& point : entry.points) {
          any_paper = true;
          paper.points.push_back({.x = point.at - 1 - 0.28, .y = point.value(), .hollow = true});
          figure.rows.push_back(cell_row(cell, {static_cast<int64_t>(point.at) - 1,
                                                entry.quantity,
                                                point.value(),
                                                {},
                                                {},
                                                {},
                                                published_source(entry, point)}));
        }
      }
      panel.marks.emplace_back(std::move(paper));
      figure.chart.panels.push_back(std::move(panel));
    }
    if (figure.rows.empty()) continue;
    for (size_t l = 0; l < std::size(kRemovalLines); ++l) {
      if (!seen[l]) continue;
      figure.chart.legend.push_back({.label = kRemovalLines[l].name,
                                     .colour = l == 0   ? figure::kInk
                                               : l == 1 ? figure::kSoft
                                                        : figure::kFaint,
                                     .marker = kRemovalLines[l].marker,
                                     .dash = kRemovalLines[l].dash,
                                     .size = 3.4});
    }
    figure.chart.legend.push_back(line_item("intact", figure::kSoft, figure::Dash::solid));
    if (any_paper) figure.chart.legend.push_back(paper_item());
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

FigureBuilder published_heads_builder() {
  return {.id = "published-heads",
          .title = "Heads switched off the released code's way",
          .columns = cell_columns({{"switched_off", "`head` or `latents`; of a published value, what it is"},
                                   {"seed", "of a measured run"},
                                   {"converged", "`yes` or `no`, likewise"},
                                   {"layer", "from 0"},
                                   {"head", "from 0; empty for a published value"},
                                   {"accuracy", "on training and test samples together"},
                                   {"intact", "the same of the intact model"},
                                   {"source", "`measured`, or where the value was published"}}),
          .build = published_head_figures,
          .lacking = "heads were not switched off as the released code does it"};
}

FigureBuilder rotary_heads_builder() {
  return {.id = "rotary-heads",
          .title = "Accuracy by rotary heads per layer",
          .columns = cell_columns({{"mark", "`mean`, `run` or `published` (the paper's value)"},
                                   {"seed", "of a run"},
                                   {"rotary_heads", "in every layer"},
                                   {"of_heads", "heads of a layer"},
                                   {"value", "test accuracy"},
                                   {"low", "of a mean's 95 % interval over seeds; empty where there is none"},
                                   {"high", "likewise"},
                                   {"source", "where a value was published"}}),
          .build = rotary_figures,
          .lacking = "no cell has rope in some heads only, such as rope[heads=0-3]"};
}

FigureBuilder removal_builder() {
  return {.id = "position-removal",
          .title = "Positions removed from the activations",
          .columns = cell_columns({{"layer", "that the activations enter, from 0"},
                                   {"what",
                                    "`without position`, `random vectors instead` or `without the input term`; of a "
                                    "published value, its quantity"},
                                   {"mean", "accuracy, over all finished runs"},
                                   {"low", "of its 95 % interval over seeds; empty where there is none"},
                                   {"high", "likewise"},
                                   {"intact", "accuracy of the intact model"},
                                   {"source", "`measured`, or where the value was published"}}),
          .build = removal_figures,
          .lacking = "positions were not removed from activations"};
}

}  // namespace phasor
