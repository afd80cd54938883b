// Attention of one sequence with everything materialised, by plain loops: the oracle for the fused kernel and
// the exporter's source. Sums are in double.
#include "phasor/engine/cpu/attention_dense.h"

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/attention_rotation.h"
#include "phasor/engine/cpu/attention_term.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"

namespace phasor {

std::vector<double> element_row(const ConstMatrix& from, int64_t row, int64_t first, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t c = 0; c < count; ++c) {
    values[static_cast<size_t>(c)] =
        from.dtype() == Dtype::f32 ? from.row<float>(row)[first + c] : to_float(from.row<bfloat16>(row)[first + c]);
  }
  return values;
}

namespace {

// Of pair c, by the token's positions or by the token itself.
std::complex<double> factor_of(const View<const float, 4>& table, const Attention& a, const HeadPlace& place,
                               int64_t token, int64_t c) {
  const RotationTable& rotation = a.rotation;
  if (const int64_t set = token_set(rotation, place.head); set >= 0) {
    const float* f = rotation.token.row(token, set, c);
    return {f[0], f[1]};
  }
  const int64_t set = place.rotation_table * rotation.sets + rotation.head_set(place.head);
  std::complex<double> factor = 1.0;
  for (int64_t axis = 0; axis < rotation.axes; ++axis) {
    const float* f = table.row(set * rotation.axes + axis, a.sequences.positions(token, axis), c);
    factor *= std::complex<double>(f[0], f[1]);
  }
  return factor;
}

void turn(std::vector<double>& x, const View<const float, 4>& table, const Attention& a, const HeadPlace& place,
          int64_t token, bool back = false) {
  const RotationTable& rotation = a.rotation;
  const bool by_token = token_set(rotation, place.head) >= 0;
  if (!by_token && (table.empty() || rotation.head_set(place.head) < 0)) return;
  const int64_t pairs = by_token ? rotation.token.extent(2) : table.extent(2);
  for (int64_t c = 0; c < pairs; ++c) {
    double& first = x[static_cast<size_t>(rotation.first + (rotation.halves ? c : 2 * c))];
    double& second = x[static_cast<size_t>(rotation.first + (rotation.halves ? pairs + c : 2 * c + 1))];
    const std::complex<double> factor = factor_of(table, a, place, token, c);
    const std::complex<double> turned = std::complex<double>(first, second) * (back ? std::conj(factor) : factor);
    first = turned.real();
    second = turned.imag();
  }
}

// The head's own channels of one token, then the shared ones.
std::vector<double> channels(const ConstMatrix& own, const ConstMatrix& shared, int64_t own_width, int64_t shared_width,
                             int64_t head, int64_t token) {
  std::vector<double> x = element_row(own, token, head * own_width, own_width);
  const std::vector<double> rest = element_row(shared, token, 0, shared_width);
  x.insert(x.end(), rest.begin(), rest.end());
  return x;
}

void map_features(std::vector<double>& x, FeatureMap feature) {
  if (feature == FeatureMap::none) return;
  std::vector<double> features;
  for (const double channel : x) features.insert(features.end(), {softplus(channel), 0.0});
  x = std::move(features);
}

void add_shift(std::vector<double>& x, const View<const float, 2>& shift, int64_t head) {
  for (size_t c = 0; c < (shift.empty() ? 0 : x.size()); ++c) x[c] += shift(head, c);
}

std::vector<double> plain_query(const Attention& a, const HeadPlace& place, int64_t i) {
  const int64_t shared = a.shape.shared_query_width;
  return channels(a.query, a.shared_query, a.shape.key_width - shared, shared, place.head, place.first + i);
}

std::vector<double> plain_key(const Attention& a, const HeadPlace& place, int64_t j) {
  const int64_t shared = a.shape.shared_key_width;
  return channels(a.key, a.shared_key, a.shape.key_width - shared, shared, place.key_head, place.first + j);
}

// <x, row of the distance from token i to token j>, 0 without a table.
double row_product(const std::vector<double>& x, const DistanceRows& rows, const Attention& a, const HeadPlace& place,
                   int64_t i, int64_t j) {
  if (rows.table.empty()) return 0.0;
  const int64_t distance =
      a.sequences.positions(place.first + j, rows.axis) - a.sequences.positions(place.first + i, rows.axis);
  const int64_t first = rows.table.extent(1) > a.shape.key_width ? place.head * a.shape.key_width : 0;
  const float* row = rows.table.row(rows.index(rows.reach + distance)) + first;
  double sum = 0.0;
  for (size_t c = 0; c < x.size(); ++c) sum += x[c] * row[c];
  return sum;
}

}  // namespace

std::vector<double> turned_query(const Attention& a, const HeadPlace& place, int64_t i) {
  std::vector<double> q = plain_query(a, place, i);
  add_shift(q, a.query_shift, place.head);
  map_features(q, a.shape.feature);
  turn(q, a.rotation.query, a, place, place.first + i);
  return q;
}

std::vector<double> turned_key(const Attention& a, const HeadPlace& place, int64_t j) {
  std::vector<double> k = plain_key(a, place, j);
  map_features(k, a.shape.feature);
  turn(k, a.rotation.key, a, place, place.first + j);
  return k;
}

void turned_back(std::vector<double>& gradient, bool query, const Attention& a, const HeadPlace& place, int64_t i) {
  turn(gradient, query ? a.rotation.query : a.rotation.key, a, place, place.first + i, true);
}

double bias_of(const Attention& a, const HeadPlace& place, int64_t i, int64_t j) {
  if (a.bias.table.empty()) return 0.0;
  const int64_t here = a.sequences.positions(place.first + i, a.bias.axis);
  const int64_t there = a.sequences.positions(place.first + j, a.bias.axis);
  const int64_t row = (place.bias_table * a.shape.heads + place.head) * a.bias.rows + (a.bias.rows > 1 ? here : 0);
  return a.bias.table(row, a.bias.reach + there - here);
}

double prefix_of(const Attention& a, const HeadPlace& place, int64_t i, int64_t j) {
  if (a.prefix.empty()) return 0.0;
  return -std::abs(a.prefix(place.first + i, place.head) - a.prefix(place.first + j, place.head));
}

namespace {

std::vector<std::vector<double>> turned_keys(const Attention& a, const HeadPlace& place) {
  std::vector<std::vector<double>> keys;
  for (int64_t j = 0; j < place.length; ++j) keys.push_back(turned_key(a, place, j));
  return keys;
}

DenseHead dense_head(const Attention& a, const HeadPlace& place) {
  if (a.dense.any()) return TermAttention(a, place).take();
  const int64_t n = place.length;
  DenseHead head;
  head.logits.assign(static_cast<size_t>(n * n), -std::numeric_limits<double>::infinity());
  head.weights.assign(static_cast<size_t>(n * n), 0.0);
  const double scale = static_cast<double>(a.scale) * (a.head_scale.empty() ? 1.0 : a.head_scale(place.head));
  const RowScales row_scales(a, place);
  const std::vector<std::vector<double>> keys = turned_keys(a, place);
  const KeyMask mask = key_mask(a, place.head);
  const double sink = sink_logit(a, place.head);
  for (int64_t i = 0; i < n; ++i) {
    const std::vector<double> q = turned_query(a, place, i);
    std::vector<double> row_query = plain_query(a, place, i);
    add_shift(row_query, a.row_shift, place.head);
    double* logits = &head.logits[static_cast<size_t>(i * n)];
    double* weights = &head.weights[static_cast<size_t>(i * n)];
    const KeySpan seen = mask.seen_by(i, n);
    const double row_scale = row_scales.any() ? scale * double{row_scales(i)} : scale;
    double peak = sink;
    for (int64_t j = seen.first; j < seen.end; ++j) {
      double dot = 0.0;
      for (size_t c = 0; c < q.size(); ++c) dot += q[c] * keys[static_cast<size_t>(j)][c];
      dot += row_product(row_query, a.query_rows, a, place, i, j);
      if (!a.key_rows.table.empty()) dot += row_product(plain_key(a, place, j), a.key_rows, a, place, i, j);
      logits[j] = row_scale * dot + bias_of(a, place, i, j) + prefix_of(a, place, i, j);
      peak = std::max(peak, logits[j]);
    }
    double sum = std::exp(sink - peak);
    for (int64_t j = seen.first; j < seen.end; ++j) sum += weights[j] = std::exp(logits[j] - peak);
    for (int64_t j = seen.first; j < seen.end; ++j) weights[j] /= sum;
  }
  return head;
}

}  // namespace

double dropout_factor(const DropoutMask& mask, const HeadPlace& place, int64_t i, int64_t j) {
  if (!mask.active()) return 1.0;
  const uint64_t index =
      (static_cast<uint64_t>(place.sequence) << 40) + (static_cast<uint64_t>(i) << 20) + static_cast<uint64_t>(j);
  return mask.keeps(index) ? mask.keep_scale() : 0.0;
}

namespace {

template <class T>
void copy_matrix(const View<T, 3>& to, int64_t head, const std::vector<double>& from, int64_t n) {
  if (to.empty()) return;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) to(head, i, j) = static_cast<float>(from[static_cast<size_t>(i * n + j)]);
  }
}

}  // namespace

void CpuBackend::run(const AttentionDenseForward& op) {
  const Attention& a = op.attention;
  parallel_for(a.shape.heads, 1, [&](int64_t h, int64_t) {
    const HeadPlace place = head_place(a, op.sequence, h);
    const int64_t n = place.length;
    const DenseHead head = dense_head(a, place);
    copy_matrix(op.logits, h, head.logits, n);
    copy_matrix(op.weights, h, head.weights, n);
    for (int64_t i = 0; i < n; ++i) {
      if (!op.turned_query.empty()) {
        const std::vector<double> q = turned_query(a, place, i);
        for (size_t c = 0; c < q.size(); ++c) op.turned_query(h, i, c) = static_cast<float>(q[c]);
      }
      if (!op.turned_key.empty()) {
        const std::vector<double> k = turned_key(a, place, i);
        for (size_t c = 0; c < k.size(); ++c) op.turned_key(h, i, c) = static_cast<float>(k[c]);
      }
    }
    if (op.out.empty()) return;
    const DropoutMask mask(a.dropout, static_cast<uint32_t>(h));
    const int64_t width = a.shape.value_width;
    for (int64_t i = 0; i < n; ++i) {
      std::vector<double> sum(static_cast<size_t>(width));
      for (int64_t j = 0; j < n; ++j) {
        const double weight = head.weights[static_cast<size_t>(i * n + j)] * dropout_factor(mask, place, i, j);
        if (weight == 0.0) continue;
        const std::vector<double> v = element_row(a.value, place.first + j, place.key_head * width, width);
        for (size_t c = 0; c < v.size(); ++c) sum[c] += weight * v[c];
      }
      for (size_t c = 0; c < sum.size(); ++c) op.out(h, i, c) = static_cast<float>(sum[c]);
    }
  });
}

void CpuBackend::run(const AttentionDenseBackward& op) {
  const Attention& a = op.attention;
  parallel_for(a.shape.heads, 1, [&](int64_t h, int64_t) {
    const HeadPlace place = head_place(a, op.sequence, h);
    const int64_t n = place.length;
    const int64_t width = a.shape.value_width;
    const DenseHead head = dense_head(a, place);
    const DropoutMask mask(a.dropout, static_cast<uint32_t>(h));
    for (int64_t i = 0; i < n; ++i) {
      const std::vector<double> dout = element_row(op.dout, place.first + i, h * width, width);
      std::vector<double> dweights(static_cast<size_t>(n));
      double back = 0.0;
      for (int64_t j = 0; j < n; ++j) {
        const double weight = head.weights[static_cast<size_t>(i * n + j)];
        if (weight == 0.0) continue;
        const std::vector<double> v = element_row(a.value, place.first + j, place.key_head * width, width);
        double dot = 0.0;
        for (size_t c = 0; c < v.size(); ++c) dot += dout[c] * v[c];
        dweights[static_cast<size_t>(j)] = dot * dropout_factor(mask, place, i, j);
        back += weight * dweights[static_cast<size_t>(j)];
      }
      for (int64_t j = 0; j < n; ++j) {
        const double weight = head.weights[static_cast<size_t>(i * n + j)];
        op.dlogits(h, i, j) = static_cast<float>(weight * (dweights[static_cast<size_t>(j)] - back));
      }
    }
  });
}

}  // namespace phasor
