// Figures beside which the paper's own numbers may stand: heads switched off its way, rotary heads, removal of
// positions, and the audit of its protocol.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "phasor/report/figures/figure_parts.h"
#include "phasor/report/figures/published_values.h"
#include "phasor/report/words.h"

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
          const double x = static_cast<double>(layer.layer) + 0.06 * (static_cast<double>(l) - 1.0);
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
          paper.points.push_back({.x = point.at - 1 - 0.2, .y = point.value(), .hollow = true});
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

// The audit.

struct AuditNumber {
  const char* title;
  double scale;  // to per cent
  std::optional<double> paper::AuditBlock::*base;
  std::optional<paper::AuditChange> paper::AuditRow::*change;
  bool bounded;  // by the ceiling
};
const AuditNumber kAuditNumbers[] = {
    {"test accuracy", 1.0, &paper::AuditBlock::base_accuracy, &paper::AuditRow::accuracy, true},
    {"largest head's share", 100.0, &paper::AuditBlock::base_max_share, &paper::AuditRow::max_share, false}};

std::string probability_text(double p) {
  if (p >= 0.1) return fmt::format("p {:.2f}", p);
  return p < 0.001 ? fmt::format("p {:.0e}", p) : fmt::format("p {:.2g}", p);
}

std::optional<ReportFigure> audit_figure(const paper::AuditBlock& block, const AuditNumber& number) {
  const std::optional<double>& base_mean = block.*number.base;
  if (!base_mean) return std::nullopt;
  const double base = *base_mean * number.scale;
  ReportFigure figure{.name = fmt::format("audit-switches_{}_{}_{}", file_part(block.encoding), file_part(block.base),
                                          file_part(number.title))};
  figure.chart.title =
      fmt::format("One choice switched at a time: {}, {}, {}", block.encoding, block.base, number.title);
  figure.chart.caption = fmt::format(
      "{}, {} but for one choice. The line is the base ({:.1f} %); a mark is the same with one choice taken from the "
      "other "
      "protocol, with the 95 % interval of the change (Welch) and p after Holm. {}",
      block.encoding, block.base, base, block.finding);
  const EncodingStyle style = encoding_styles({block.encoding}).at(block.encoding);
  figure::Panel panel{.x = {.title = std::string(number.title) + " (%)"}};
  panel.marks.emplace_back(figure::Rule{.along = figure::Rule::Along::x, .at = base, .width = 0.9});
  figure::Points points{.colour = style.colour, .marker = style.marker, .size = 4.6};
  figure::Points ceilings{.colour = figure::kSoft, .marker = figure::Marker::stroke, .size = 7.0};
  std::vector<std::string> names;
  for (const paper::AuditRow& row : block.rows) {
    const std::optional<paper::AuditChange>& change = row.*number.change;
    if (!change) continue;
    const auto at = static_cast<double>(names.size());
    names.push_back(row.name);
    const auto place = [&](double difference) { return base + difference * number.scale; };
    panel.marks.emplace_back(figure::Bar{.y = at,
                                         .from = base,
                                         .to = place(change->change.estimate),
                                         .height = 0.3,
                                         .colour = style.colour,
                                         .opacity = 0.3});
    points.points.push_back({.x = place(change->change.estimate),
                             .y = at,
                             .x_low = place(change->change.low),
                             .x_high = place(change->change.high)});
    if (number.bounded && row.ceiling) ceilings.points.push_back({.x = *row.ceiling, .y = at});
    panel.beside.push_back(probability_text(change->holm));
    panel.beside_bold.push_back(change->is_significant());
    figure.rows.push_back({row.name, row.what, block.encoding, block.base, number.title, *base_mean * number.scale,
                           change->mean * number.scale, change->change.estimate * number.scale,
                           change->change.low * number.scale, change->change.high * number.scale, change->test.p,
                           change->holm, number.bounded ? Datum(row.ceiling) : Datum(), row.counts.finished,
                           row.counts.unconverged, row.counts.failed});
  }
  if (names.empty()) return std::nullopt;
  figure.chart.legend = {{.label = "with the switch, 95 % interval of the change",
                          .colour = style.colour,
                          .marker = style.marker,
                          .interval = true},
                         line_item("base", figure::kSoft, figure::Dash::solid)};
  if (!ceilings.points.empty()) {
    figure.chart.legend.push_back({.label = "best that the samples allow",
                                   .colour = figure::kSoft,
                                   .marker = figure::Marker::stroke,
                                   .size = 6.0});
  }
  panel.marks.emplace_back(std::move(ceilings));
  panel.marks.emplace_back(std::move(points));
  panel.y = name_axis(std::move(names));
  figure.chart.panels.push_back(std::move(panel));
  return figure;
}

std::vector<ReportFigure> audit_figures(const FigureStudy& study) {
  std::vector<ReportFigure> figures;
  for (const paper::AuditBlock& block : study.audit) {
    for (const AuditNumber& number : kAuditNumbers) {
      if (std::optional<ReportFigure> figure = audit_figure(block, number)) figures.push_back(*std::move(figure));
    }
  }
  return figures;
}

// Planned comparisons: a table of the page, and a figure here.

std::string compared_name(const CellName& cell) {
  return cell.variant.empty() ? encoding_label(cell) : encoding_label(cell) + ", " + cell.variant;
}

struct ComparedGroup {
  ReportFigure figure;
  figure::Panel panel;
  figure::Points points{.size = 4.2};
  std::vector<std::string> names;
  double margin = 0.0;
};

void add_comparison(ComparedGroup& group, const Comparison& comparison) {
  const ComparedWords& word = words(comparison.number);
  const CellName& first = comparison.first.cell;
  const CellName& second = comparison.second.cell;
  const statistics::MeanDifference difference = comparison.difference->scaled(word.scale);
  const bool own_place = first.task == second.task && first.protocol == second.protocol;
  group.points.points.push_back({.x = difference.difference,
                                 .y = static_cast<double>(group.names.size()),
                                 .x_low = difference.low,
                                 .x_high = difference.high,
                                 .hollow = !comparison.significant()});
  group.names.push_back(fmt::format("{} \u2212 {}{}", compared_name(first), compared_name(second),
                                    own_place ? "" : fmt::format(" ({}, {})", second.task, second.protocol)));
  group.margin = comparison.margin * word.scale;
  group.panel.beside.push_back(comparison.holm ? probability_text(*comparison.holm) : "");
  group.panel.beside_bold.push_back(comparison.significant() && !comparison.lost_to_holm());
  group.figure.rows.push_back({compared_name(first), compared_name(second), first.encoding, second.encoding, first.task,
                               first.protocol, title(comparison.number), comparison.difference->difference,
                               comparison.difference->low, comparison.difference->high, comparison.margin,
                               statistics::name(comparison.reading), comparison.holm, comparison.family,
                               std::ssize(comparison.first.values), std::ssize(comparison.second.values)});
}

std::vector<ReportFigure> comparison_figures(const FigureStudy& study) {
  std::vector<std::string> order;
  std::map<std::string, ComparedGroup> groups;
  for (const Comparison& comparison : *study.comparisons) {
    if (!comparison.difference || !std::isfinite(comparison.difference->difference)) continue;
    const FigurePlace place{.task = comparison.first.cell.task, .protocol = comparison.first.cell.protocol};
    const std::string what = title(comparison.number);
    const std::string name = figure_name("comparisons", place, what);
    if (!groups.contains(name)) {
      order.push_back(name);
      ComparedGroup& group = groups[name];
      group.figure.name = name;
      group.figure.chart.title = figure_title("Planned comparisons", place, what);
      group.figure.chart.caption =
          "Differences of means over seeds with 95 % intervals (Welch's, with a floor); hollow where the interval "
          "decides "
          "nothing or has 0 within. Beside them p after Holm. Dotted: the smallest difference of interest.";
      const ComparedWords& word = words(comparison.number);
      const std::string unit(word.unit);
      group.panel.x.title =
          "difference of " + what + (unit.empty() ? "" : " (" + unit.substr(unit.find_first_not_of(' ')) + ")");
      group.panel.marks.emplace_back(figure::Rule{.along = figure::Rule::Along::x, .at = 0.0});
    }
    add_comparison(groups[name], comparison);
  }
  std::vector<ReportFigure> figures;
  for (const std::string& name : order) {
    ComparedGroup& group = groups[name];
    for (const double margin : {-group.margin, group.margin}) {
      group.panel.marks.emplace_back(figure::Rule{
          .along = figure::Rule::Along::x, .at = margin, .colour = figure::kFaint, .dash = figure::Dash::dotted});
    }
    group.panel.marks.emplace_back(std::move(group.points));
    group.panel.y = name_axis(std::move(group.names));
    group.figure.chart.panels.push_back(std::move(group.panel));
    group.figure.chart.legend = {
        {.label = "difference, 95 % interval", .marker = figure::Marker::circle, .interval = true},
        {.label = "0 is within, or too few runs", .marker = figure::Marker::circle, .hollow = true},
        line_item("smallest difference of interest", figure::kFaint, figure::Dash::dotted)};
    figures.push_back(std::move(group.figure));
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

FigureBuilder audit_builder() {
  return {.id = "audit-switches",
          .title = "One choice switched at a time",
          .columns = {{"switch", "the choice that is switched"},
                      {"what", "it is"},
                      {"encoding", "as `--encodings` reads it"},
                      {"base", "the protocol that all other choices are of"},
                      {"quantity", "`test accuracy` or `largest head's share`, a file for each"},
                      {"base_value", "mean of the base, %"},
                      {"value", "mean with the switch, %"},
                      {"change", "points"},
                      {"low", "of its 95 % interval"},
                      {"high", "likewise"},
                      {"p", "of the permutation test"},
                      {"p_holm", "after Holm's correction"},
                      {"ceiling", "the best accuracy that the samples allow, %"},
                      {"finished", "runs with the switch"},
                      {"unconverged", "of these"},
                      {"failed", "runs with the switch"}},
          .build = audit_figures,
          .lacking = "only the study of arXiv 2505.13027 has an audit, and its cells must have runs"};
}

FigureBuilder comparisons_builder() {
  return {.id = "comparisons",
          .title = "Planned comparisons",
          .columns = {{"first", "encoding, as the figure calls it"},
                      {"second", "likewise"},
                      {"first_expression", "as `--encodings` reads it"},
                      {"second_expression", "likewise"},
                      {"task", "of the first cell"},
                      {"protocol", "of the first cell"},
                      {"number", "that is compared, a file for each"},
                      {"difference", "mean of the first less mean of the second; accuracies from 0 to 1"},
                      {"low", "of its 95 % interval"},
                      {"high", "likewise"},
                      {"margin", "the smallest difference of interest"},
                      {"reading", "`of interest`, `significant`, `no difference of interest` or `open`"},
                      {"p_holm", "after Holm's correction; empty where the interval decides nothing"},
                      {"family", "comparisons that it corrects for"},
                      {"first_runs", "values of the first"},
                      {"second_runs", "values of the second"}},
          .build = comparison_figures,
          .lacking = "no comparison has two runs on each side"};
}

}  // namespace phasor
