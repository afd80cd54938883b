#pragma once
// Which elements dropout keeps: of the 16-bit numbers of a stream, low halves of words first, element `index` of a site
// has number `index`; it is dropped where that is below rate * 2^16, rounded, and scaled by one over the share kept
// elsewhere.
#include <cmath>

#include "phasor/random/stream.h"
#include "reference/scalar.h"

namespace phasor::reference {

struct DropoutRule {
  float rate = 0.0f;
  RandomStream stream;
  uint32_t step = 0;

  bool keeps(uint64_t index, uint32_t site_offset = 0) const {
    RandomStream draws = stream;
    draws.site += site_offset;
    draws.step = step;
    return (draws.word(index / 2) >> (index % 2 == 0 ? 0 : 16)) % 65536 >= std::round(double{rate} * 65536.0);
  }
  // Of elements that are dropped.
  double share() const { return std::round(double{rate} * 65536.0) / 65536.0; }

  // 0 or 1 / (1 - rate); exactly 1 without dropout.
  template <class S>
  S factor(uint64_t index, uint32_t site_offset = 0) const {
    if (rate == 0.0f) return S(1.0);
    if (!keeps(index, site_offset)) return S(0.0);
    return computed<S>(1.0 / (1.0 - share()));
  }
};

}  // namespace phasor::reference
