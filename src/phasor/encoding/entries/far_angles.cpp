#include "phasor/encoding/entries/far_angles.h"

#include <memory>
#include <utility>

#include "phasor/encoding/entries/frequencies.h"

namespace phasor {

std::vector<EncodingParameter> near_rotation_parameters() {
  return {rotation_base_parameter(), pair_layout_parameter(),
          number_parameter("fraction", 1, 0, 1,
                           "share of a head's channels that turn, rounded down to whole pairs; the rest carry content "
                           "alone")};
}

NearRotation::NearRotation(const EncodingArguments& arguments, std::string entry)
    : entry_(std::move(entry)),
      base_(arguments.number("base")),
      halves_(arguments.word("layout") == "half"),
      fraction_(arguments.number("fraction")) {}

void NearRotation::fill(EncodingPlaces& places, const Far& far) const {
  const int64_t pairs = pairs_of_share(places, "fraction", fraction_, head_pairs(places, entry_));
  const std::vector<double> frequencies = geometric_frequencies(base_, 2 * pairs);
  Rotation near = index_rotation(places, frequencies, halves_);
  FarAngles angles{.window = far.window, .axis = near.axes.front(), .pairs = pairs, .halves = halves_};
  angles.positions = near.positions;
  const auto append = [&](FarAngles::Factors& to, const Factor& factor) {
    for (int64_t p = 0; p < angles.positions; ++p) {
      for (const double w : frequencies) to.push_back(factor(p, w));
    }
  };
  append(angles.query_back, far.query_back);
  append(angles.query_ahead, far.query_ahead);
  append(angles.key, far.key);
  const std::vector<int64_t> heads = places.heads();
  places.rotate(std::move(near));
  if (heads.empty()) return;
  const auto place = std::make_shared<const DensePlace>(
      DensePlace{.name = places.term_text(), .heads = heads, .what = std::move(angles)});
  for (const int64_t layer : places.layers()) places.add_dense(layer, place);
}

}  // namespace phasor
