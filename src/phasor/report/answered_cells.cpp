#include "phasor/report/answered_cells.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "phasor/paper/paper_cells.h"

namespace phasor {
namespace {

bool is_released(const CellName& cell) { return cell.protocol.starts_with(paper::kReleased); }

std::string place_protocol(const CellName& cell) { return is_released(cell) ? paper::kReleased : cell.protocol; }

// An author who names a released form tells it from the clean one.
std::string clean_form(const CellName& cell) { return cell.named ? cell.encoding : usual_form(cell); }

// What the expression is called in the study.
const std::string& label_of(const std::string& expression, const std::vector<CellSummary>& cells) {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const CellSummary& it) { return it.cell.encoding == expression; });
  return found == cells.end() ? expression : encoding_label(found->cell);
}

// Whether some place would have two cells of one name.
bool have_clashes(const std::vector<CellSummary>& cells) {
  const auto key = [](const CellName& cell, const std::string& encoding) {
    return std::tuple(cell.task, place_protocol(cell), encoding, cell.variant);
  };
  std::set<std::tuple<std::string, std::string, std::string, std::string>> plain;
  for (const CellSummary& cell : cells) plain.insert(key(cell.cell, cell.cell.encoding));
  return std::any_of(cells.begin(), cells.end(), [&](const CellSummary& cell) {
    const std::string form = clean_form(cell.cell);
    return form != cell.cell.encoding && plain.contains(key(cell.cell, form));
  });
}

// "rope[heads=0]", "rope[heads=0-3]": some heads of every layer rotate, from the first on.
bool is_partly_rotary(std::string_view encoding) {
  constexpr std::string_view kHead = "rope[heads=0";
  if (!encoding.starts_with(kHead) || !encoding.ends_with("]")) return false;
  std::string_view last = encoding.substr(kHead.size(), encoding.size() - kHead.size() - 1);
  if (last.empty()) return true;
  return last.size() > 1 && last.front() == '-' && last.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

bool stands_aside(const CellName& cell, bool paper) {
  return (paper && !cell.variant.empty()) || is_partly_rotary(cell.encoding);
}

}  // namespace

std::string usual_form(const CellName& cell) {
  if (!is_released(cell)) return cell.encoding;
  const std::vector<paper::PaperEncoding>& known = paper::paper_encodings();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto& it) { return it.released == cell.encoding; });
  return found == known.end() ? cell.encoding : found->clean;
}

std::vector<AnsweredPlace> answered_places(const std::vector<CellSummary>& cells, bool paper) {
  const bool clash = have_clashes(cells);
  // Where nothing else is there, they have the place.
  const bool all_aside =
      std::all_of(cells.begin(), cells.end(), [&](const CellSummary& cell) { return stands_aside(cell.cell, paper); });
  std::vector<AnsweredPlace> places;
  for (const CellSummary& cell : cells) {
    if (!all_aside && stands_aside(cell.cell, paper)) continue;
    const std::string protocol = place_protocol(cell.cell);
    auto place = std::find_if(places.begin(), places.end(), [&](const AnsweredPlace& it) {
      return it.task == cell.cell.task && it.protocol == protocol;
    });
    if (place == places.end()) place = places.insert(places.end(), {.task = cell.cell.task, .protocol = protocol});
    std::string name = clash ? encoding_label(cell.cell) : label_of(clean_form(cell.cell), cells);
    if (!cell.cell.variant.empty()) name += ", " + cell.cell.variant;
    place->cells.push_back({&cell, std::move(name)});
  }
  return places;
}

}  // namespace phasor
