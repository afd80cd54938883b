// Differences with their intervals: the audit of the released protocol, and the planned comparisons of a study.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "phasor/figure/font.h"
#include "phasor/figure/layout.h"
#include "phasor/report/figures/figure_parts.h"
#include "phasor/report/words.h"

namespace phasor {
namespace {

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

// Head and tail of a long name, since long ones often differ in either alone.
std::string shortened(const std::u32string& name, size_t most) {
  if (name.size() <= most) return figure::utf8(name);
  const size_t tail = most / 2;
  return fmt::format("{}\u2026{}", figure::utf8(name.substr(0, most - tail)),
                     figure::utf8(name.substr(name.size() - tail)));
}

// "rope \u2013 alibi", each cut on its own as far as the row needs it.
std::string row_text(const CellName& first, const CellName& second, const std::string& place) {
  constexpr size_t kLeast = 8, kMost = 100;
  const std::u32string names[] = {figure::characters(compared_name(first)), figure::characters(compared_name(second))};
  std::string text;
  for (size_t most = std::clamp(std::max(names[0].size(), names[1].size()), kLeast, kMost); most >= kLeast; --most) {
    text = fmt::format("{} \u2013 {}{}", shortened(names[0], most), shortened(names[1], most), place);
    if (figure::fits_row(text)) break;
  }
  return text;
}

struct ComparedGroup {
  ReportFigure figure;
  figure::Panel panel;
  figure::Points points{.size = 4.2};
  std::vector<std::string> names, extended;
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
  const std::string place = own_place ? "" : fmt::format(" ({}, {})", second.task, second.protocol);
  group.names.push_back(row_text(first, second, place));
  if (comparison.extension()) group.extended.push_back(group.names.back());
  group.margin = comparison.margin * word.scale;
  group.panel.beside.push_back(comparison.holm ? probability_text(*comparison.holm) : "");
  group.panel.beside_bold.push_back(comparison.significant() && !comparison.lost_to_holm());
  group.figure.rows.push_back({compared_name(first), compared_name(second), first.encoding, second.encoding, first.task,
                               first.protocol, title(comparison.number), comparison.difference->difference,
                               comparison.difference->low, comparison.difference->high, comparison.margin,
                               statistics::name(comparison.reading), comparison.holm, comparison.family,
                               std::ssize(comparison.first.values), std::ssize(comparison.second.values),
                               comparison.extension() ? "yes" : "no"});
}

std::string extension_sentence(const ComparedGroup& group) {
  if (group.extended.empty()) return "";
  const bool all = group.extended.size() == group.names.size();
  return fmt::format(" Extension, with runs that were added to the study later: {}.",
                     all ? "all of them" : listing(group.extended, group.extended.size()));
}

std::vector<ReportFigure> comparison_figures(const FigureStudy& study) {
  std::vector<std::string> order;
  std::map<std::string, ComparedGroup> groups;
  for (const Comparison& comparison : *study.comparisons) {
    if (!comparison.difference || !std::isfinite(comparison.difference->difference)) continue;
    // Runs that never reached 90 % stand for no number of steps.
    if (comparison.first.never + comparison.second.never > 0) continue;
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
    group.figure.chart.caption += extension_sentence(group);
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
                      {"second_runs", "values of the second"},
                      {"extension", "`yes`: with runs that were [added later](studies.md#studies-that-grow)"}},
          .build = comparison_figures,
          .lacking = "no comparison has two runs on each side"};
}

}  // namespace phasor
