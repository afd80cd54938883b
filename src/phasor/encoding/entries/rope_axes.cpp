#include "phasor/encoding/entries/rope_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

// [axes, axes]: orthonormal rows in a random position, always the same for one layer and head.
Table random_frame(int64_t axes, int64_t layer, int64_t head) {
  constexpr uint64_t kFrames = 0x6d69786564;  // "mixed"; a model's seed has no part in it
  const RandomStream stream{.seed = kFrames,
                            .purpose = Purpose::encoding,
                            .site = static_cast<uint32_t>(layer),
                            .step = static_cast<uint32_t>(head)};
  Table frame(axes, axes);
  for (size_t i = 0; i < frame.values.size(); ++i) frame.values[i] = normal(stream, i);
  for (int64_t r = 0; r < axes; ++r) {
    // What is left of a row beside the rows before it; the second round removes what rounding left of them.
    for (int64_t k = 0; k < 2 * r; ++k) {
      double product = 0.0;
      for (int64_t a = 0; a < axes; ++a) product += frame(r, a) * frame(k % r, a);
      for (int64_t a = 0; a < axes; ++a) frame(r, a) -= product * frame(k % r, a);
    }
    double square = 0.0;
    for (int64_t a = 0; a < axes; ++a) square += frame(r, a) * frame(r, a);
    for (int64_t a = 0; a < axes; ++a) frame(r, a) /= std::sqrt(square);
  }
  return frame;
}

}  // namespace

std::vector<EncodingParameter> RopeAxes::parameters() {
  return {
      integer_parameter("axes", 1, 1, 4, "1: the position is the token's; more: so many coordinates of it"),
      word_parameter("map", {"axial", "mixed", "sections", "interleaved"},
                     "which axis turns which pairs: blocks with a grid of frequencies each; all axes, by a "
                     "direction in space (RoPE-Mixed); consecutive sections of one grid (M-RoPE); in turns"),
      numbers_parameter("sections", 0, 65536,
                        "how many pairs each axis turns, of map=sections and map=interleaved; empty: equally many")};
}

RopeAxes::RopeAxes(const EncodingArguments& arguments)
    : count_(arguments.integer("axes")), map_(arguments.word("map")), sections_(arguments.numbers("sections")) {
  const auto fail_at = [&arguments](std::string_view name, const std::string& reason) {
    throw EncodingError(arguments.text(), arguments.column(name), fmt::format("rope: {}", reason));
  };
  if (count_ == 1 && arguments.given("map")) fail_at("map", fmt::format("map={} needs axes=2 or more", map_));
  if (sections_.empty()) return;
  if (map_ != "sections" && map_ != "interleaved") {
    fail_at("sections", fmt::format("sections belongs to map=sections|interleaved, not to map={}", map_));
  }
  const bool whole = std::all_of(sections_.begin(), sections_.end(), [](double n) { return std::floor(n) == n; });
  if (!whole || static_cast<int64_t>(sections_.size()) != count_) {
    fail_at("sections", fmt::format("sections must be {} whole numbers, one per axis", count_));
  }
}

void RopeAxes::check(const EncodingPlaces& places, int64_t pairs) const {
  if (sections_.empty()) {
    if (pairs % count_ == 0) return;
    places.fail_term(fmt::format("{} axes cannot share {} turning pairs evenly", count_, pairs));
  }
  const double sum = std::accumulate(sections_.begin(), sections_.end(), 0.0);
  if (sum != static_cast<double>(pairs)) {
    places.fail_term(fmt::format("sections must add up to the turning pairs, {}, not to {}", pairs, sum));
  }
  if (map_ != "interleaved") return;
  for (int64_t a = 1; a < count_; ++a) {
    const int64_t turns = (pairs - 1 - a) / count_ + 1;
    const int64_t size = section_sizes(pairs)[static_cast<size_t>(a)];
    if (size <= turns) continue;
    places.fail_term(
        fmt::format("sections give axis {} {} pairs, but in turns it has only {} of {}", a, size, turns, pairs));
  }
}

std::string RopeAxes::formula() const {
  if (count_ == 1) return {};
  if (map_ == "axial")
    return fmt::format("{} blocks of pairs, one per coordinate, each with the whole grid of w", count_);
  if (map_ == "mixed") {
    return fmt::format("{} blocks of pairs, each with the whole grid of w, along orthogonal directions in space",
                       count_);
  }
  if (map_ == "sections") return "consecutive sections of the pairs, one per coordinate";
  return "pairs of the coordinates in turns";
}

bool RopeAxes::reads(std::string_view parameter) const {
  if (parameter == "sections") return !sections_.empty();
  return count_ > 1;
}

int64_t RopeAxes::grid_channels(int64_t pairs) const {
  const bool restarts = map_ == "axial" || map_ == "mixed";
  return 2 * (restarts ? pairs / count_ : pairs);
}

Table RopeAxes::spread(const std::vector<double>& grid, int64_t pairs, int64_t layer, int64_t head) const {
  Table frequencies(count_, pairs);
  const int64_t grid_size = static_cast<int64_t>(grid.size());
  if (mixed()) {
    const Table frame = random_frame(count_, layer, head);
    for (int64_t a = 0; a < count_; ++a) {
      for (int64_t c = 0; c < pairs; ++c) {
        frequencies(a, c) = grid[static_cast<size_t>(c % grid_size)] * frame(c / grid_size, a);
      }
    }
    return frequencies;
  }
  const std::vector<int64_t> axis = axis_of_pair(pairs);
  for (int64_t c = 0; c < pairs; ++c) {
    frequencies(axis[static_cast<size_t>(c)], c) = grid[static_cast<size_t>(c % grid_size)];
  }
  return frequencies;
}

std::vector<int64_t> RopeAxes::section_sizes(int64_t pairs) const {
  std::vector<int64_t> sizes(static_cast<size_t>(count_), pairs / count_);
  for (size_t a = 0; a < sections_.size(); ++a) sizes[a] = static_cast<int64_t>(sections_[a]);
  return sizes;
}

std::vector<int64_t> RopeAxes::axis_of_pair(int64_t pairs) const {
  const std::vector<int64_t> sizes = section_sizes(pairs);
  std::vector<int64_t> result;
  if (map_ == "interleaved") {
    // In turns; once an axis has its pairs, its turn goes to the first.
    for (int64_t c = 0; c < pairs; ++c) {
      const int64_t turn = c % count_;
      result.push_back(c / count_ < sizes[static_cast<size_t>(turn)] ? turn : 0);
    }
    return result;
  }
  for (int64_t a = 0; a < count_; ++a)
    result.insert(result.end(), static_cast<size_t>(sizes[static_cast<size_t>(a)]), a);
  return result;
}

}  // namespace phasor
