#include "phasor/base/duration_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace phasor {

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto total = static_cast<int64_t>(std::lround(seconds));
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {} s", total / 60, total % 60);
  return fmt::format("{} h {} min", total / 3600, total % 3600 / 60);
}

}  // namespace phasor
