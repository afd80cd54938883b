#include "phasor/encoding/resolve/table_source.h"

#include <functional>
#include <numeric>

namespace phasor {

int64_t LearnedParameter::size() const {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace phasor
