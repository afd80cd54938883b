#include "phasor/study/plan/cell_name.h"

#include <fmt/format.h>

namespace phasor {

std::string text(const CellName& cell) {
  const std::string usual = fmt::format("{} on {}, {}", cell.encoding, cell.task, cell.protocol);
  return cell.variant.empty() ? usual : fmt::format("{}, {}", usual, cell.variant);
}

}  // namespace phasor
