#pragma once
// How fast each pair of channels turns, and what a scaling has done to it. Of frequencies alone: no table of positions
// is needed, so that any length can be looked at.
#include <cstdint>
#include <string_view>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/resolve/resolved.h"
#include "phasor/encoding/syntax/index_set.h"

namespace phasor {

struct RotaryPair {
  enum class Change : uint8_t {
    none,       // nothing stretches these frequencies
    kept,       // the scaling leaves this one alone
    ramped,     // slowed, by less than the rule's factor
    stretched,  // slowed by the rule's factor, or, where each pair has a divisor of its own, by that
    quickened,  // by a divisor below 1
  };

  int64_t pair = 0;
  int64_t channel = 0, partner = 0;  // of the head, of the channels beside it, or of its features
  int64_t axis = -1;                 // place in ResolvedEncoding::axes; -1: several turn it
  double frequency = 0.0;            // radians per position; with several axes along the pair's direction
  double wavelength = 0.0;           // positions per turn; infinite where nothing turns
  double turns = 0.0;                // within the length
  double unscaled = 0.0;             // frequency before the scaling
  Change change = Change::none;

  double slowed() const { return frequency == 0.0 ? 1.0 : unscaled / frequency; }
};

std::string_view change_name(RotaryPair::Change change);

// Heads whose pairs turn alike.
struct RotaryPairs {
  struct Heads {
    int64_t layer = 0;
    std::vector<int64_t> heads;
  };
  std::vector<Heads> where;
  double attention_factor = 1.0;  // on queries and on keys, so that its square is on their products
  double stretch = 1.0;           // of the rule; 0: each pair has a divisor of its own
  bool by_length = false;         // other lengths have other frequencies; these are of the longest
  std::vector<RotaryPair> pairs;
};
const Fields<RotaryPairs>& json_fields(const RotaryPairs*);

// `encoding` has its values (values.h). Rotations without frequencies (a table of another kind) are left out.
std::vector<RotaryPairs> rotary_pairs(const ResolvedEncoding& encoding);

// Lines of a card, at most 100 columns wide. A long table is shown by its ends and where its change changes; `when` is
// behind the heading, such as ", as training starts".
std::string rotary_pairs_text(const RotaryPairs& group, const ResolvedEncoding& encoding, std::string_view when);

}  // namespace phasor
