#include "phasor/report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>

namespace phasor {

std::string listing(const std::vector<std::string>& items, size_t most) {
  if (items.empty()) return "";
  const auto named = static_cast<std::ptrdiff_t>(items.size() > most ? most : items.size() - 1);
  const std::string first = fmt::format("{}", fmt::join(items.begin(), items.begin() + named, ", "));
  if (items.size() > most) return fmt::format("{} and {} more", first, items.size() - most);
  return items.size() == 1 ? items.front() : fmt::format("{} and {}", first, items.back());
}

std::string plural(int64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

}  // namespace phasor
