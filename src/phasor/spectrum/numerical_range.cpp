#include "phasor/spectrum/numerical_range.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/linalg/lapack.h"
#include "phasor/spectrum/spectrum.h"

namespace phasor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

class Supports {
 public:
  explicit Supports(DenseView a)
      : matrix_(copy_of(a)), symmetric_(symmetric_part(a)), antisymmetric_(antisymmetric_part(a)) {}

  struct Line {
    double support = 0.0;
    Complex point;
  };
  // Those with normals at `angle` and at pi - `angle`.
  std::pair<Line, Line> lines(double angle) const {
    const HermitianEnds ends = hermitian_ends(hermitian(angle), true);
    // The opposite normal is angle + pi; its mirror image across the real axis is pi - angle.
    return {{ends.largest, point_of(ends.largest_vector)}, {-ends.smallest, std::conj(point_of(ends.smallest_vector))}};
  }
  double support(double angle) const { return hermitian_ends(hermitian(angle), false).largest; }

 private:
  // (e^{-i angle} A + its adjoint) / 2 = cos(angle) symmetric - i sin(angle) antisymmetric
  ComplexDense hermitian(double angle) const {
    ComplexDense h(matrix_.rows(), matrix_.rows());
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    for (size_t i = 0; i < h.values().size(); ++i) {
      h.values()[i] = {cosine * symmetric_.values()[i], -sine * antisymmetric_.values()[i]};
    }
    return h;
  }
  Complex point_of(const std::vector<Complex>& x) const {
    Complex total = 0.0;
    for (int64_t r = 0; r < matrix_.rows(); ++r) {
      Complex row = 0.0;
      for (int64_t c = 0; c < matrix_.columns(); ++c) row += matrix_(r, c) * x[static_cast<size_t>(c)];
      total += std::conj(x[static_cast<size_t>(r)]) * row;
    }
    return total;
  }

  Dense matrix_, symmetric_, antisymmetric_;
};

struct Peak {
  double angle = 0.0;
  double height = 0.0;
};

// The top of h between two angles, h(middle) being above both: Brent's search (parabolas, golden sections where they
// mislead). The height is good to rounding once the angle is good to its root.
Peak climb(const Supports& supports, double low, double middle, double high, double height) {
  constexpr double kGolden = 0.3819660112501051;
  constexpr double kAngle = 1e-7;
  double best = middle, second = middle, third = middle;
  double best_h = height, second_h = height, third_h = height;
  double step = 0.0;
  double before_last = 0.0;
  for (int i = 0; i < 60; ++i) {
    const double centre = 0.5 * (low + high);
    if (std::abs(best - centre) + 0.5 * (high - low) <= 2.0 * kAngle) break;
    bool parabola = false;
    if (std::abs(before_last) > kAngle) {
      const double r = (best - second) * (best_h - third_h);
      double q = (best - third) * (best_h - second_h);
      double p = (best - third) * q - (best - second) * r;
      q = 2.0 * (q - r);
      if (q > 0.0) p = -p;
      q = std::abs(q);
      if (std::abs(p) < std::abs(0.5 * q * before_last) && p > q * (low - best) && p < q * (high - best)) {
        before_last = step;
        step = p / q;
        parabola = true;
      }
    }
    if (!parabola) {
      before_last = best < centre ? high - best : low - best;
      step = kGolden * before_last;
    }
    const double trial = std::abs(step) >= kAngle ? best + step : best + std::copysign(kAngle, step);
    const double h = supports.support(trial);
    if (h >= best_h) {
      (trial >= best ? low : high) = best;
      third = second, third_h = second_h;
      second = best, second_h = best_h;
      best = trial, best_h = h;
    } else {
      (trial < best ? low : high) = trial;
      if (h >= second_h || second == best) {
        third = second, third_h = second_h;
        second = trial, second_h = h;
      } else if (h >= third_h || third == best || third == second) {
        third = trial, third_h = h;
      }
    }
  }
  return {best, best_h};
}

// How far out W can reach between two normals `step` apart: to the corner of the two lines where it lies between the
// normals, else to the farther line.
double reach_between(double first, double second, double step) {
  const double cosine = std::cos(step);
  if (second < first * cosine || first < second * cosine) return std::max(first, second);
  return std::hypot(first, (second - first * cosine) / std::sin(step));
}

NumericalRange range_of(const Supports& supports, int64_t wanted) {
  if (wanted < 4) fail("a numerical range needs at least 4 angles, not {}", wanted);
  const int64_t quarter = (wanted + 3) / 4;
  const int64_t count = 4 * quarter;
  const double step = 2.0 * pi / static_cast<double>(count);
  NumericalRange range;
  range.angles.resize(static_cast<size_t>(count));
  range.support.resize(static_cast<size_t>(count));
  range.boundary.resize(static_cast<size_t>(count));
  const auto put = [&](int64_t k, const Supports::Line& line) {
    const auto at = static_cast<size_t>(k);
    const auto mirrored = static_cast<size_t>((count - k) % count);
    range.support[at] = range.support[mirrored] = line.support;
    range.boundary[mirrored] = std::conj(line.point);
    range.boundary[at] = line.point;
  };
  for (int64_t k = 0; k < count; ++k) range.angles[static_cast<size_t>(k)] = step * static_cast<double>(k);
  for (int64_t k = 0; k <= quarter; ++k) {
    const auto [here, opposite] = supports.lines(step * static_cast<double>(k));
    put(2 * quarter - k, opposite);
    put(k, here);
  }

  // Upper half and one angle beyond each end, by symmetry.
  const auto height = [&](int64_t k) { return range.support[static_cast<size_t>((k + count) % count)]; };
  std::vector<Peak> peaks;
  for (int64_t k = 0; k <= 2 * quarter; ++k) {
    if (height(k) >= height(k - 1) && height(k) >= height(k + 1))
      peaks.push_back({step * static_cast<double>(k), height(k)});
  }
  std::stable_sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) { return a.height > b.height; });
  // A range like a disc has a peak everywhere: the highest few decide, and the bound tells what is left open.
  constexpr size_t kClimbs = 4;
  for (size_t i = 0; i < peaks.size(); ++i) {
    // A peak next to k is at most the corner of two lines, 1 / cos(step) above.
    const bool hopeful = i == 0 || peaks[i].height > range.radius * std::cos(step);
    const Peak top = hopeful && i < kClimbs ? climb(supports, peaks[i].angle - step, peaks[i].angle,
                                                    peaks[i].angle + step, peaks[i].height)
                                            : peaks[i];
    if (i == 0 || top.height > range.radius) {
      range.radius = top.height;
      range.radius_angle = std::abs(top.angle);
    }
  }
  for (int64_t k = 0; k < 2 * quarter; ++k) {
    range.radius_bound = std::max(range.radius_bound, reach_between(height(k), height(k + 1), step));
  }
  range.radius_bound = std::max(range.radius_bound, range.radius);
  return range;
}

NumericalRange scaled(NumericalRange range, int exponent) {
  if (exponent == 0) return range;
  for (double& h : range.support) h = scaled_back(h, exponent, "a support line of the numerical range");
  for (Complex& z : range.boundary) {
    z = {scaled_back(z.real(), exponent, "a point of the numerical range"),
         scaled_back(z.imag(), exponent, "a point of the numerical range")};
  }
  range.radius = scaled_back(range.radius, exponent, "the numerical radius");
  range.radius_bound = scaled_back(range.radius_bound, exponent, "the bound of the numerical radius");
  return range;
}

}  // namespace

NumericalRange numerical_range(DenseView a, int64_t angles) {
  require_square(a, "a numerical range");
  if (a.extent(0) == 0) fail("an empty matrix (0 x 0) has no numerical range");
  require_finite(a, "a numerical range");
  const int exponent = binary_exponent(a);
  return scaled(range_of(Supports(scaled_by_power(a, -exponent)), angles), exponent);
}

NumericalRange numerical_range_of_factors(DenseView queries, DenseView keys, int64_t angles) {
  require_same_shape(queries, keys, "logits from queries and keys");
  require_finite(queries, "queries");
  require_finite(keys, "keys");
  const int query_exponent = binary_exponent(queries);
  const int key_exponent = binary_exponent(keys);
  const Dense q = scaled_by_power(queries, -query_exponent);
  const Dense k = scaled_by_power(keys, -key_exponent);
  const Dense matrix = compresses(q, k) ? compressed_core(q, k) : product_transposed(q, k);
  return scaled(range_of(Supports(matrix), angles), query_exponent + key_exponent);
}

}  // namespace phasor
