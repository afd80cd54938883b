#include "phasor/spectrum/position_means.h"

#include <algorithm>

#include "phasor/base/error.h"

namespace phasor {

PositionPart position_part(DenseView rows, const std::vector<int32_t>& offsets, int64_t first, int64_t step) {
  const auto sequences = static_cast<int64_t>(offsets.size()) - 1;
  if (offsets.back() != rows.extent(0)) fail("{} rows for {} tokens", rows.extent(0), offsets.back());
  int64_t longest = 0;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    longest = std::max<int64_t>(longest, offsets[s + 1] - offsets[s]);
  }
  const int64_t columns = rows.extent(1);
  PositionPart part{Dense(longest, columns), std::vector<int64_t>(static_cast<size_t>(longest)),
                    std::vector<double>(static_cast<size_t>(columns))};
  int64_t total = 0;
  for (int64_t s = first; s < sequences; s += step) {
    const int64_t begin = offsets[static_cast<size_t>(s)], end = offsets[static_cast<size_t>(s) + 1];
    for (int64_t r = begin; r < end; ++r) {
      double* sum = part.means.row(r - begin);
      for (int64_t c = 0; c < columns; ++c) sum[c] += rows.row(r)[c];
      ++part.counts[static_cast<size_t>(r - begin)];
      ++total;
    }
  }
  for (int64_t i = 0; i < longest; ++i) {
    for (int64_t c = 0; c < columns; ++c) part.grand[static_cast<size_t>(c)] += part.means(i, c);
  }
  for (double& mean : part.grand) mean /= static_cast<double>(std::max<int64_t>(1, total));
  for (int64_t i = 0; i < longest; ++i) {
    const int64_t count = part.counts[static_cast<size_t>(i)];
    if (count == 0) continue;
    for (int64_t c = 0; c < columns; ++c) {
      part.means(i, c) = part.means(i, c) / static_cast<double>(count) - part.grand[static_cast<size_t>(c)];
    }
  }
  return part;
}

PositionMeans::PositionMeans(const LayerLogits& layer, PositionEstimator estimator)
    : estimator_(estimator), offsets_(layer.offsets()) {
  const int64_t step = estimator == PositionEstimator::halves ? 2 : 1;
  for (int64_t first = 0; first < step; ++first) {
    queries_.push_back(position_part(layer.all_queries(), offsets_, first, step));
    keys_.push_back(position_part(layer.all_keys(), offsets_, first, step));
  }
  if (estimator != PositionEstimator::none) return;
  for (PositionPart* part : {&queries_.front(), &keys_.front()}) {
    std::fill(part->means.values().begin(), part->means.values().end(), 0.0);
  }
}

Dense PositionMeans::rows(const PositionPart& part, int64_t length) {
  return copy_of(DenseView(part.means.data(), length, part.means.columns()));
}

Dense PositionMeans::queries(int64_t sequence) const {
  const auto s = static_cast<size_t>(sequence);
  return queries(estimate_for(sequence), offsets_[s + 1] - offsets_[s]);
}

Dense PositionMeans::keys(int64_t sequence) const {
  const auto s = static_cast<size_t>(sequence);
  return keys(estimate_for(sequence), offsets_[s + 1] - offsets_[s]);
}

int64_t PositionMeans::well_known() const {
  int64_t least = query_part(0).positions();
  for (const PositionPart& part : queries_) {
    // Every sequence has a first token.
    const int64_t sequences = part.counts.empty() ? 0 : part.counts.front();
    int64_t reached = 0;
    while (reached < part.positions() && sequences > 0 && 2 * part.counts[static_cast<size_t>(reached)] >= sequences) {
      ++reached;
    }
    least = std::min(least, reached);
  }
  return least;
}

}  // namespace phasor
