#include "phasor/spectrum/frequency_parts.h"

#include <algorithm>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/spectrum/decomposition.h"

namespace phasor {
namespace {

using Complex = std::complex<double>;

void require_pair(const HeadLogits& head, int64_t pair) {
  const auto pairs = static_cast<int64_t>(head.rotary_pairs.size());
  if (pair < 0 || pair >= pairs) fail("pair {} does not exist: {} are turned", pair, pairs);
}

Complex number(const Dense& rows, int64_t row, const std::pair<int64_t, int64_t>& columns) {
  return {rows(row, columns.first), rows(row, columns.second)};
}

// entry(i, j) for all queries and keys.
template <class Result, class Entry>
Result made(int64_t size, const Entry& entry) {
  Result result(size, size);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) result(i, j) = entry(i, j);
  }
  return result;
}

std::vector<bool> in_pairs(const HeadLogits& head) {
  std::vector<bool> result(static_cast<size_t>(head.width()));
  for (const auto& [a, b] : head.rotary_pairs) {
    result[static_cast<size_t>(a)] = true;
    result[static_cast<size_t>(b)] = true;
  }
  return result;
}

// Columns a of both sides, multiplied and summed: the covariance of one channel's products with centred logits.
double channel_sum(const Dense& query, const Dense& against, int64_t column) {
  double total = 0.0;
  for (int64_t r = 0; r < query.rows(); ++r) total += query(r, column) * against(r, column);
  return total;
}

double squares_of(const Dense& a) {
  double total = 0.0;
  for (const double value : a.values()) total += value * value;
  return total;
}

}  // namespace

ComplexDense pair_content(const HeadLogits& head, int64_t pair) {
  require_pair(head, pair);
  const auto& columns = head.rotary_pairs[static_cast<size_t>(pair)];
  return made<ComplexDense>(head.size(), [&](int64_t i, int64_t j) {
    return head.scale * number(head.plain_query, i, columns) * std::conj(number(head.plain_key, j, columns));
  });
}

ComplexDense pair_kernel(const HeadLogits& head, int64_t pair) {
  require_pair(head, pair);
  return made<ComplexDense>(head.size(), [&](int64_t i, int64_t j) {
    return head.query_factors(i, pair) * std::conj(head.key_factors(j, pair));
  });
}

ComplexDense pair_product(const HeadLogits& head, int64_t pair) {
  ComplexDense result = pair_content(head, pair);
  const ComplexDense kernel = pair_kernel(head, pair);
  for (size_t i = 0; i < kernel.values().size(); ++i) result.values()[i] *= kernel.values()[i];
  return result;
}

Dense pair_part(const HeadLogits& head, int64_t pair) {
  const ComplexDense whole = pair_product(head, pair);
  return made<Dense>(head.size(), [&](int64_t i, int64_t j) { return whole(i, j).real(); });
}

Dense unturned_part(const HeadLogits& head) {
  Dense query = head.plain_query;
  const std::vector<bool> turned = in_pairs(head);
  for (int64_t r = 0; r < query.rows(); ++r) {
    for (int64_t c = 0; c < query.columns(); ++c) {
      if (turned[static_cast<size_t>(c)]) query(r, c) = 0.0;
    }
  }
  return scaled_products(query, head.plain_key, head.scale);
}

// Re{W_m o G_m} is the product of the turned columns of pair m, so its covariance is a sum over those two channels.
FrequencyShares frequency_shares(const HeadLogits& head) {
  const Dense logits = head.logits();
  const Dense centred = row_centred(logits, head.causal);
  const double variance = squares_of(centred);
  const double unit = static_cast<double>(head.size()) * std::numeric_limits<double>::epsilon();
  FrequencyShares shares;
  shares.pairs.resize(head.rotary_pairs.size());
  shares.defined = variance > unit * unit * squares_of(head.causal ? lower_triangle(logits) : logits);
  if (!shares.defined) return shares;
  const Dense against = product(centred, head.key);
  const double factor = head.scale / variance;
  for (size_t m = 0; m < shares.pairs.size(); ++m) {
    const auto& [a, b] = head.rotary_pairs[m];
    shares.pairs[m] = factor * (channel_sum(head.query, against, a) + channel_sum(head.query, against, b));
  }
  const std::vector<bool> turned = in_pairs(head);
  for (int64_t c = 0; c < head.width(); ++c) {
    if (!turned[static_cast<size_t>(c)]) shares.unturned += factor * channel_sum(head.query, against, c);
  }
  for (size_t i = 0; i < head.bias.values().size(); ++i) {
    shares.bias += head.bias.values()[i] * centred.values()[i] / variance;
  }
  return shares;
}

}  // namespace phasor
