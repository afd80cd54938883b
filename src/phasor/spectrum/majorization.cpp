#include "phasor/spectrum/majorization.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/linalg/lapack.h"

namespace phasor {
namespace {

using Values = std::vector<double>;

// Of sums of `count` values of this size that LAPACK found.
double rounding(size_t count, double size) {
  return 16.0 * static_cast<double>(count) * std::numeric_limits<double>::epsilon() * size;
}

double magnitude_sum(const Values& values) {
  double total = 0.0;
  for (const double value : values) total += std::abs(value);
  return total;
}

void require_symmetric(DenseView a, std::string_view what) {
  require_square(a, what);
  require_finite(a, what);
}

bool is_symmetric(DenseView a) {
  const double allowed = rounding(static_cast<size_t>(a.extent(0)), largest_magnitude(a));
  return largest_magnitude(antisymmetric_part(a)) <= allowed;
}

Values diagonal(DenseView a) {
  Values result;
  for (int64_t i = 0; i < a.extent(0); ++i) result.push_back(a.row(i)[i]);
  return result;
}

// The hypotheses that Schur's bounds and Bapat and Sunder's share.
struct Hypotheses {
  bool met = false;
  std::string why;
  Values a_values;  // rising
  Values diagonal;  // of T
};

bool semidefinite(const Values& rising) { return rising.front() >= -rounding(rising.size(), magnitude_sum(rising)); }

Hypotheses hypotheses(DenseView a, DenseView t) {
  require_same_shape(a, t, "an entrywise product");
  require_symmetric(a, "an entrywise product");
  require_symmetric(t, "an entrywise product");
  if (a.extent(0) == 0) fail("an empty matrix (0 x 0) has no eigenvalues");
  Hypotheses h;
  h.a_values = symmetric_eigenvalues(symmetric_part(a));
  h.diagonal = diagonal(t);
  const Values t_values = symmetric_eigenvalues(symmetric_part(t));
  double off_unit = 0.0;
  for (const double value : h.diagonal) off_unit = std::max(off_unit, std::abs(value - 1.0));
  const bool unit = off_unit <= rounding(h.diagonal.size(), 1.0);
  if (!is_symmetric(a)) {
    h.why = "A is not symmetric";
  } else if (!is_symmetric(t)) {
    h.why = "T is not symmetric";
  } else if (!semidefinite(t_values)) {
    h.why = fmt::format("T is not positive semidefinite: its smallest eigenvalue is {:.3g}", t_values.front());
  } else if (!unit && !semidefinite(h.a_values)) {
    h.why = fmt::format("T's diagonal is not 1 and A is not positive semidefinite: its smallest eigenvalue is {:.3g}",
                        h.a_values.front());
  } else {
    h.met = true;
    h.why = unit ? "T is positive semidefinite with a unit diagonal" : "A and T are positive semidefinite";
  }
  return h;
}

Values product_eigenvalues(DenseView a, DenseView t) { return symmetric_eigenvalues(symmetric_part(hadamard(a, t))); }

BoundCheck partial_sum_check(std::string name, const Hypotheses& h, const Values& values, const Values& bounds) {
  const Majorization m = majorization(values, bounds);
  return {std::move(name), h.met, m.bound, m.measured, m.weak, fmt::format("{}; sums of the {} largest", h.why, m.at)};
}

Values column_lengths(DenseView x) {
  Values lengths;
  for (int64_t c = 0; c < x.extent(1); ++c) {
    Values column;
    for (int64_t r = 0; r < x.extent(0); ++r) column.push_back(x.row(r)[c]);
    lengths.push_back(norm(column));
  }
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  return lengths;
}

double largest_difference(const Values& x, const Values& y) {
  double largest = 0.0;
  for (size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

}  // namespace

Majorization majorization(Values x, Values y) {
  for (const Values* values : {&x, &y}) {
    for (const double value : *values) {
      if (!std::isfinite(value)) fail("majorisation: a value is {}; only finite numbers can be compared", value);
    }
  }
  const size_t count = std::max(x.size(), y.size());
  if (count == 0) fail("majorisation of empty spectra");
  x.resize(count);
  y.resize(count);
  std::sort(x.begin(), x.end(), std::greater<>());
  std::sort(y.begin(), y.end(), std::greater<>());
  Majorization m;
  m.tolerance = rounding(count, std::max(magnitude_sum(x), magnitude_sum(y)));
  double x_sum = 0.0;
  double y_sum = 0.0;
  double worst = -std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < count; ++k) {
    x_sum += x[k];
    y_sum += y[k];
    if (x_sum - y_sum > worst) {
      worst = x_sum - y_sum;
      m.at = static_cast<int64_t>(k) + 1;
      m.measured = x_sum;
      m.bound = y_sum;
    }
  }
  m.gap = std::max(0.0, worst);
  m.sum_difference = x_sum - y_sum;
  m.weak = worst <= m.tolerance;
  m.full = m.weak && std::abs(m.sum_difference) <= m.tolerance;
  return m;
}

BoundCheck schur_upper(DenseView a, DenseView t) {
  const Hypotheses h = hypotheses(a, t);
  const Values values = product_eigenvalues(a, t);
  const double bound = h.a_values.back() * *std::max_element(h.diagonal.begin(), h.diagonal.end());
  const bool holds = values.back() <= bound + rounding(values.size(), magnitude_sum(h.a_values));
  return {"Schur, largest eigenvalue", h.met, bound, values.back(), holds, h.why};
}

BoundCheck schur_lower(DenseView a, DenseView t) {
  const Hypotheses h = hypotheses(a, t);
  const Values values = product_eigenvalues(a, t);
  const double bound = -h.a_values.front() * *std::min_element(h.diagonal.begin(), h.diagonal.end());
  const bool holds = -values.front() <= bound + rounding(values.size(), magnitude_sum(h.a_values));
  return {"Schur, smallest eigenvalue", h.met, bound, -values.front(), holds, h.why};
}

BoundCheck bapat_sunder(DenseView a, DenseView t) {
  const Hypotheses h = hypotheses(a, t);
  Values sorted = h.diagonal;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  Values bounds = h.a_values;
  std::reverse(bounds.begin(), bounds.end());
  for (size_t i = 0; i < bounds.size(); ++i) bounds[i] *= sorted[i];
  return partial_sum_check("Bapat and Sunder", h, product_eigenvalues(a, t), bounds);
}

BoundCheck ando_horn_johnson(DenseView a, DenseView x, DenseView y) {
  require_same_shape(x, y, "factors of T = X^T Y");
  if (x.extent(1) != a.extent(1) || a.extent(0) != a.extent(1)) {
    fail("Ando, Horn and Johnson: A is {} x {} and X, Y have {} columns; all three must agree", a.extent(0),
         a.extent(1), x.extent(1));
  }
  const Values x_lengths = column_lengths(x);
  const Values y_lengths = column_lengths(y);
  Values bounds = singular_values(a);
  for (size_t i = 0; i < bounds.size(); ++i) bounds[i] *= x_lengths[i] * y_lengths[i];
  const Hypotheses always{true, "holds for every A and T", {}, {}};
  return partial_sum_check("Ando, Horn and Johnson", always, singular_values(hadamard(a, transposed_product(x, y))),
                           bounds);
}

BoundCheck weyl_singular(DenseView a, DenseView b) {
  const Dense both = sum(a, b);
  const Values before = singular_values(a);
  const Values after = singular_values(both);
  const double bound = singular_values(b).front();
  const double moved = largest_difference(before, after);
  const bool holds = moved <= bound + rounding(before.size(), before.front() + bound);
  return {"Weyl, singular values", true, bound, moved, holds, "holds for every A and B"};
}

BoundCheck weyl_symmetric(DenseView a, DenseView b) {
  const Dense both = sum(a, b);
  require_square(a, "Weyl's inequality");
  const Values before = symmetric_eigenvalues(symmetric_part(a));
  const Values after = symmetric_eigenvalues(symmetric_part(both));
  const double bound = singular_values(symmetric_part(b)).front();
  const double moved = largest_difference(before, after);
  const double size = std::max(std::abs(before.front()), std::abs(before.back())) + bound;
  return {"Weyl, symmetric parts",
          true,
          bound,
          moved,
          moved <= bound + rounding(before.size(), size),
          "holds for the symmetric parts of every A and B"};
}

}  // namespace phasor
