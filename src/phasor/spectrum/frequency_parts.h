#pragma once
// The exact form of rotary logits, one term a channel pair m:
//
//   products = sum_m Re{ W_m o G_m } + scale * (products of the channels in no pair)
//   (W_m)_ij = scale * q_im conj(k_jm),   (G_m)_ij = f_im conj(g_jm)     q, k plain pairs as complex numbers
//
// with f, g what turns queries and keys: e^{i theta_m p} for rope, so that G_m = e^{i theta_m (p_i - p_j)} is Toeplitz,
// W_m o G_m = D W_m D^* has the spectrum of W_m, and nothing is contracted before the real parts are added up. Every
// pair has a W_m of its own: a single kernel for all of them, as in (W o G), would be exact for one frequency only.
#include <cstdint>

#include "phasor/spectrum/head_logits.h"

namespace phasor {

// `pair` is an index into head.rotary_pairs.
ComplexDense pair_content(const HeadLogits& head, int64_t pair);  // W_m
ComplexDense pair_kernel(const HeadLogits& head, int64_t pair);   // G_m
ComplexDense pair_product(const HeadLogits& head, int64_t pair);  // W_m o G_m
Dense pair_part(const HeadLogits& head, int64_t pair);            // its real part

// Of the channels in no pair; zeros where every channel is in one.
Dense unturned_part(const HeadLogits& head);

// Shares of the variance of row-centred logits, as those of decomposition.h: Cov(part, logits) / Var(logits).
struct FrequencyShares {
  std::vector<double> pairs;  // one per rotary pair
  double unturned = 0.0;
  double bias = 0.0;
  bool defined = false;  // false where the rows of the logits are constant
};
FrequencyShares frequency_shares(const HeadLogits& head);

}  // namespace phasor
