#include "phasor/ablation/token_means.h"

#include <algorithm>

namespace phasor {

void TokenMeans::add(const Batch& batch, const std::vector<float>& rows) {
  if (rows.empty()) return;
  const auto columns = rows.size() / static_cast<size_t>(batch.token_count());
  sums_.resize(columns);
  for (size_t i = 0; i < rows.size(); ++i) sums_[i % columns] += double{rows[i]};
  tokens_ += batch.token_count();
}

std::vector<double> TokenMeans::others(const float* own, int64_t length) const {
  const bool alone = tokens_ <= length;
  const int64_t count = alone ? std::max<int64_t>(tokens_, 1) : tokens_ - length;
  std::vector<double> means = sums_;
  for (size_t c = 0; c < means.size(); ++c) {
    for (int64_t t = 0; !alone && t < length; ++t) means[c] -= double{own[static_cast<size_t>(t) * means.size() + c]};
    means[c] /= static_cast<double>(count);
  }
  return means;
}

}  // namespace phasor
