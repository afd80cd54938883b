#include "phasor/ablation/position_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/linalg/lapack.h"

namespace phasor {

PositionFit::PositionFit(int64_t words, int64_t positions, int64_t columns)
    : words_(words), positions_(positions), columns_(columns) {
  for (Half& half : halves_) {
    half.counts.resize(static_cast<size_t>(words * positions));
    half.word_sums.resize(static_cast<size_t>(words * columns));
    half.place_sums.resize(static_cast<size_t>(positions * columns));
    half.parts.resize(static_cast<size_t>(positions * columns));
    half.mean.resize(static_cast<size_t>(columns));
  }
}

void PositionFit::add(const Batch& batch, int64_t first_sample, const std::vector<float>& rows) {
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    Half& half = halves_[static_cast<size_t>((first_sample + s) % 2)];
    const int64_t first = batch.offsets[static_cast<size_t>(s)];
    const int64_t length = batch.offsets[static_cast<size_t>(s) + 1] - first;
    if (length > positions_)
      fail("a sequence of {} tokens is longer than the model's {} positions", length, positions_);
    for (int64_t i = 0; i < length; ++i) {
      const int64_t word = batch.tokens[static_cast<size_t>(first + i)];
      const float* row = rows.data() + (first + i) * columns_;
      double* word_sum = half.word_sums.data() + word * columns_;
      double* place_sum = half.place_sums.data() + i * columns_;
      for (int64_t c = 0; c < columns_; ++c) {
        const auto value = static_cast<double>(row[c]);
        word_sum[c] += value;
        place_sum[c] += value;
      }
      ++half.counts[static_cast<size_t>(word * positions_ + i)];
    }
  }
}

void PositionFit::solve() {
  for (Half& half : halves_) solve(half);
}

// With the words' effects eliminated the normal equations are M p = y with
//   M = diag(n_i) - sum_w n_wi n_wj / n_w,   y_i = sum of the rows at i less their words' means,
// singular along a constant in every set of places that words connect. Scaled by sqrt(n_i) on both sides, so that the
// solution without such parts has mean 0 over the rows of every set.
void PositionFit::solve(Half& half) const {
  std::vector<double> word_rows(static_cast<size_t>(words_)), place_rows(static_cast<size_t>(positions_));
  Dense matrix(positions_, positions_), right(positions_, columns_), incidence(words_, positions_);
  std::copy(half.place_sums.begin(), half.place_sums.end(), right.row(0));
  double rows = 0.0;
  for (int64_t w = 0; w < words_; ++w) {
    for (int64_t i = 0; i < positions_; ++i) {
      const auto count = static_cast<double>(half.counts[static_cast<size_t>(w * positions_ + i)]);
      word_rows[static_cast<size_t>(w)] += count;
      place_rows[static_cast<size_t>(i)] += count;
      rows += count;
    }
  }
  if (rows == 0.0) return;
  for (int64_t w = 0; w < words_; ++w) {
    const double own = word_rows[static_cast<size_t>(w)];
    for (int64_t i = 0; own > 0.0 && i < positions_; ++i) {
      const auto count = static_cast<double>(half.counts[static_cast<size_t>(w * positions_ + i)]);
      if (count == 0.0) continue;
      incidence(w, i) = count / std::sqrt(own * place_rows[static_cast<size_t>(i)]);
      const double* sum = half.word_sums.data() + w * columns_;
      for (int64_t c = 0; c < columns_; ++c) right(i, c) -= count / own * sum[c];
    }
    for (int64_t c = 0; c < columns_; ++c)
      half.mean[static_cast<size_t>(c)] += half.word_sums[static_cast<size_t>(w * columns_ + c)] / rows;
  }
  const Dense shared = transposed_product(incidence, incidence);
  std::vector<double> scale(static_cast<size_t>(positions_));  // 1 / sqrt(n_i), 0 where nothing stands
  for (int64_t i = 0; i < positions_; ++i) {
    const double own = place_rows[static_cast<size_t>(i)];
    scale[static_cast<size_t>(i)] = own > 0.0 ? 1.0 / std::sqrt(own) : 0.0;
    for (int64_t j = 0; j < positions_; ++j) matrix(i, j) = (i == j && own > 0.0 ? 1.0 : 0.0) - shared(i, j);
    for (int64_t c = 0; c < columns_; ++c) right(i, c) *= scale[static_cast<size_t>(i)];
  }
  const SymmetricVectors eigen = symmetric_vectors(matrix);
  Dense along = product(eigen.vectors, right);
  // Eigenvalues are 0 to 1: what is singular is so up to rounding.
  const double rounding = static_cast<double>(positions_) * 16.0 * std::numeric_limits<double>::epsilon();
  for (int64_t k = 0; k < positions_; ++k) {
    const double value = eigen.values[static_cast<size_t>(k)];
    for (int64_t c = 0; c < columns_; ++c) along(k, c) = value > rounding ? along(k, c) / value : 0.0;
  }
  const Dense parts = transposed_product(eigen.vectors, along);
  for (int64_t i = 0; i < positions_; ++i) {
    if (place_rows[static_cast<size_t>(i)] < static_cast<double>(kLeast)) continue;
    for (int64_t c = 0; c < columns_; ++c)
      half.parts[static_cast<size_t>(i * columns_ + c)] = scale[static_cast<size_t>(i)] * parts(i, c);
  }
}

}  // namespace phasor
