#include "phasor/ablation/index_sums.h"

#include <algorithm>

#include "phasor/base/error.h"

namespace phasor {

IndexSums::IndexSums(int64_t positions, int64_t columns)
    : positions_(positions),
      columns_(columns),
      sums_(static_cast<size_t>(positions * columns)),
      counts_(static_cast<size_t>(positions)),
      totals_(static_cast<size_t>(columns)) {}

void IndexSums::add(const Batch& batch, const std::vector<float>& rows) {
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const int64_t first = batch.offsets[static_cast<size_t>(s)];
    const int64_t length = batch.offsets[static_cast<size_t>(s) + 1] - first;
    if (length > positions_)
      fail("a sequence of {} tokens is longer than the model's {} positions", length, positions_);
    for (int64_t i = 0; i < length; ++i) {
      const float* row = rows.data() + (first + i) * columns_;
      double* sum = sums_.data() + i * columns_;
      for (int64_t c = 0; c < columns_; ++c) {
        const auto value = static_cast<double>(row[c]);
        sum[c] += value;
        totals_[static_cast<size_t>(c)] += value;
      }
      ++counts_[static_cast<size_t>(i)];
    }
    rows_ += length;
  }
}

IndexSums::Others::Others(const IndexSums& sums, const float* rows, int64_t length)
    : sums_(sums), rows_(rows), grand_(sums.totals_) {
  for (int64_t i = 0; i < length; ++i) {
    for (int64_t c = 0; c < sums.columns_; ++c) {
      grand_[static_cast<size_t>(c)] -= static_cast<double>(rows[i * sums.columns_ + c]);
    }
  }
  const auto others = static_cast<double>(std::max<int64_t>(1, sums.rows_ - length));
  for (double& value : grand_) value /= others;
}

double IndexSums::Others::mean_at(int64_t index, int64_t column) const {
  const int64_t others = sums_.counts_[static_cast<size_t>(index)] - 1;
  if (others < kLeast) return mean(column);
  const int64_t place = index * sums_.columns_ + column;
  return (sums_.sums_[static_cast<size_t>(place)] - static_cast<double>(rows_[place])) / static_cast<double>(others);
}

}  // namespace phasor
