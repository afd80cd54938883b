#pragma once
// What positions did to the spectrum: the logits beside those of the same queries and keys without the positions (all
// angles at zero). A ratio below 1 is a contraction. For real rotary encodings no theorem promises one.
#include "phasor/spectrum/majorization.h"
#include "phasor/spectrum/spectrum.h"

namespace phasor {

struct Contraction {
  bool defined = false;        // false where the logits without positions are 0: any spectrum is infinitely larger
  double spectral_norm = 0.0;  // sigma_1 with / sigma_1 without
  double frobenius = 0.0;
  double nuclear = 0.0;
  double stable_rank = 0.0;
  double effective_rank = 0.0;
  double symmetric_width = 0.0;  // where both spectra have a symmetric part of some width, else 0
  Majorization singular;         // singular values with positions against those without; weak: contracted as a whole
};

Contraction contraction(const Spectrum& with_positions, const Spectrum& without);

struct FactorPair {
  DenseView queries;
  DenseView keys;
};
Contraction contraction(const FactorPair& with_positions, const FactorPair& without);

}  // namespace phasor
