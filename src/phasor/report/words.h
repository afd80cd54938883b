#pragma once
// Lists and counts in a sentence.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasor {

// "a", "a and b", "a, b and c"; of more than `most` items the first ones, "and 3 more".
std::string listing(const std::vector<std::string>& items, size_t most = 8);

std::string plural(int64_t count, std::string_view one);  // "1 run", "2 runs"

std::string percent_text(double share);  // "93.2 %"

}  // namespace phasor
