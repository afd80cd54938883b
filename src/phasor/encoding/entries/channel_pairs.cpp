#include "phasor/encoding/entries/channel_pairs.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {

EncodingParameter rotation_base_parameter() {
  return number_parameter("base", 10000, 1, 1e12, "the slowest pair turns once in about 2 pi base positions");
}

EncodingParameter pair_layout_parameter() {
  return word_parameter("layout", {"interleaved", "half"},
                        "pairs are neighbours (GPT-J, Llama) or half the rotated channels apart (GPT-NeoX, Hugging "
                        "Face)");
}

int64_t head_pairs(const EncodingPlaces& places, std::string_view entry) {
  const int64_t width = places.shape().head_width;
  if (width % 2 != 0) {
    places.fail_term(fmt::format("{} turns pairs of channels, so the head width must be even, not {}", entry, width));
  }
  return width / 2;
}

int64_t pairs_of_share(const EncodingPlaces& places, std::string_view parameter, double share, int64_t pairs) {
  // The slack counts 0.58 of 50 pairs as 29, which they fall short of in binary.
  constexpr double kSlack = 1e-9;
  const int64_t result = static_cast<int64_t>(std::floor(share * static_cast<double>(pairs) + kSlack));
  if (result == 0) {
    places.fail_term(fmt::format("{} {} of {} channels is less than one pair; the least is {}", parameter,
                                 print_number(share), 2 * pairs, print_number(1.0 / static_cast<double>(pairs))));
  }
  return result;
}

void check_rotation_size(const EncodingPlaces& places, const Rotation& rotation) {
  constexpr int64_t kMostFactors = int64_t{1} << 27;  // of one table: 1 GiB of floats on the device
  const int64_t rows = rotation.classes * static_cast<int64_t>(rotation.axes.size());
  if (rows * rotation.positions * rotation.pairs <= kMostFactors) return;
  const double entries = static_cast<double>(rows) * static_cast<double>(rotation.positions * rotation.pairs);
  const std::string classes =
      rotation.classes == 1 ? "" : fmt::format(" in each of {} classes of lengths", rotation.classes);
  places.fail_term(fmt::format("{} needs a table of {:.1f} GiB: {} positions{}; the most is 1 GiB", places.term_text(),
                               entries * 8.0 / 1073741824.0, rotation.positions, classes));
}

Rotation index_rotation(EncodingPlaces& places, const std::vector<double>& frequencies, bool halves) {
  Rotation rotation;
  rotation.positions = places.shape().factors ? places.shape().positions : 0;
  rotation.axes = {places.position_axis()};
  rotation.pairs = static_cast<int64_t>(frequencies.size());
  rotation.halves = halves;
  check_rotation_size(places, rotation);
  rotation.frequencies = Table(1, rotation.pairs);
  rotation.frequencies.values = frequencies;
  rotation.query = rotation_factors(rotation.frequencies, rotation.positions);
  rotation.key = rotation.query;
  return rotation;
}

}  // namespace phasor
