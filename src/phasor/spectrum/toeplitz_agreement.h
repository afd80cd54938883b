#pragma once
// How Toeplitz a matrix is of which only two noisy estimates are known, with independent noise: Assumption 3.2, asked
// of the positional Gram.
//
// A constant per query is invisible to attention, and a constant per key depends on where positions are centred: with
// p_i + m in place of p_i, (p_i + m)^T M (p_j + m) has m^T M p_j more. So both are taken out, and the question is asked
// of the rest: G ~ c_i + b_j + t_{j-i}, which share of G - c - b is t? In sums of squares noise would count as what is
// not Toeplitz. Inner products of two estimates have no such bias:
//
//   share = <T A, T B> / <R A, R B>,   R = all but c and b, T = the part of R that t explains.
#include <cstdint>
#include <optional>

#include "phasor/spectrum/logit_split.h"

namespace phasor {

struct ToeplitzAgreement {
  double share = 0.0;        // 1 for an exact Toeplitz matrix, with a constant per query and per key
  double reliability = 0.0;  // correlation of the two estimates without c and b: 0 is noise alone
};

class ToeplitzAgreementFitter {
 public:
  explicit ToeplitzAgreementFitter(int64_t size, bool causal = false) : splitter_(size, causal) {}

  // None where the estimates correlate by less than a half: then it is a statement about noise.
  std::optional<ToeplitzAgreement> fit(DenseView first, DenseView second) const;

 private:
  LogitSplitter splitter_;
};

}  // namespace phasor
