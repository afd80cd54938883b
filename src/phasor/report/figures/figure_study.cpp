#include "phasor/report/figures/figure_study.h"

#include <algorithm>

#include "phasor/paper/paper_cells.h"
#include "phasor/report/answered_cells.h"

namespace phasor {
namespace {

bool under_released(const CellName& cell) { return cell.protocol.starts_with(paper::kReleased); }

// The name of an author goes before that by which a place calls a cell.
std::string figure_label(const CellName& cell, const std::string& name) {
  if (cell.label.empty()) return name;
  return cell.variant.empty() ? cell.label : cell.label + ", " + cell.variant;
}

// Two names of one place may be equal once released forms have the clean ones' names.
void tell_apart(FigurePlace& place) {
  for (FigureCell& cell : place.cells) {
    const auto same = std::count_if(place.cells.begin(), place.cells.end(),
                                    [&](const FigureCell& other) { return other.label == cell.label; });
    if (same > 1 && cell.label != cell.cell->cell.encoding) cell.label += " (" + cell.cell->cell.encoding + ")";
  }
}

FigurePlace& place_of(std::vector<FigurePlace>& places, const CellName& cell) {
  const std::string protocol = under_released(cell) ? paper::kReleased : cell.protocol;
  for (FigurePlace& place : places) {
    if (place.task == cell.task && place.protocol == protocol) return place;
  }
  return places.emplace_back(FigurePlace{.task = cell.task, .protocol = protocol});
}

// A usual encoding looks as usual under every name.
std::string styled_as(const CellName& cell) {
  const std::string form = usual_form(cell);
  return cell.variant.empty() ? form : form + ", " + cell.variant;
}

// As on the page (web/src/study/entry.ts): those that stand aside come last.
std::map<const CellSummary*, EncodingStyle> styles_of(const std::vector<CellSummary>& cells,
                                                      const std::vector<AnsweredPlace>& answered) {
  std::map<const CellSummary*, std::string> keys;
  for (const AnsweredPlace& place : answered) {
    for (const AnsweredCell& cell : place.cells) keys[cell.cell] = cell.name;
  }
  std::vector<std::string> names, aside;
  std::map<std::string, std::string> expressions;
  for (const CellSummary& cell : cells) {
    const auto [key, stands_aside] = keys.try_emplace(&cell, styled_as(cell.cell));
    (stands_aside ? aside : names).push_back(key->second);
    expressions[key->second] = styled_as(cell.cell);
  }
  names.insert(names.end(), aside.begin(), aside.end());
  const std::map<std::string, EncodingStyle> styles = encoding_styles(names, expressions);
  std::map<const CellSummary*, EncodingStyle> result;
  for (const auto& [cell, key] : keys) result[cell] = styles.at(key);
  return result;
}

}  // namespace

FigureStudy figure_study(const ReportSource& source, const StudyReport& report, const StudyResults& results) {
  FigureStudy study;
  const std::vector<CellSummary>& cells = report.summary.cells;
  study.more.reserve(cells.size());
  for (const CellSummary& cell : cells) {
    const CellRuns* runs = results.find(cell.cell);
    study.more.push_back(runs == nullptr ? ReportCell{} : report_cell(source, *runs));
  }
  const std::vector<AnsweredPlace> answered = answered_places(cells, report.paper);
  const std::map<const CellSummary*, EncodingStyle> styles = styles_of(cells, answered);
  const auto add = [&](FigurePlace& place, const CellSummary& cell, const std::string& name) {
    const auto index = static_cast<size_t>(&cell - cells.data());
    place.cells.push_back(
        {.cell = &cell, .more = &study.more[index], .label = figure_label(cell.cell, name), .style = styles.at(&cell)});
  };
  for (const AnsweredPlace& from : answered) {
    FigurePlace& place = study.places.emplace_back(FigurePlace{.task = from.task, .protocol = from.protocol});
    for (const AnsweredCell& cell : from.cells) add(place, *cell.cell, cell.name);
    tell_apart(place);
  }
  for (const CellSummary& cell : cells) {
    if (cell.cell.variant.empty()) add(place_of(study.rotary, cell.cell), cell, cell.cell.encoding);
  }
  if (report.paper) {
    study.audit = paper::audit(results);
    study.published = paper::published();
  }
  study.comparisons = &report.summary.comparisons;
  return study;
}

std::string published_subject(const CellName& cell) {
  if (!cell.variant.empty()) return "";
  for (const paper::PaperEncoding& known : paper::paper_encodings()) {
    if ((under_released(cell) ? known.released : known.clean) == cell.encoding) return known.name;
  }
  return "";
}

}  // namespace phasor
