#pragma once
// The theorems that are quoted on positional encodings beside one head's logits: whether their hypotheses are met, the
// bound and what was measured. Where a theorem does not apply its bound is shown all the same, as it would read with a
// factor of unit diagonal: so one sees whether its conclusion happens to be true.
#include <vector>

#include "phasor/spectrum/bound_check.h"
#include "phasor/spectrum/hadamard_form.h"
#include "phasor/spectrum/head_logits.h"

namespace phasor {

// On the logits before the mask, apart from Weyl's, which a mask does not touch: it is asked of what attention reads.
//
//  Schur, largest / smallest eigenvalue   of the symmetric part of S = A o T: within those of A's
//  Bapat and Sunder                       all of them, by sums of the largest
//  Ando, Horn and Johnson                 the same for singular values, any A
//  one frequency, complex Gram            singular values of S = Re(W o E) against those of W
//  sum over frequencies                   sigma_1(S) <= sum_m |W_m|: always true, and no contraction
//  Weyl, singular values / symmetric      a bias moves none by more than its own norm
//  Szego, rotations / bias                eigenvalues spread like the symbol: for summable kernels only
std::vector<BoundCheck> theory_checks(const HeadLogits& head);

}  // namespace phasor
