#pragma once
// The spectrum of one logit matrix in the gauge it comes in (softmax ignores a constant per row, spectra do not).
// Unmasked logits S = Q K^T have rank <= d, and everything here follows exactly from a 2d x 2d matrix.
#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

#include "phasor/linalg/dense.h"

namespace phasor {

// How the singular values spread. All ranks are 0 for a zero matrix.
struct SingularSpectrum {
  std::vector<double> values;        // falling; those left out are exact zeros
  double largest = 0.0;              // sigma_1, the spectral norm
  double frobenius = 0.0;            // sqrt(sum sigma^2)
  double nuclear = 0.0;              // sum sigma
  double stable_rank = 0.0;          // frobenius^2 / largest^2
  double effective_rank = 0.0;       // exp of the entropy of sigma / nuclear (Roy and Vetterli)
  double participation_ratio = 0.0;  // (sum sigma^2)^2 / sum sigma^4
  int64_t numerical_rank = 0;        // how many exceed rank_tolerance * largest
  double rank_tolerance = 0.0;
  double condition = 0.0;  // largest / smallest of those: the full one is infinite wherever n > d
};

// Of (S + S^T) / 2.
struct SymmetricSpectrum {
  std::vector<double> values;  // rising; those left out are exact zeros
  double abscissa = 0.0;       // the largest eigenvalue: the numerical abscissa of S
  double width = 0.0;          // largest - smallest
  double antisymmetry = 0.0;   // share of the squared norm that is in (S - S^T) / 2
};

// Of S itself; these move easily where `henrici` is large.
struct EigenSpectrum {
  std::vector<std::complex<double>> values;  // by falling modulus; those left out are exact zeros
  std::vector<double> conditions;            // of each, where asked for
  double radius = 0.0;                       // largest modulus
  // sqrt(|S|_F^2 - sum |lambda|^2) / |S|_F: 0 for normal matrices. A difference of squares: what stays below about
  // 1e-7 is rounding.
  double henrici = 0.0;
};

struct Spectrum {
  int64_t size = 0;
  bool compressed = false;  // came from factors by the small matrix
  bool masked = false;      // entries above the diagonal were counted as 0
  SingularSpectrum singular;
  std::optional<SymmetricSpectrum> symmetric;
  std::optional<EigenSpectrum> eigen;
};

struct SpectrumOptions {
  bool symmetric = true;
  bool eigenvalues = true;
  bool conditions = false;      // of the eigenvalues; about doubles their cost
  double rank_tolerance = 0.0;  // 0: size * 2^-52, the rounding of a double matrix. Logits of an fp32 model carry
                                // size * 2^-23.
};

Spectrum spectrum(DenseView logits, const SpectrumOptions& options = {});

// Of S = scale * queries keys^T, both [n, d], without forming S where 2 d < n; dense otherwise. Queries and keys are
// those that are multiplied: after rotation.
Spectrum spectrum_of_factors(DenseView queries, DenseView keys, const SpectrumOptions& options = {},
                             double scale = 1.0);

// Of causal logits: singular values of the lower triangle with zeros above it, whatever stands there (-inf, say).
// Asking for eigenvalues or the symmetric part is refused: a triangular matrix has its diagonal for eigenvalues.
Spectrum spectrum_of_masked(DenseView logits,
                            const SpectrumOptions& options = {.symmetric = false, .eigenvalues = false});

// Everything but the values from given singular values (falling) of a matrix of this size.
SingularSpectrum singular_spectrum(std::vector<double> values, int64_t size, double rank_tolerance = 0.0);

// The small matrix that stands for S: S = U core U^T with orthonormal columns in U. Its rank is at most d of 2 d, so
// that zero eigenvalues, which S has more of, are among its own too, and 0 is in its numerical range.
Dense compressed_core(DenseView queries, DenseView keys);
bool compresses(DenseView queries, DenseView keys);  // 2 d < n

}  // namespace phasor
