#include "phasor/encoding/entries/deberta_bucket.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

namespace phasor {
namespace {

int64_t logarithmic(int64_t behind, int64_t buckets, int64_t most) {
  const int64_t middle = buckets / 2;
  const int64_t size = std::abs(behind);
  if (size <= middle) return behind;
  assert(most - 1 > middle);
  // Every step is rounded to float, as in PyTorch: where a logarithm meets the edge of a range, the rounding decides.
  // Logarithms are taken in double first, so that they do not depend on the C library.
  const float ratio = static_cast<float>(size) / static_cast<float>(middle);
  const float whole = static_cast<float>(static_cast<double>(most - 1) / static_cast<double>(middle));
  const float share = static_cast<float>(std::log(static_cast<double>(ratio))) /
                      static_cast<float>(std::log(static_cast<double>(whole)));
  const auto range = static_cast<int64_t>(std::ceil(share * static_cast<float>(middle - 1))) + middle;
  return behind < 0 ? -range : range;
}

}  // namespace

int32_t deberta_row(int64_t behind, int64_t buckets, int64_t most) {
  const int64_t half = buckets > 0 ? buckets : most;
  const int64_t bucket = buckets > 0 ? logarithmic(behind, buckets, most) : behind;
  return static_cast<int32_t>(std::clamp<int64_t>(bucket + half, 0, 2 * half - 1));
}

}  // namespace phasor
