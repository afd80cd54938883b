#pragma once
// Majorisation: partial sums of the largest values. x is weakly majorised by y when every sum of x's k largest is at
// most y's, and majorised when the full sums agree too; then x is the more even of the two spectra. With it the
// theorems on entrywise products A o T, which is what one rotary frequency does to logits.
#include <cstdint>
#include <vector>

#include "phasor/linalg/dense.h"
#include "phasor/spectrum/bound_check.h"

namespace phasor {

struct Majorization {
  double gap = 0.0;             // the largest excess of a partial sum of x over y's; 0 if there is none
  int64_t at = 0;               // the k where the excess (or else the slack) is extreme
  double measured = 0.0;        // partial sums there, of x
  double bound = 0.0;           // and of y
  double sum_difference = 0.0;  // sum x - sum y
  double tolerance = 0.0;       // what counts as rounding, absolute
  bool weak = false;
  bool full = false;
};

// In any order; the shorter list is filled up with zeros.
Majorization majorization(std::vector<double> x, std::vector<double> y);

// A symmetric, T symmetric. Schur: lambda(A o T) lies between lambda_min(A) min t_ii and lambda_max(A) max t_ii, for
// positive semidefinite T where A is so too or T has a unit diagonal.
BoundCheck schur_upper(DenseView a, DenseView t);
BoundCheck schur_lower(DenseView a, DenseView t);  // measured and bound with the sign turned, so that <= is the claim
// Bapat and Sunder: for the same hypotheses the k largest of lambda(A o T) sum up to at most those of
// lambda(A) times the diagonal of T, both falling; shown at the worst k.
BoundCheck bapat_sunder(DenseView a, DenseView t);
// Ando, Horn and Johnson: for any A and T = X^T Y (X, Y given as [d, n]) the k largest singular values of A o T sum up
// to at most sum c_i(X) c_i(Y) sigma_i(A), with falling column lengths c; shown at the worst k. No hypothesis.
BoundCheck ando_horn_johnson(DenseView a, DenseView x, DenseView y);
// Weyl: adding B moves no singular value by more than sigma_1(B); no eigenvalue either where both are symmetric.
BoundCheck weyl_singular(DenseView a, DenseView b);
BoundCheck weyl_symmetric(DenseView a, DenseView b);

}  // namespace phasor
