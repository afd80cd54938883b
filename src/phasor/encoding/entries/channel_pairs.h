#pragma once
// The channel pairs of a head that rotations turn, and what their entries have in common.
#include <cstdint>
#include <string_view>

#include "phasor/encoding/resolve/places.h"
#include "phasor/encoding/syntax/parameter.h"

namespace phasor {

EncodingParameter rotation_base_parameter();
EncodingParameter pair_layout_parameter();  // "interleaved" or "half"

// An error at the term where the head width is odd.
int64_t head_pairs(const EncodingPlaces& places, std::string_view entry);

// A share of the pairs, rounded down. An error at the term where it is less than one.
int64_t pairs_of_share(const EncodingPlaces& places, std::string_view parameter, double share, int64_t pairs);

// An error at the term where the factors are more than can be held. Call it before making them.
void check_rotation_size(const EncodingPlaces& places, const Rotation& rotation);

// Rotations e^(i p w) of queries and keys by the term's positions, w = frequencies[c].
Rotation index_rotation(EncodingPlaces& places, const std::vector<double>& frequencies, bool halves);

}  // namespace phasor
