#pragma once
// The rows that DeBERTa's distances read.
#include <cstdint>

namespace phasor {

// Of a key so far behind the query (ahead: negative), among 2 * buckets: distances up to buckets / 2 one by one, then
// logarithmic ranges up to `most` - 1; rows at both ends take what lies beyond. 0 buckets: 2 * most rows, all one by
// one.
int32_t deberta_row(int64_t behind, int64_t buckets, int64_t most);

}  // namespace phasor
