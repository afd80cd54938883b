#include "phasor/encoding/affine_fit.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace phasor {
namespace {

std::vector<double> column_means(const Table& table) {
  std::vector<double> means(static_cast<size_t>(table.columns));
  for (int64_t r = 0; r < table.rows; ++r) {
    for (int64_t c = 0; c < table.columns; ++c) means[static_cast<size_t>(c)] += table(r, c);
  }
  for (double& mean : means) mean /= static_cast<double>(table.rows);
  return means;
}

Table centred(Table table, const std::vector<double>& means) {
  for (int64_t r = 0; r < table.rows; ++r) {
    for (int64_t c = 0; c < table.columns; ++c) table(r, c) -= means[static_cast<size_t>(c)];
  }
  return table;
}

// Of each column from `corner` on, below that row.
std::vector<double> column_squares(const Table& a, int64_t corner) {
  std::vector<double> squares(static_cast<size_t>(a.columns));
  for (int64_t r = corner; r < a.rows; ++r) {
    for (int64_t c = corner; c < a.columns; ++c) squares[static_cast<size_t>(c)] += a(r, c) * a(r, c);
  }
  return squares;
}

// I - 2 v v^T / v^T v with v[r] = 0 above row `first`.
struct Reflector {
  int64_t first = 0;
  std::vector<double> v;  // from row `first` on
  double square = 0.0;

  // Makes column k of `a` zero below row k.
  Reflector(const Table& a, int64_t k) : first(k) {
    double column = 0.0;
    for (int64_t r = k; r < a.rows; ++r) {
      v.push_back(a(r, k));
      column += v.back() * v.back();
    }
    v[0] += std::copysign(std::sqrt(column), v[0]);  // the sign that loses no digits
    for (const double value : v) square += value * value;
  }

  void apply(Table& a, int64_t from_column = 0) const {
    if (square == 0.0) return;
    const int64_t count = static_cast<int64_t>(v.size());
    std::vector<double> products(static_cast<size_t>(a.columns));
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t c = from_column; c < a.columns; ++c) {
        products[static_cast<size_t>(c)] += v[static_cast<size_t>(r)] * a(first + r, c);
      }
    }
    for (int64_t r = 0; r < count; ++r) {
      const double factor = 2.0 * v[static_cast<size_t>(r)] / square;
      for (int64_t c = from_column; c < a.columns; ++c) {
        a(first + r, c) -= factor * products[static_cast<size_t>(c)];
      }
    }
  }
};

// Turns `a` into an upper triangle whose diagonal falls, by rotating rows (of `b` too) and swapping columns.
// Returns its rank; order[k] is the column of the original that came to stand at k.
int64_t triangulate(Table& a, Table& b, std::vector<int64_t>& order) {
  order.resize(static_cast<size_t>(a.columns));
  std::iota(order.begin(), order.end(), 0);
  const int64_t steps = std::min(a.rows, a.columns);
  double threshold = 0.0;
  for (int64_t k = 0; k < steps; ++k) {
    const std::vector<double> squares = column_squares(a, k);
    const int64_t pivot = std::max_element(squares.begin() + k, squares.end()) - squares.begin();
    const double norm = std::sqrt(squares[static_cast<size_t>(pivot)]);
    if (k == 0) {
      const double size = static_cast<double>(std::max(a.rows, a.columns));
      threshold = size * std::numeric_limits<double>::epsilon() * norm;
    }
    if (norm <= threshold) return k;
    if (pivot != k) {
      for (int64_t r = 0; r < a.rows; ++r) std::swap(a(r, k), a(r, pivot));
      std::swap(order[static_cast<size_t>(k)], order[static_cast<size_t>(pivot)]);
    }
    const Reflector reflector(a, k);
    reflector.apply(a, k);
    reflector.apply(b);
  }
  return steps;
}

}  // namespace

// With X P = Q R of rank r and R's first r rows (L 0) Z^T: the smallest solution is P Z (L^-1 Q^T Y).
AffineMap::AffineMap(const Table& from, const Table& to)
    : from_mean_(column_means(from)), to_mean_(column_means(to)), matrix_(from.columns, to.columns) {
  assert(from.rows == to.rows && from.rows > 0);
  Table x = centred(from, from_mean_);
  Table y = centred(to, to_mean_);
  std::vector<int64_t> order;
  rank_ = triangulate(x, y, order);

  Table transposed(from.columns, rank_);
  for (int64_t r = 0; r < rank_; ++r) {
    for (int64_t c = r; c < from.columns; ++c) transposed(c, r) = x(r, c);
  }
  std::vector<Reflector> reflectors;
  for (int64_t k = 0; k < rank_; ++k) {
    reflectors.emplace_back(transposed, k);
    reflectors.back().apply(transposed, k);
  }
  Table solution(from.columns, to.columns);
  for (int64_t r = 0; r < rank_; ++r) {  // forward through L, which is the transposed triangle
    for (int64_t c = 0; c < to.columns; ++c) {
      double value = y(r, c);
      for (int64_t k = 0; k < r; ++k) value -= transposed(k, r) * solution(k, c);
      solution(r, c) = value / transposed(r, r);
    }
  }
  for (size_t k = reflectors.size(); k-- > 0;) reflectors[k].apply(solution);
  for (int64_t r = 0; r < from.columns; ++r) {
    for (int64_t c = 0; c < to.columns; ++c) matrix_(order[static_cast<size_t>(r)], c) = solution(r, c);
  }
}

std::vector<double> AffineMap::operator()(const double* row) const {
  std::vector<double> result = to_mean_;
  for (int64_t r = 0; r < matrix_.rows; ++r) {
    const double value = row[r] - from_mean_[static_cast<size_t>(r)];
    for (int64_t c = 0; c < matrix_.columns; ++c) result[static_cast<size_t>(c)] += value * matrix_(r, c);
  }
  return result;
}

}  // namespace phasor
