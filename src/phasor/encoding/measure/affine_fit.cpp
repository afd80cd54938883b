#include "phasor/encoding/measure/affine_fit.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "phasor/linalg/lapack.h"

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

DenseView view(const Table& table) { return DenseView(table.values.data(), table.rows, table.columns); }

}  // namespace

AffineMap::AffineMap(const Table& from, const Table& to)
    : from_mean_(column_means(from)), to_mean_(column_means(to)), matrix_(from.columns, to.columns) {
  assert(from.rows == to.rows && from.rows > 0);
  if (from.columns == 0 || to.columns == 0) return;
  const Table x = centred(from, from_mean_);
  const Table y = centred(to, to_mean_);
  const double rounding = static_cast<double>(std::max(x.rows, x.columns)) * std::numeric_limits<double>::epsilon();
  LeastSquares fit = least_squares(view(x), view(y), rounding);
  rank_ = fit.rank;
  matrix_.values = std::move(fit.solution.values());
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
