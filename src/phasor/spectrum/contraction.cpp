#include "phasor/spectrum/contraction.h"

#include "phasor/base/error.h"

namespace phasor {

Contraction contraction(const Spectrum& with_positions, const Spectrum& without) {
  if (with_positions.size != without.size) {
    fail("a contraction compares logits of one size, not {} and {}", with_positions.size, without.size);
  }
  const SingularSpectrum& with = with_positions.singular;
  const SingularSpectrum& plain = without.singular;
  Contraction result;
  result.singular = majorization(with.values, plain.values);
  result.defined = plain.largest > 0.0;
  if (!result.defined) return result;
  result.spectral_norm = with.largest / plain.largest;
  result.frobenius = with.frobenius / plain.frobenius;
  result.nuclear = with.nuclear / plain.nuclear;
  result.stable_rank = with.stable_rank / plain.stable_rank;
  result.effective_rank = with.effective_rank / plain.effective_rank;
  if (with_positions.symmetric && without.symmetric && without.symmetric->width > 0.0) {
    result.symmetric_width = with_positions.symmetric->width / without.symmetric->width;
  }
  return result;
}

Contraction contraction(const FactorPair& with_positions, const FactorPair& without) {
  const SpectrumOptions options{.symmetric = true, .eigenvalues = false};
  return contraction(spectrum_of_factors(with_positions.queries, with_positions.keys, options),
                     spectrum_of_factors(without.queries, without.keys, options));
}

}  // namespace phasor
