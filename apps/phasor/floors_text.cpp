#include "floors_text.h"

#include <fmt/format.h>

namespace phasor::app {

std::string floors_text(const TaskFloors& floors) {
  std::string text = fmt::format("chance {:.1f} %", 100.0 * floors.chance);
  const double noise = 3.0 * floors.error;
  if (floors.constant > floors.chance + noise) {
    text += fmt::format(", commonest answer {:.1f} %", 100.0 * floors.constant);
  }
  if (floors.length > floors.constant + noise) text += fmt::format(", length alone {:.1f} %", 100.0 * floors.length);
  if (floors.rule < floors.ceiling - noise) text += fmt::format(", simple rule {:.1f} %", 100.0 * floors.rule);
  return text + fmt::format(", ceiling {:.1f} %", 100.0 * floors.ceiling);
}

}  // namespace phasor::app
