// Attention of one sequence with everything materialised, by plain loops: the oracle for the fused kernel and
// the exporter's source. Sums are in double.
#include <cmath>
#include <limits>
#include <vector>

#include "phasor/engine/cpu/attention_head.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/parallel.h"

namespace phasor {
namespace {

// All of one head in double, [n, n] row-major.
struct DenseHead {
  std::vector<double> logits, weights;
};

std::vector<double> element_row(const ConstMatrix& from, int64_t row, int64_t first, int64_t count) {
  std::vector<double> values(static_cast<size_t>(count));
  for (int64_t c = 0; c < count; ++c) {
    values[static_cast<size_t>(c)] =
        from.dtype() == Dtype::f32 ? from.row<float>(row)[first + c] : to_float(from.row<bfloat16>(row)[first + c]);
  }
  return values;
}

void turn(std::vector<double>& x, const View<const float, 4>& table, const Attention& a, const HeadPlace& place,
          int64_t token) {
  const RotationTable& rotation = a.rotation;
  if (table.empty() || rotation.head_set(place.head) < 0) return;
  const int64_t set = place.table * rotation.sets + rotation.head_set(place.head);
  const int64_t pairs = table.extent(2);
  for (int64_t c = 0; c < pairs; ++c) {
    const int64_t axis = rotation.pair_axis.empty() ? 0 : rotation.pair_axis(c);
    const float* factor = table.row(set, a.sequences.positions(token, axis), c);
    double& first = x[static_cast<size_t>(rotation.first + (rotation.halves ? c : 2 * c))];
    double& second = x[static_cast<size_t>(rotation.first + (rotation.halves ? pairs + c : 2 * c + 1))];
    const double real = first;
    first = real * factor[0] - second * factor[1];
    second = real * factor[1] + second * factor[0];
  }
}

std::vector<double> turned_query(const Attention& a, const HeadPlace& place, int64_t i) {
  std::vector<double> q = element_row(a.query, place.first + i, place.head * a.shape.key_width, a.shape.key_width);
  turn(q, a.rotation.query, a, place, place.first + i);
  return q;
}

std::vector<double> turned_key(const Attention& a, const HeadPlace& place, int64_t j) {
  const int64_t own = a.shape.key_width - a.shape.shared_key_width;
  std::vector<double> k = element_row(a.key, place.first + j, place.key_head * own, own);
  if (a.shape.shared_key_width > 0) {
    const std::vector<double> shared = element_row(a.shared_key, place.first + j, 0, a.shape.shared_key_width);
    k.insert(k.end(), shared.begin(), shared.end());
  }
  turn(k, a.rotation.key, a, place, place.first + j);
  return k;
}

std::vector<std::vector<double>> turned_keys(const Attention& a, const HeadPlace& place) {
  std::vector<std::vector<double>> keys;
  for (int64_t j = 0; j < place.length; ++j) keys.push_back(turned_key(a, place, j));
  return keys;
}

DenseHead dense_head(const Attention& a, const HeadPlace& place) {
  const int64_t n = place.length;
  DenseHead head;
  head.logits.assign(static_cast<size_t>(n * n), -std::numeric_limits<double>::infinity());
  head.weights.assign(static_cast<size_t>(n * n), 0.0);
  const double scale = static_cast<double>(a.scale) * (a.head_scale.empty() ? 1.0 : a.head_scale(place.head));
  const std::vector<std::vector<double>> keys = turned_keys(a, place);
  for (int64_t i = 0; i < n; ++i) {
    const std::vector<double> q = turned_query(a, place, i);
    double* logits = &head.logits[static_cast<size_t>(i * n)];
    double* weights = &head.weights[static_cast<size_t>(i * n)];
    const int64_t visible = a.causal ? i + 1 : n;
    double peak = -std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < visible; ++j) {
      double dot = 0.0;
      for (size_t c = 0; c < q.size(); ++c) dot += q[c] * keys[static_cast<size_t>(j)][c];
      logits[j] = scale * dot;
      if (!a.bias.table.empty()) {
        const int64_t distance = a.sequences.positions(place.first + j, 0) - a.sequences.positions(place.first + i, 0);
        logits[j] += a.bias.table(place.table * a.shape.heads + place.head, a.bias.reach + distance);
      }
      peak = std::max(peak, logits[j]);
    }
    double sum = 0.0;
    for (int64_t j = 0; j < visible; ++j) sum += weights[j] = std::exp(logits[j] - peak);
    for (int64_t j = 0; j < visible; ++j) weights[j] /= sum;
  }
  return head;
}

// The factor that dropout puts on the weight from query i to key j.
double dropout_factor(const DropoutMask& mask, const HeadPlace& place, int64_t i, int64_t j) {
  if (!mask.active()) return 1.0;
  const uint64_t index =
      (static_cast<uint64_t>(place.sequence) << 40) + (static_cast<uint64_t>(i) << 20) + static_cast<uint64_t>(j);
  const bool kept = (mask.keep_bits(index / 64 * 64) >> (index % 64) & 1u) != 0;
  return kept ? mask.keep_scale() : 0.0;
}

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
