#include "phasor/spectrum/toeplitz_agreement.h"

#include "phasor/linalg/lapack.h"

namespace phasor {
namespace {

constexpr double kLeastReliability = 0.5;

struct SplitSquares {
  double rest = 0.0;      // of all but c and b
  double toeplitz = 0.0;  // of that, what t explains
};

SplitSquares split_squares(const LogitSplit& split) {
  if (!split.defined) return {};
  return {(split.relative_alone + split.residual) * split.total, split.relative_alone * split.total};
}

Dense sum_or_difference(DenseView a, DenseView b, double sign) {
  Dense result = copy_of(a);
  for (int64_t r = 0; r < result.rows(); ++r) {
    for (int64_t c = 0; c < result.columns(); ++c) result(r, c) += sign * b.row(r)[c];
  }
  return result;
}

}  // namespace

// Of a projection P: <P a, P b> = (|P (a + b)|^2 - |P (a - b)|^2) / 4.
std::optional<ToeplitzAgreement> ToeplitzAgreementFitter::fit(DenseView first, DenseView second) const {
  require_same_shape(first, second, "two estimates of one matrix");
  const SplitSquares sum = split_squares(splitter_.split(sum_or_difference(first, second, 1.0)));
  const SplitSquares difference = split_squares(splitter_.split(sum_or_difference(first, second, -1.0)));
  const double common = sum.rest - difference.rest, all = sum.rest + difference.rest;
  if (!(all > 0.0) || common < kLeastReliability * all) return std::nullopt;
  return ToeplitzAgreement{(sum.toeplitz - difference.toeplitz) / common, common / all};
}

}  // namespace phasor
