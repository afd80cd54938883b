#include "phasor/spectrum/spectrum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/linalg/lapack.h"

namespace phasor {
namespace {

void rescale(std::vector<double>& values, int exponent, std::string_view what) {
  if (exponent == 0) return;
  for (double& value : values) value = scaled_back(value, exponent, what);
}

SymmetricSpectrum symmetric_spectrum(DenseView matrix) {
  SymmetricSpectrum result;
  result.values = symmetric_eigenvalues(symmetric_part(matrix));
  result.abscissa = result.values.back();
  result.width = result.values.back() - result.values.front();
  const double whole = frobenius_norm(matrix);
  const double part = frobenius_norm(antisymmetric_part(matrix));
  if (whole > 0.0) result.antisymmetry = (part / whole) * (part / whole);
  return result;
}

void sort_by_modulus(EigenSpectrum& eigen) {
  std::vector<size_t> order(eigen.values.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Ties, conjugate pairs above all: the larger imaginary part first, so that the order is one.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double left = std::abs(eigen.values[a]);
    const double right = std::abs(eigen.values[b]);
    return left != right ? left > right : eigen.values[a].imag() > eigen.values[b].imag();
  });
  const EigenSpectrum old = eigen;
  for (size_t i = 0; i < order.size(); ++i) {
    eigen.values[i] = old.values[order[i]];
    if (!old.conditions.empty()) eigen.conditions[i] = old.conditions[order[i]];
  }
}

EigenSpectrum eigen_spectrum(ConditionedEigenvalues values, double frobenius) {
  EigenSpectrum result{std::move(values.values), std::move(values.conditions)};
  sort_by_modulus(result);
  if (!result.values.empty()) result.radius = std::abs(result.values.front());
  if (frobenius > 0.0) {
    double share = 0.0;
    for (const std::complex<double>& value : result.values) share += std::norm(value / frobenius);
    result.henrici = std::sqrt(std::max(0.0, 1.0 - share));
  }
  return result;
}

// Puts the scale back that was taken out before anything was squared; ratios need nothing.
void rescale(Spectrum& s, int exponent) {
  if (exponent == 0) return;
  rescale(s.singular.values, exponent, "a singular value");
  s.singular.largest = scaled_back(s.singular.largest, exponent, "the spectral norm");
  s.singular.frobenius = scaled_back(s.singular.frobenius, exponent, "the Frobenius norm");
  s.singular.nuclear = scaled_back(s.singular.nuclear, exponent, "the nuclear norm");
  if (s.symmetric) {
    rescale(s.symmetric->values, exponent, "an eigenvalue of the symmetric part");
    s.symmetric->abscissa = scaled_back(s.symmetric->abscissa, exponent, "the numerical abscissa");
    s.symmetric->width = scaled_back(s.symmetric->width, exponent, "the width of the symmetric part");
  }
  if (s.eigen) {
    for (std::complex<double>& value : s.eigen->values) {
      value = {scaled_back(value.real(), exponent, "an eigenvalue"),
               scaled_back(value.imag(), exponent, "an eigenvalue")};
    }
    s.eigen->radius = scaled_back(s.eigen->radius, exponent, "the spectral radius");
  }
}

Spectrum dense_spectrum(const Dense& matrix, const SpectrumOptions& options) {
  Spectrum result;
  result.size = matrix.rows();
  result.singular = singular_spectrum(singular_values(matrix), matrix.rows(), options.rank_tolerance);
  if (options.symmetric) result.symmetric = symmetric_spectrum(matrix);
  if (options.eigenvalues) {
    result.eigen = eigen_spectrum(
        options.conditions ? conditioned_eigenvalues(matrix) : ConditionedEigenvalues{eigenvalues(matrix), {}},
        result.singular.frobenius);
  }
  return result;
}

void require_logits(DenseView logits) {
  require_square(logits, "a spectrum of logits");
  if (logits.extent(0) == 0) fail("an empty matrix (0 x 0) has no spectrum");
}

}  // namespace

SingularSpectrum singular_spectrum(std::vector<double> values, int64_t size, double rank_tolerance) {
  SingularSpectrum s;
  s.values = std::move(values);
  s.rank_tolerance =
      rank_tolerance > 0.0 ? rank_tolerance : static_cast<double>(size) * std::numeric_limits<double>::epsilon();
  if (s.values.empty() || s.values.front() == 0.0) return s;
  s.largest = s.values.front();
  double first = 0.0;
  double second = 0.0;
  double fourth = 0.0;
  for (const double value : s.values) {
    const double x = value / s.largest;
    first += x;
    second += x * x;
    fourth += x * x * x * x;
    if (x > s.rank_tolerance) ++s.numerical_rank;
  }
  double entropy = 0.0;
  for (const double value : s.values) {
    const double share = value / s.largest / first;
    if (share > 0.0) entropy -= share * std::log(share);
  }
  s.frobenius = s.largest * std::sqrt(second);
  s.nuclear = s.largest * first;
  s.stable_rank = second;
  s.effective_rank = std::exp(entropy);
  s.participation_ratio = second * second / fourth;
  s.condition = s.largest / s.values[static_cast<size_t>(s.numerical_rank - 1)];
  return s;
}

Spectrum spectrum(DenseView logits, const SpectrumOptions& options) {
  require_logits(logits);
  require_finite(logits, "a spectrum of logits");
  const int exponent = binary_exponent(logits);
  Spectrum result = dense_spectrum(scaled_by_power(logits, -exponent), options);
  rescale(result, exponent);
  return result;
}

bool compresses(DenseView queries, DenseView keys) { return queries.extent(1) + keys.extent(1) < queries.extent(0); }

Dense compressed_core(DenseView queries, DenseView keys) {
  const int64_t width = queries.extent(1);
  const Dense r = qr_triangle(side_by_side(queries, keys));  // [2d, 2d]: what queries and keys are in the basis U
  return product_transposed(r.view().last_range(0, width), r.view().last_range(width, keys.extent(1)));
}

Spectrum spectrum_of_factors(DenseView queries, DenseView keys, const SpectrumOptions& options, double scale) {
  require_same_shape(queries, keys, "logits from queries and keys");
  if (queries.extent(0) == 0 || queries.extent(1) == 0) {
    fail("queries and keys of {} x {} make no logits", queries.extent(0), queries.extent(1));
  }
  require_finite(queries, "queries");
  require_finite(keys, "keys");
  if (!std::isfinite(scale)) fail("the scale of logits is {}, which is not finite", scale);
  int scale_exponent = 0;
  const double fraction = std::frexp(scale, &scale_exponent);
  const int query_exponent = binary_exponent(queries);
  const int key_exponent = binary_exponent(keys);
  const int exponent = query_exponent + key_exponent + scale_exponent;
  Dense q = scaled_by_power(queries, -query_exponent);
  const Dense k = scaled_by_power(keys, -key_exponent);
  for (double& value : q.values()) value *= fraction;

  Spectrum result;
  if (!compresses(q, k)) {
    result = dense_spectrum(product_transposed(q, k), options);
  } else {
    const Dense core = compressed_core(q, k);
    std::vector<double> values = singular_values(core);
    values.resize(static_cast<size_t>(q.columns()));  // of 2 d values at most d are not zero
    result.size = q.rows();
    result.compressed = true;
    result.singular = singular_spectrum(std::move(values), result.size, options.rank_tolerance);
    if (options.symmetric) result.symmetric = symmetric_spectrum(core);
    if (options.eigenvalues) {
      result.eigen =
          eigen_spectrum(options.conditions ? conditioned_eigenvalues_of_factors(q, k)
                                            : ConditionedEigenvalues{eigenvalues(transposed_product(k, q)), {}},
                         result.singular.frobenius);
    }
  }
  rescale(result, exponent);
  return result;
}

Spectrum spectrum_of_masked(DenseView logits, const SpectrumOptions& options) {
  require_logits(logits);
  if (options.eigenvalues || options.symmetric) {
    fail(
        "a masked matrix is triangular: its eigenvalues are its diagonal, whatever the model does; ask for singular "
        "values only, or take the logits without the mask");
  }
  const Dense lower = lower_triangle(logits);
  require_finite(lower, "masked logits, on and below the diagonal");
  Spectrum result = spectrum(lower, options);
  result.masked = true;
  return result;
}

}  // namespace phasor
