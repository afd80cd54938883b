#include "phasor/study/plan/cell_name.h"

#include <fmt/format.h>

#include <tuple>

namespace phasor {

bool CellName::operator==(const CellName& other) const {
  return std::tie(task, protocol, encoding, variant) ==
         std::tie(other.task, other.protocol, other.encoding, other.variant);
}

const std::string& encoding_label(const CellName& cell) { return cell.label.empty() ? cell.encoding : cell.label; }

std::string text(const CellName& cell) {
  const std::string usual = fmt::format("{} on {}, {}", encoding_label(cell), cell.task, cell.protocol);
  return cell.variant.empty() ? usual : fmt::format("{}, {}", usual, cell.variant);
}

}  // namespace phasor
