#pragma once
// What a model's heads do with position, in numbers: means over the sequences of a batch.
#include <cstdint>
#include <vector>

#include "phasor/model/transformer.h"
#include "phasor/spectrum/decomposition.h"
#include "phasor/spectrum/position_means.h"

namespace phasor {

// Spectra are those of the logits as they are, bias included; of causal heads singular values of the lower triangle.
// A mean is over the sequences where the number is defined; where that is none of them it stays as it starts here. A
// head that has diverged, with logits that are not finite, has NaN for everything.
struct HeadMeasures {
  int64_t layer = 0, head = 0;
  double spectral_norm = 0.0;
  double stable_rank = 0.0;
  double effective_rank = 0.0;
  double participation_ratio = 0.0;
  double contraction = 1.0;        // sigma_1 with angles / sigma_1 of the same queries and keys with angles at zero
  double bias_expansion = 1.0;     // sigma_1(products + bias) / sigma_1(products)
  double relative_r2 = 0.0;        // adjusted, of the logits
  double position_toeplitz = 0.0;  // adjusted, of the positional Gram G_pp (with rotation): Assumption 3.2
  double interaction = 0.0;        // share of content x offset interaction (interaction.h)
  PartShares shares;
};

struct ModelSpectrumOptions {
  bool shares = true;  // and position_toeplitz
  bool interaction = true;
  int64_t most_sequences = 64;  // the first of the batch
  // Of the positional part. Products between two halves have no bias by the noise of means: the Toeplitz fit of G_pp
  // takes (p of one half)^T (p of the other), over the places that at least half of the sequences have.
  PositionEstimator estimator = PositionEstimator::halves;
  int64_t interaction_draws = 64;
};

// [layers * heads], layer by layer. Runs the model forward; sequences with fewer than 3 tokens are left out of the
// means.
std::vector<HeadMeasures> measure_heads(Transformer& model, const Batch& batch,
                                        const ModelSpectrumOptions& options = {});

}  // namespace phasor
