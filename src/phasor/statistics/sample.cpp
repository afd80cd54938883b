#include "phasor/statistics/sample.h"

#include <cmath>

#include "phasor/base/error.h"

namespace phasor::statistics {

void require_values(Sample sample, std::string_view what) {
  if (sample.empty()) fail("{} needs at least one value, the sample is empty", what);
  for (size_t i = 0; i < sample.size(); ++i) {
    if (!std::isfinite(sample[i])) fail("{} needs finite values, value {} of the sample is {}", what, i, sample[i]);
  }
}

void require_paired(Sample x, Sample y, std::string_view what) {
  if (x.size() != y.size()) fail("{} needs pairs, the samples have {} and {} values", what, x.size(), y.size());
  require_values(x, what);
  require_values(y, what);
}

void require_level(double level) {
  if (!(level > 0.0 && level < 1.0)) fail("the level of an interval lies between 0 and 1, such as 0.95; got {}", level);
}

}  // namespace phasor::statistics
