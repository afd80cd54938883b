// The engine's attention logits for every encoding against the one formula, in double, pair by pair:
//   L_ij = s r(p_i) <A(p_i) q_i, B(p_j) k_j> + b(p_i, p_j - p_i) - |c_i - c_j|
// at the places where a wrong position, layout or table shows: the first two, one in the middle, the last.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/encoding_cases.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/engine/download.h"
#include "phasor/model/token_positions.h"
#include "reference/scalar.h"
#include "support/backend.h"
#include "support/device.h"

namespace phasor::testing_support {
namespace logits_test {

constexpr uint64_t kSeed = 52;
constexpr double kRounding = 0x1p-24;
const std::vector<int32_t> kLengths = {40, 19};

// Room for 40 tokens.
ModelConfig longer(ModelConfig config) {
  config.max_length = 40;
  if (!config.grid.empty()) config.grid = {5, 8};
  // Drawn positions come from a range that was made for ten.
  const size_t max = config.encoding.find(",max=");
  if (max != std::string::npos) config.encoding.insert(max + 5, "1");
  return config;
}

// A sum and the sum of its terms' sizes, which its roundings refer to.
struct Value {
  double sum = 0.0, size = 0.0;

  void add(double term) {
    sum += term;
    size += std::abs(term);
  }
};

class EncodingLogits : public ::testing::TestWithParam<ModelCase> {
 protected:
  // What the layer's attention read, on the host.
  struct Rows {
    AttentionShape shape;
    Grid<double> query, shared_query, key, shared_key;
    Grid<double> stream;  // normed
  };

  Grid<double> rows_of(const ConstMatrix& matrix) const {
    const std::vector<float> values = download(test_backend(), matrix, data_.batch.token_count());
    Grid<double> rows(matrix.empty() ? 0 : data_.batch.token_count(), matrix.columns());
    std::copy(values.begin(), values.end(), rows.data.begin());
    return rows;
  }

  Rows rows_of(const Attention& attention, const ConstMatrix& stream) const {
    return {attention.shape,        rows_of(attention.query),      rows_of(attention.shared_query),
            rows_of(attention.key), rows_of(attention.shared_key), rows_of(stream)};
  }

  // Columns of activations for one token.
  static std::vector<double> channels(const Grid<double>& rows, int64_t token, int64_t first, int64_t count) {
    const auto from = rows.data.begin() + token * rows.columns + first;
    return {from, from + count};
  }

  static std::vector<double> with_shared(std::vector<double> own, const Grid<double>& shared, int64_t token) {
    if (shared.empty()) return own;
    const std::vector<double> more = channels(shared, token, 0, shared.columns);
    own.insert(own.end(), more.begin(), more.end());
    return own;
  }

  // The channels turned as complex pairs; those that no pair has are as they were.
  std::vector<std::complex<double>> turned(const std::vector<double>& x, const Rotation* rotation, bool query,
                                           int64_t token, int64_t length) const {
    std::vector<std::complex<double>> result(x.begin(), x.end());
    if (rotation == nullptr) return result;
    const int64_t axes = static_cast<int64_t>(rotation->axes.size());
    const int64_t own_class =
        rotation->class_of_length.empty() ? 0 : rotation->class_of_length[static_cast<size_t>(length)];
    for (int64_t c = 0; c < rotation->pairs; ++c) {
      std::complex<double> factor = 1.0;
      for (int64_t a = 0; a < axes; ++a) {
        const int64_t p = position(token, rotation->axes[static_cast<size_t>(a)]);
        const auto& table = query ? rotation->query : rotation->key;
        factor *= table[static_cast<size_t>(((own_class * axes + a) * rotation->positions + p) * rotation->pairs + c)];
      }
      const auto first = static_cast<size_t>(rotation->first + (rotation->halves ? c : 2 * c));
      const size_t second = rotation->halves ? first + static_cast<size_t>(rotation->pairs) : first + 1;
      const std::complex<double> pair = factor * std::complex<double>(x[first], x[second]);
      result[first] = pair.real();
      result[second] = pair.imag();
    }
    return result;
  }

  int64_t position(int64_t token, int64_t axis) const {
    return positions_[static_cast<size_t>(token) * encoding_.axes.size() + static_cast<size_t>(axis)];
  }

  double bias(const LayerEncoding& layer, int64_t head, int64_t i, int64_t j, int64_t length) const {
    if (layer.bias == nullptr) return 0.0;
    const BiasTerm& term = *layer.bias;
    int64_t row = head + (term.per_length ? (length - 1) * data_.config.heads : 0);
    if (term.rows > 1) row = row * term.rows + position(i, term.axis);
    return term.fixed(row, term.reach + position(j, term.axis) - position(i, term.axis));
  }

  // A row of a tensor with a row of the stream, or of what was made of it.
  static Value linear(const std::vector<double>& weight, const std::vector<double>* bias, int64_t row,
                      const std::vector<Value>& x) {
    Value z;
    if (bias != nullptr) z.add((*bias)[static_cast<size_t>(row)]);
    for (size_t c = 0; c < x.size(); ++c) {
      const double w = weight[static_cast<size_t>(row) * x.size() + c];
      z.sum += w * x[c].sum;
      z.size += std::abs(w) * x[c].size;
    }
    return z;
  }

  // Angles of the head's pairs at the token, with the sizes that their roundings refer to.
  std::vector<Value> angles(const Rows& attention, const TokenRotation& rotation, int64_t set, int64_t token) const {
    const ParameterValues parameters = values();
    const auto tensor = [&](int64_t place) { return place < 0 ? nullptr : &parameters[static_cast<size_t>(place)]; };
    const int64_t per_set = rotation.per_pair ? rotation.pairs : 1;
    std::vector<Value> sums(static_cast<size_t>(per_set));
    int64_t first = token;
    while (rotation.summed &&
           std::find(data_.batch.offsets.begin(), data_.batch.offsets.end(), first) == data_.batch.offsets.end()) {
      --first;
    }
    for (int64_t t = first; t <= token; ++t) {
      std::vector<Value> x;
      for (const double value : channels(attention.stream, t, 0, data_.config.width))
        x.push_back({value, std::abs(value)});
      std::vector<Value> inner;
      for (int64_t k = 0; k < rotation.inner; ++k) {
        Value h = linear(*tensor(rotation.inner_weight), nullptr, k, x);
        if (rotation.product) {
          const Value content = linear(*tensor(rotation.inner_weight), nullptr, rotation.inner + k, x);
          // silu has a slope of at most 1.1.
          h = {reference::silu(h.sum) * content.sum,
               1.1 * h.size * std::abs(content.sum) + std::abs(reference::silu(h.sum)) * content.size};
        }
        inner.push_back(h);
      }
      double open = 1.0;
      Value gate;
      if (rotation.gate_weight >= 0) {
        gate = linear(*tensor(rotation.gate_weight), tensor(rotation.gate_bias), set, x);
        open = 1.0 / (1.0 + std::exp(-gate.sum));
      }
      for (int64_t k = 0; k < per_set; ++k) {
        const Value z =
            linear(*tensor(rotation.weight), tensor(rotation.bias), set * per_set + k, rotation.inner > 0 ? inner : x);
        sums[static_cast<size_t>(k)].sum += open * z.sum;
        // A sigmoid has a slope of at most 1/4.
        sums[static_cast<size_t>(k)].size += z.size + std::abs(z.sum) * (1.0 + gate.size / 4.0);
      }
    }
    std::vector<Value> result;
    for (int64_t c = 0; c < rotation.pairs; ++c) {
      const double w = rotation.frequencies[static_cast<size_t>(c)];
      const Value& sum = sums[static_cast<size_t>(rotation.per_pair ? c : 0)];
      result.push_back({w * sum.sum, w * sum.size});
    }
    return result;
  }

  // The channels turned by the token's own angles; what the angles are off by turns them too.
  std::vector<std::complex<double>> turned_by_token(const std::vector<double>& x, const TokenRotation& rotation,
                                                    const std::vector<Value>& angles, Value& value,
                                                    double other) const {
    std::vector<std::complex<double>> result(x.begin(), x.end());
    for (int64_t c = 0; c < rotation.pairs; ++c) {
      const auto first = static_cast<size_t>(rotation.halves ? c : 2 * c);
      const size_t second = rotation.halves ? first + static_cast<size_t>(rotation.pairs) : first + 1;
      const Value& angle = angles[static_cast<size_t>(c)];
      const std::complex<double> pair = std::polar(1.0, angle.sum) * std::complex<double>(x[first], x[second]);
      value.size += std::abs(pair) * angle.size * other;
      result[first] = pair.real();
      result[second] = pair.imag();
    }
    return result;
  }

  // The gates of the tokens between, one by one. A gate is off by no more than its z, whose terms count in the size.
  void add_gates(Value& value, const Rows& attention, const LayerEncoding& layer, int64_t head, int64_t i,
                 int64_t j) const {
    const ParameterValues parameters = values();
    for (const GateTerm& gates : layer.gates) {
      const auto found = std::find(gates.heads.begin(), gates.heads.end(), head);
      if (found == gates.heads.end()) continue;
      const auto row = static_cast<size_t>(found - gates.heads.begin());
      const double* weight =
          &parameters[static_cast<size_t>(gates.weight)][row * static_cast<size_t>(data_.config.width)];
      for (int64_t t = std::min(i, j) + 1; t <= std::max(i, j); ++t) {
        Value z;
        z.add(parameters[static_cast<size_t>(gates.bias)][row]);
        for (int64_t c = 0; c < data_.config.width; ++c) z.add(weight[c] * attention.stream(t, c));
        const bool log_sigmoid = gates.map == GateTerm::Map::log_sigmoid;
        value.add(-reference::softplus(log_sigmoid ? -z.sum : z.sum));
        value.size += z.size;
      }
    }
  }

  struct DensePair {
    std::vector<std::complex<double>> query, key;
    std::vector<double> plain_query, plain_key;
    double scale;
  };

  static double size_of(const std::vector<double>& x) {
    double square = 0.0;
    for (const double channel : x) square += channel * channel;
    return std::sqrt(square);
  }

  // What needs more than the two tokens. `value` has the scaled product.
  void add_dense(Value& value, const Rows& attention, const LayerEncoding& layer, int64_t l, int64_t head, int64_t i,
                 int64_t j, int64_t length, const DensePair& pair) const {
    const DensePlace& dense = *layer.dense;
    const auto width = static_cast<int64_t>(pair.plain_query.size());
    const double product = pair.scale * size_of(pair.plain_query) * size_of(pair.plain_key);
    const auto found = std::find(dense.heads.begin(), dense.heads.end(), head);
    const int64_t set = found - dense.heads.begin();
    const ParameterValues parameters = values();
    if (const FarAngles* far = dense.far()) {
      const int64_t here = position(i, far->axis), there = position(j, far->axis);
      if (std::abs(here - there) < far->window) return;
      const auto& query = there <= here ? far->query_back : far->query_ahead;
      value = Value{.sum = 0.0, .size = product};
      std::vector<bool> turned(static_cast<size_t>(width));
      for (int64_t c = 0; c < far->pairs; ++c) {
        const auto first = static_cast<size_t>(far->halves ? c : 2 * c);
        const size_t second = far->halves ? first + static_cast<size_t>(far->pairs) : first + 1;
        turned[first] = turned[second] = true;
        const auto q = std::complex<double>(pair.plain_query[first], pair.plain_query[second]) *
                       query[static_cast<size_t>(here * far->pairs + c)];
        const auto k = std::complex<double>(pair.plain_key[first], pair.plain_key[second]) *
                       far->key[static_cast<size_t>(there * far->pairs + c)];
        value.add(pair.scale * (q * std::conj(k)).real());
      }
      for (size_t c = 0; c < turned.size(); ++c) {
        if (!turned[c]) value.add(pair.scale * pair.plain_query[c] * pair.plain_key[c]);
      }
    }
    if (const TokenReflections* reflections = dense.reflections()) {
      const auto tensor = [&](int64_t place) { return &parameters[static_cast<size_t>(place)]; };
      std::vector<double> v;
      for (const auto& channel : pair.query) v.push_back(channel.real());
      value = Value{.sum = 0.0, .size = product};
      for (int64_t t = i; t > j; --t) {
        std::vector<Value> x, inner;
        for (const double channel : channels(attention.stream, t, 0, data_.config.width)) {
          x.push_back({channel, std::abs(channel)});
        }
        for (int64_t c = 0; c < reflections->inner; ++c) {
          inner.push_back(linear(*tensor(reflections->inner_weight), nullptr, c, x));
        }
        const Value y = linear(*tensor(reflections->strength_weight), tensor(reflections->strength_bias), set, x);
        std::vector<double> w, sizes;
        for (int64_t c = 0; c < width; ++c) {
          const Value z = linear(*tensor(reflections->weight), nullptr, set * width + c, inner.empty() ? x : inner);
          w.push_back(z.sum);
          sizes.push_back(z.size);
        }
        const double length_of_w = std::sqrt(size_of(w) * size_of(w) + 1e-6);
        double along = 0.0;
        for (size_t c = 0; c < w.size(); ++c) along += w[c] / length_of_w * v[c];
        const double strength = 2.0 / (1.0 + std::exp(-y.sum));
        for (size_t c = 0; c < w.size(); ++c) v[c] -= strength * along * w[c] / length_of_w;
        // A direction is in it twice, with a strength of at most 2; that has a slope of at most 1/2.
        value.size += product * (4.0 * size_of(sizes) / length_of_w + 0.5 * y.size);
      }
      for (size_t c = 0; c < v.size(); ++c) value.add(pair.scale * v[c] * pair.key[c].real());
    }
    if (const ContextPositions* positions = dense.positions()) {
      double sum = 0.0, size = 0.0;
      for (int64_t t = j; t <= i; ++t) {
        const Value z = scaled_product(attention, l, head, i, t, length);
        sum += 1.0 / (1.0 + std::exp(-z.sum));
        size += z.size / 4.0;
      }
      sum = std::min(sum, static_cast<double>(positions->most));
      const double* vectors =
          &parameters[static_cast<size_t>(positions->vectors)]
                     [static_cast<size_t>((positions->per_head ? set : 0) * (positions->most + 1) * width)];
      const auto below = std::min(static_cast<int64_t>(sum), positions->most - 1);
      const double share = sum - static_cast<double>(below);
      for (int64_t c = 0; c < width; ++c) {
        const double q = pair.plain_query[static_cast<size_t>(c)];
        const double low = vectors[below * width + c], high = vectors[(below + 1) * width + c];
        value.add(q * ((1.0 - share) * low + share * high));
        value.size += std::abs(q * (high - low)) * (size + sum);
      }
    }
  }

  // Of a head with positions by gates, which are of this alone.
  Value scaled_product(const Rows& attention, int64_t l, int64_t head, int64_t i, int64_t j, int64_t length) const {
    const LayerEncoding& layer = encoding_.layers[static_cast<size_t>(l)];
    const AttentionShape& shape = attention.shape;
    const Rotation* rotation = layer.rotation[static_cast<size_t>(head)].get();
    const int64_t key_head = head * shape.key_heads / shape.heads;
    const auto q =
        turned(channels(attention.query, i, head * shape.key_width, shape.key_width), rotation, true, i, length);
    const auto k =
        turned(channels(attention.key, j, key_head * shape.key_width, shape.key_width), rotation, false, j, length);
    const double scale = layer.scale[static_cast<size_t>(head)] * row_scale(layer, head, i, length) /
                         std::sqrt(static_cast<double>(shape.key_width));
    Value value;
    for (size_t c = 0; c < q.size(); ++c) value.add(scale * q[c].real() * k[c].real());
    return value;
  }

  double row_scale(const LayerEncoding& layer, int64_t head, int64_t i, int64_t length) const {
    if (layer.row_scale == nullptr) return 1.0;
    const ScaleTerm& term = *layer.row_scale;
    const int64_t row = head + (term.per_length ? (length - 1) * data_.config.heads : 0);
    return term.fixed(row, term.fixed.columns > 1 ? position(i, term.axis) : 0);
  }

  static std::vector<double> shifted(std::vector<double> x, const ShiftTerm* shift, int64_t head) {
    for (size_t c = 0; c < (shift == nullptr ? 0 : x.size()); ++c) x[c] += shift->fixed(head, static_cast<int64_t>(c));
    return x;
  }

  void add_rows(Value& value, double scale, const RowTerm* rows, const std::vector<double>& x, int64_t head, int64_t i,
                int64_t j) const {
    if (rows == nullptr) return;
    const int64_t distance = position(j, rows->axis) - position(i, rows->axis);
    const int64_t row = rows->index[static_cast<size_t>(rows->reach + distance)];
    const auto width = static_cast<int64_t>(x.size());
    const int64_t first = rows->fixed.columns > width ? head * width : 0;
    for (int64_t c = 0; c < width; ++c) value.add(scale * x[static_cast<size_t>(c)] * rows->fixed(row, first + c));
  }

  Value logit(const Rows& attention, int64_t l, int64_t head, int64_t i, int64_t j, int64_t length) const {
    const LayerEncoding& layer = encoding_.layers[static_cast<size_t>(l)];
    const AttentionShape& shape = attention.shape;
    const int64_t own_query = shape.key_width - shape.shared_query_width;
    const int64_t own_key = shape.key_width - shape.shared_key_width;
    const int64_t key_head = head * shape.key_heads / shape.heads;
    const Rotation* rotation = layer.rotation[static_cast<size_t>(head)].get();
    const auto mapped = [&](const std::vector<double>& x) {
      if (shape.feature == FeatureMap::none) return x;
      std::vector<double> features;
      for (const double channel : x) features.insert(features.end(), {std::log1p(std::exp(channel)), 0.0});
      return features;
    };
    const std::vector<double> own_q =
        with_shared(channels(attention.query, i, head * own_query, own_query), attention.shared_query, i);
    const std::vector<double> own_k =
        with_shared(channels(attention.key, j, key_head * own_key, own_key), attention.shared_key, j);
    const std::vector<double> plain_q = mapped(shifted(own_q, layer.query_shift.get(), head)), plain_k = mapped(own_k);
    auto q = turned(plain_q, rotation, true, i, length);
    auto k = turned(plain_k, rotation, false, j, length);
    const double scale = layer.scale[static_cast<size_t>(head)] * row_scale(layer, head, i, length) /
                         std::sqrt(static_cast<double>(shape.key_width));
    Value value;
    if (layer.token_rotation) {
      const std::vector<int64_t>& heads = layer.token_rotation->heads;
      const auto found = std::find(heads.begin(), heads.end(), head);
      const auto norm = [&](const std::vector<double>& x) {
        double square = 0.0;
        for (const double channel : x) square += channel * channel;
        return scale * std::sqrt(square);
      };
      if (found != heads.end()) {
        const TokenRotation& turn = *layer.token_rotation;
        q = turned_by_token(plain_q, turn, angles(attention, turn, found - heads.begin(), i), value, norm(plain_k));
        k = turned_by_token(plain_k, turn, angles(attention, turn, found - heads.begin(), j), value, norm(plain_q));
      }
    }
    for (size_t c = 0; c < q.size(); ++c) value.add(scale * q[c].real() * k[c].real());
    if (layer.dense != nullptr && layer.dense->has(head)) {
      add_dense(value, attention, layer, l, head, i, j, length, {q, k, plain_q, plain_k, scale});
    }
    value.add(bias(layer, head, i, j, length));
    add_gates(value, attention, layer, head, i, j);
    add_rows(value, scale, layer.query_rows.get(), shifted(own_q, layer.row_shift.get(), head), head, i, j);
    add_rows(value, scale, layer.key_rows.get(), own_k, head, i, j);
    return value;
  }

  ModelData data_{longer(GetParam().config), kLengths, kSeed};
  ResolvedEncoding encoding_ = with_values(data_.encoding, values());
  std::vector<int32_t> positions_ = token_positions(data_.batch, data_.encoding, kPositionSeed, 0);

 private:
  ParameterValues values() const {
    ParameterValues result;
    for (size_t k = 0; k < data_.encoding.parameters.size(); ++k) {
      const Parameter& entry = data_.layout.encoding_entry(static_cast<int64_t>(k));
      const auto first = data_.parameters.begin() + entry.offset;
      result.emplace_back(first, first + entry.size);
    }
    return result;
  }
};

TEST_P(EncodingLogits, AreThoseOfTheFormula) {
  Transformer model(test_backend(), data_.config, data_.encoding, options_for(data_.batch, Dtype::f32));
  model.load_parameters(data_.parameters);
  model.forward(data_.batch);
  for (int64_t l = 0; l < data_.config.layers; ++l) {
    const Attention attention = model.attention(l);
    const Rows read = rows_of(attention, model.activations().layers[static_cast<size_t>(l)].attention_norm.y);
    for (int64_t s = 0; s < data_.batch.sequence_count(); ++s) {
      const int64_t first = data_.batch.offsets[static_cast<size_t>(s)];
      const int64_t n = kLengths[static_cast<size_t>(s)];
      const DeviceArray<float> logits(test_backend(), {}, data_.config.heads * n * n);
      AttentionDenseForward op{.sequence = static_cast<int32_t>(s), .attention = attention};
      op.logits = View<float, 3>(logits.data(), data_.config.heads, n, n);
      test_backend().run(op);
      const std::vector<float> got = logits.read(data_.config.heads * n * n);
      for (int64_t head = 0; head < data_.config.heads; ++head) {
        for (const int64_t i : {int64_t{0}, int64_t{1}, int64_t{17}, n - 1}) {
          for (const int64_t j : {int64_t{0}, int64_t{1}, int64_t{17}, n - 1}) {
            if (data_.config.causal && j > i) continue;
            const float found = got[static_cast<size_t>((head * n + i) * n + j)];
            const HeadMask& mask = encoding_.layers[static_cast<size_t>(l)].masks[static_cast<size_t>(head)];
            const bool far = mask.window > 0 && std::abs(i - j) >= mask.window;
            if (far || (mask.chunk > 0 && i / mask.chunk != j / mask.chunk)) {
              ASSERT_EQ(found, -std::numeric_limits<float>::infinity());
              continue;
            }
            const Value expected = logit(read, l, head, first + i, first + j, n);
            // Turning costs a few roundings a channel on each side (one more product per axis), the sum one per term.
            const double roundings = static_cast<double>(attention.shape.turned_width()) + 20.0;
            // Numbers that cancel when turned were larger before: twice as large at most, on either side.
            const double bound = 4.0 * roundings * kRounding * expected.size + 1e-30;
            ASSERT_NEAR(double{found}, expected.sum, bound)
                << "layer " << l << " sequence " << s << " head " << head << " query " << i << " key " << j;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EncodingLogits, ::testing::ValuesIn(encoding_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace logits_test
}  // namespace phasor::testing_support
