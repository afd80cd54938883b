#include "phasor/encoding/entries/t5_bucket.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace phasor {

int64_t exact_t5_buckets(int64_t buckets, bool bidirectional) { return buckets / (bidirectional ? 4 : 2); }

int32_t t5_bucket(int64_t distance, int64_t buckets, int64_t max_distance, bool bidirectional) {
  const int64_t side = bidirectional ? buckets / 2 : buckets;  // buckets of one direction
  const int64_t exact = exact_t5_buckets(buckets, bidirectional);
  assert(exact > 0 && max_distance > exact);
  const int64_t first = bidirectional && distance > 0 ? side : 0;
  const int64_t size = bidirectional ? std::abs(distance) : std::max<int64_t>(-distance, 0);
  if (size < exact) return static_cast<int32_t>(first + size);
  // Every step is rounded to float, as in PyTorch: where a logarithm meets the edge of a bucket, the rounding
  // decides. Logarithms are taken in double first, so that they do not depend on the C library.
  const float ratio = static_cast<float>(size) / static_cast<float>(exact);
  const float logarithm = static_cast<float>(std::log(static_cast<double>(ratio)));
  const float whole = static_cast<float>(std::log(static_cast<double>(max_distance) / static_cast<double>(exact)));
  const float share = logarithm / whole;
  const float step = share * static_cast<float>(side - exact);
  return static_cast<int32_t>(first + std::min(exact + static_cast<int64_t>(step), side - 1));
}

}  // namespace phasor
