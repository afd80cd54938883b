#pragma once
// Which bucket of distances T5 puts a distance into: near ones have a bucket each, farther ones share one per
// logarithmic step, and all from max_distance on share the last.
#include <cstdint>

namespace phasor {

// `distance` is p_j - p_i. Bidirectional: the first half of the buckets is for keys up to the query, the second
// half for keys after it. Otherwise all keys after the query are in bucket 0. Needs max_distance beyond the buckets
// of single distances, of which there must be one at least: exact_t5_buckets().
int32_t t5_bucket(int64_t distance, int64_t buckets, int64_t max_distance, bool bidirectional);

// Distances 0 .. this - 1 have a bucket to themselves.
int64_t exact_t5_buckets(int64_t buckets, bool bidirectional);

}  // namespace phasor
