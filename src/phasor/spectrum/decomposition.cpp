#include "phasor/spectrum/decomposition.h"

#include <limits>

#include "phasor/linalg/lapack.h"

namespace phasor {
namespace {

Dense difference(DenseView a, DenseView b) {
  require_same_shape(a, b, "a difference");
  Dense result = copy_of(a);
  for (int64_t r = 0; r < result.rows(); ++r) {
    for (int64_t c = 0; c < result.columns(); ++c) result(r, c) -= b.row(r)[c];
  }
  return result;
}

double inner(DenseView a, DenseView b) {
  double total = 0.0;
  for (int64_t r = 0; r < a.extent(0); ++r) {
    double part = 0.0;
    for (int64_t c = 0; c < a.extent(1); ++c) part += a.row(r)[c] * b.row(r)[c];
    total += part;
  }
  return total;
}

GramParts grams(DenseView content_query, DenseView position_query, DenseView content_key, DenseView position_key,
                double scale) {
  return {scaled_products(content_query, content_key, scale), scaled_products(content_query, position_key, scale),
          scaled_products(position_query, content_key, scale), scaled_products(position_query, position_key, scale)};
}

void add(Dense& to, const Dense& from) {
  for (size_t i = 0; i < from.values().size(); ++i) to.values()[i] += from.values()[i];
}

// Rows less the mean row: of keys, that is a row-centred product.
Dense without_mean_row(DenseView rows) {
  Dense result = copy_of(rows);
  std::vector<double> mean(static_cast<size_t>(rows.extent(1)));
  for (int64_t r = 0; r < result.rows(); ++r) {
    for (size_t c = 0; c < mean.size(); ++c) mean[c] += result.row(r)[c];
  }
  for (double& value : mean) value /= static_cast<double>(rows.extent(0));
  for (int64_t r = 0; r < result.rows(); ++r) {
    for (size_t c = 0; c < mean.size(); ++c) result.row(r)[c] -= mean[c];
  }
  return result;
}

// Squares of this share of the whole are rounding.
bool is_rounding(double centred, double whole, int64_t size) {
  const double unit = static_cast<double>(size) * std::numeric_limits<double>::epsilon();
  return !(centred > unit * unit * whole);
}

// Covariances with the logits, channel by channel: what a column of queries and the same one of keys contribute.
struct ChannelSums {
  std::vector<double> content_content, content_position, position_content, position_position;
};

// sum_r a_rc b_rc for each column c.
std::vector<double> column_inner(DenseView a, DenseView b) {
  std::vector<double> sums(static_cast<size_t>(a.extent(1)));
  for (int64_t r = 0; r < a.extent(0); ++r) {
    for (size_t c = 0; c < sums.size(); ++c) sums[c] += a.row(r)[c] * b.row(r)[c];
  }
  return sums;
}

double total_of(const std::vector<double>& sums, int64_t first = 0) {
  double total = 0.0;
  for (size_t c = static_cast<size_t>(first); c < sums.size(); ++c) total += sums[c];
  return total;
}

PartShares shares_of(const ChannelSums& sums, double bias, double rows, double variance, int64_t decoupled_from) {
  const auto share = [&](const std::vector<double>& part) { return total_of(part) / variance; };
  PartShares result{.content_content = share(sums.content_content),
                    .content_position = share(sums.content_position),
                    .position_content = share(sums.position_content),
                    .position_position = share(sums.position_position),
                    .bias = bias / variance,
                    .rows = rows / variance};
  if (decoupled_from >= 0) {
    for (const auto* part :
         {&sums.content_content, &sums.content_position, &sums.position_content, &sums.position_position}) {
      result.decoupled += total_of(*part, decoupled_from) / variance;
    }
  }
  return result;
}

// Cov(q^a k^b, L) = sum_ij (q^a k^b)_ij L_ij = <q^a, L k^b> with L row-centred.
std::optional<PartShares> dense_shares(const HeadLogits& head, DenseView position_query, DenseView position_key) {
  const Dense logits = head.logits();
  const Dense centred = row_centred(logits, head.causal);
  const double variance = inner(centred, centred);
  const Dense seen = head.causal ? lower_triangle(logits) : Dense();
  const double whole = head.causal ? inner(seen, seen) : inner(logits, logits);
  if (is_rounding(variance, whole, head.size())) return std::nullopt;
  const auto against = [&](DenseView keys) {
    Dense result = product(centred, keys);
    for (double& value : result.values()) value *= head.scale;
    return result;
  };
  const Dense content_query = difference(head.query, position_query);
  const Dense content = against(difference(head.key, position_key));
  const Dense position = against(position_key);
  const ChannelSums sums{column_inner(content_query, content), column_inner(content_query, position),
                         column_inner(position_query, content), column_inner(position_query, position)};
  const double bias = head.bias.rows() == 0 ? 0.0 : inner(centred, head.bias);
  const double rows = head.rows.rows() == 0 ? 0.0 : inner(centred, head.rows);
  return shares_of(sums, bias, rows, variance, head.decoupled_from);
}

// The same where L = scale * Q K'^T with keys K' less their mean: <q^a, Q K'^T k^b> = <(Q^T q^a)^T, K'^T k^b>.
std::optional<PartShares> compressed_shares(const HeadLogits& head, DenseView position_query, DenseView position_key) {
  const Dense centred = without_mean_row(head.key);
  const Dense query_gram = transposed_product(head.query, head.query);
  const double square = head.scale * head.scale;
  const double variance = square * inner(query_gram, transposed_product(centred, centred));
  const double whole = square * inner(query_gram, transposed_product(head.key, head.key));
  if (is_rounding(variance, whole, head.size())) return std::nullopt;
  const auto queries = [&](DenseView part) { return transposed_product(head.query, part); };
  const auto keys = [&](DenseView part) {
    Dense result = transposed_product(centred, part);
    for (double& value : result.values()) value *= square;
    return result;
  };
  const Dense content_query = queries(difference(head.query, position_query));
  const Dense content_key = keys(difference(head.key, position_key));
  const Dense own_query = queries(position_query);
  const Dense own_key = keys(position_key);
  const ChannelSums sums{column_inner(content_query, content_key), column_inner(content_query, own_key),
                         column_inner(own_query, content_key), column_inner(own_query, own_key)};
  return shares_of(sums, 0.0, 0.0, variance, head.decoupled_from);
}

}  // namespace

Dense GramParts::sum() const {
  Dense result = content_content;
  add(result, content_position);
  add(result, position_content);
  add(result, position_position);
  return result;
}

Dense Decomposition::sum() const {
  Dense result = own.sum();
  if (!decoupled.empty()) add(result, decoupled.sum());
  add(result, bias);
  add(result, rows);
  return result;
}

Decomposition decompose(const HeadLogits& head, DenseView position_query, DenseView position_key) {
  const Dense content_query = difference(head.query, position_query);
  const Dense content_key = difference(head.key, position_key);
  const auto of_channels = [&](int64_t first, int64_t count) {
    return grams(content_query.view().last_range(first, count), position_query.last_range(first, count),
                 content_key.view().last_range(first, count), position_key.last_range(first, count), head.scale);
  };
  Decomposition result;
  if (head.decoupled_from < 0) {
    result.own = of_channels(0, head.width());
  } else {
    result.own = of_channels(0, head.decoupled_from);
    result.decoupled = of_channels(head.decoupled_from, head.width() - head.decoupled_from);
  }
  result.bias = head.bias;
  result.rows = head.rows;
  return result;
}

std::optional<PartShares> part_shares(const HeadLogits& head, DenseView position_query, DenseView position_key) {
  const bool compressed = !head.causal && !head.adds() && head.width() < head.size();
  return compressed ? compressed_shares(head, position_query, position_key)
                    : dense_shares(head, position_query, position_key);
}

Dense row_centred(DenseView logits, bool causal) {
  Dense result(logits.extent(0), logits.extent(1));
  for (int64_t r = 0; r < result.rows(); ++r) {
    const int64_t seen = causal ? r + 1 : result.columns();
    double mean = 0.0;
    for (int64_t c = 0; c < seen; ++c) mean += logits.row(r)[c];
    mean /= static_cast<double>(seen);
    for (int64_t c = 0; c < seen; ++c) result(r, c) = logits.row(r)[c] - mean;
  }
  return result;
}

}  // namespace phasor
