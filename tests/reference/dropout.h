#pragma once
// Which elements dropout keeps: element `index` of a site is dropped where its word is below
// rate * 2^32, and scaled by 1 / (1 - rate) where kept.
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
    return draws.word(index) >= chance_threshold(double{rate});
  }

  // 0 or 1 / (1 - rate); exactly 1 without dropout.
  template <class S>
  S factor(uint64_t index, uint32_t site_offset = 0) const {
    if (rate == 0.0f) return S(1.0);
    if (!keeps(index, site_offset)) return S(0.0);
    return computed<S>(1.0 / (1.0 - double{rate}));
  }
};

}  // namespace phasor::reference
