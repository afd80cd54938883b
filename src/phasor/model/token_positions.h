#pragma once
// Where the tokens of a batch stand, on every axis that an encoding reads.
#include <cstdint>
#include <vector>

#include "phasor/encoding/resolve/resolved.h"
#include "phasor/task/batch.h"

namespace phasor {

// [tokens, axes]. Random positions of a sequence are a function of the seed, the step and its tokens: neither
// the batch around it nor its place there matters. Evaluation is step 0.
std::vector<int32_t> token_positions(const Batch& batch, const ResolvedEncoding& encoding, uint64_t seed,
                                     uint32_t step);

}  // namespace phasor
