#pragma once
// What heads do with the positional part of their queries and keys, by a fit that tells places from words
// (ablation/position_fit.h) over many test sequences.
#include <cstdint>
#include <functional>
#include <vector>

#include "phasor/base/special_numbers.h"
#include "phasor/run/session.h"

namespace phasor {

// Test sequences that the positional part is fitted on, half of them for each of two estimates. Fewer leave too much
// noise in p: the Gram of an exactly Toeplitz model would not look Toeplitz.
inline constexpr int64_t kPositionSequences = 4096;

// Of one head; NaN where it is not defined.
struct HeadPosition {
  // Which share of the positional Gram distance explains (spectrum/toeplitz_agreement.h): Assumption 3.2.
  double gram_toeplitz = kNaN;
  // Of the variance of row-centred logits, what the positional Gram is.
  double gram_share = kNaN;
  // sigma_1 of the row-centred logits / sigma_1 of those of content alone: p taken out of queries and keys, all angles
  // at zero, no bias. Below 1 the encoding contracts, however it is composed.
  double composition = kNaN;
};

// [layers * heads], layer by layer.
std::vector<HeadPosition> measure_positions(Session& session);

// Test samples in batches as large as the model has memory for: the batch and the number of its first sample.
void for_each_test_batch(const Session& session, int64_t samples,
                         const std::function<void(const Batch& batch, int64_t first)>& use);

}  // namespace phasor
