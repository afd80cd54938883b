#pragma once
// Attention logits of one sequence in double, straight from the formula of docs/encodings.md and the tables of a
// resolved encoding:
//
//   x_i  = [e_i ; 0] + P(p_i)
//   L_ij = s r(p_i) / sqrt(D) * (<A(p_i) (q_i + u), B(p_j) k_j> + <q_i + v, E(p_j - p_i)> + <k_j, F(p_j - p_i)>)
//          + b(p_i, p_j)                                                    D = width of the queries
//
// Encodings must be settled: with_values() of values.h.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/random/distributions.h"

namespace phasor::testing_support {

// Where each token stands on each axis of the encoding: [axes][tokens].
using TokenPositions = std::vector<std::vector<int64_t>>;

// 0, 1, 2, ... on every axis, moved by `shift`.
inline TokenPositions counted_positions(const ResolvedEncoding& encoding, int64_t length, int64_t shift = 0) {
  TokenPositions positions(encoding.axes.size());
  for (std::vector<int64_t>& axis : positions) {
    for (int64_t t = 0; t < length; ++t) axis.push_back(t + shift);
  }
  return positions;
}

inline int64_t token_count(const TokenPositions& positions) { return static_cast<int64_t>(positions[0].size()); }

inline int64_t position_of(const TokenPositions& positions, int64_t axis, int64_t token) {
  return positions[static_cast<size_t>(axis)][static_cast<size_t>(token)];
}

// Standard normal; each site has its own.
inline Table random_table(int64_t rows, int64_t columns, uint32_t site) {
  const RandomStream stream{.seed = 23, .purpose = Purpose::test, .site = site};
  Table table(rows, columns);
  for (size_t e = 0; e < table.values.size(); ++e) table.values[e] = normal(stream, e);
  return table;
}

inline int64_t query_width(const ResolvedEncoding& encoding, int64_t layer = 0) {
  const auto& decoupled = encoding.layers[static_cast<size_t>(layer)].decoupled;
  return encoding.shape.head_width + (decoupled ? decoupled->rotary : 0);
}

// Tokens [n, embedding_width] as the first layer sees them, [n, width].
inline Table embedded(const ResolvedEncoding& encoding, const Table& tokens, const TokenPositions& positions) {
  Table x(tokens.rows, encoding.shape.width);
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t c = 0; c < tokens.columns; ++c) x(t, c) = tokens(t, c);
    if (!encoding.input) continue;
    const InputTerm& input = *encoding.input;
    if (!input.learned.empty()) fail("an input term that is not settled");
    const int64_t extent = encoding.axes[static_cast<size_t>(input.axis)].extent;
    const int64_t table = input.per_length ? x.rows - 1 : 0;
    const int64_t row = table * extent + position_of(positions, input.axis, t);
    for (int64_t c = 0; c < x.columns; ++c) x(t, c) += input.fixed(row, c);
  }
  return x;
}

// x [n, width] times the transpose of weights [out, width].
inline Table projected(const Table& x, const Table& weights) {
  Table result(x.rows, weights.rows);
  for (int64_t r = 0; r < result.rows; ++r) {
    for (int64_t o = 0; o < result.columns; ++o) {
      for (int64_t c = 0; c < x.columns; ++c) result(r, o) += x(r, c) * weights(o, c);
    }
  }
  return result;
}

// Every pair of channels (u, v) of every row becomes the complex product (u + i v) times its factor.
inline Table turned_rows(const Rotation& rotation, const std::vector<std::complex<double>>& factors, Table x,
                         const TokenPositions& positions) {
  if (!rotation.learned.empty() || !rotation.learned_phases.empty()) fail("a rotation that is not settled");
  const int64_t length_class =
      rotation.class_of_length.empty() ? 0 : rotation.class_of_length[static_cast<size_t>(x.rows)];
  const int64_t axes = static_cast<int64_t>(rotation.axes.size());
  for (int64_t t = 0; t < x.rows; ++t) {
    for (int64_t c = 0; c < rotation.pairs; ++c) {
      std::complex<double> factor = 1.0;
      for (int64_t a = 0; a < axes; ++a) {
        const int64_t p = position_of(positions, rotation.axes[static_cast<size_t>(a)], t);
        factor *=
            factors[static_cast<size_t>(((length_class * axes + a) * rotation.positions + p) * rotation.pairs + c)];
      }
      double& u = x(t, rotation.first + (rotation.halves ? c : 2 * c));
      double& v = x(t, rotation.first + (rotation.halves ? rotation.pairs + c : 2 * c + 1));
      const double real = u * factor.real() - v * factor.imag();
      v = u * factor.imag() + v * factor.real();
      u = real;
    }
  }
  return x;
}

struct DenseLogits {
  Table logits;  // [n, n]
  Table sizes;   // s / sqrt(D) |A q| |B k| + |b|: what the rounding of an entry is relative to
};

inline double bias_of(const ResolvedEncoding& encoding, int64_t layer, int64_t head, const TokenPositions& positions,
                      int64_t i, int64_t j) {
  const auto& term = encoding.layers[static_cast<size_t>(layer)].bias;
  if (term == nullptr) return 0.0;
  if (!term->learned.empty()) fail("a bias that is not settled");
  const int64_t p = position_of(positions, term->axis, i);
  const int64_t table = term->per_length ? token_count(positions) - 1 : 0;
  const int64_t row = (table * encoding.shape.heads + head) * term->rows + (term->rows > 1 ? p : 0);
  return term->fixed(row, term->reach + position_of(positions, term->axis, j) - p);
}

inline double row_scale_of(const ResolvedEncoding& encoding, int64_t layer, int64_t head,
                           const TokenPositions& positions, int64_t i) {
  const auto& term = encoding.layers[static_cast<size_t>(layer)].row_scale;
  if (term == nullptr) return 1.0;
  if (!term->learned.empty()) fail("a row scale that is not settled");
  const int64_t table = term->per_length ? token_count(positions) - 1 : 0;
  const int64_t column = term->fixed.columns > 1 ? position_of(positions, term->axis, i) : 0;
  return term->fixed(table * encoding.shape.heads + head, column);
}

// Every channel x becomes the pair (log(1 + e^x), 0).
inline Table features_of(const Table& x) {
  Table result(x.rows, 2 * x.columns);
  for (int64_t r = 0; r < x.rows; ++r) {
    for (int64_t c = 0; c < x.columns; ++c) result(r, 2 * c) = std::log(1.0 + std::exp(x(r, c)));
  }
  return result;
}

// <x of one token, the row of the distance>, and what its rounding is relative to.
struct RowProduct {
  double value = 0.0, size = 0.0;
};

inline RowProduct row_product(const ResolvedEncoding& encoding, const std::shared_ptr<const RowTerm>& rows,
                              const Table& x, int64_t token, int64_t head, const TokenPositions& positions, int64_t i,
                              int64_t j) {
  RowProduct result;
  if (rows == nullptr) return result;
  if (!rows->learned.empty()) fail("distance rows that are not settled");
  const int64_t width = encoding.shape.head_width;
  const int64_t distance = position_of(positions, rows->axis, j) - position_of(positions, rows->axis, i);
  const int64_t row = rows->index[static_cast<size_t>(rows->reach + distance)];
  const int64_t first = rows->fixed.columns > width ? head * width : 0;
  for (int64_t c = 0; c < width; ++c) {
    result.value += x(token, c) * rows->fixed(row, first + c);
    result.size += std::abs(x(token, c) * rows->fixed(row, first + c));
  }
  return result;
}

inline Table shifted(Table x, const std::shared_ptr<const ShiftTerm>& shift, int64_t head) {
  for (int64_t t = 0; t < (shift == nullptr ? 0 : x.rows); ++t) {
    for (int64_t c = 0; c < x.columns; ++c) x(t, c) += shift->fixed(head, c);
  }
  return x;
}

// Queries and keys [n, query_width] of one head. Positions by gates and reflections, which contents make, are left out.
inline DenseLogits dense_logits(const ResolvedEncoding& encoding, int64_t layer, int64_t head, Table q, Table k,
                                const TokenPositions& positions) {
  const LayerEncoding& place = encoding.layers[static_cast<size_t>(layer)];
  const Table row_query = shifted(q, place.row_shift, head), plain_key = k;
  q = shifted(std::move(q), place.query_shift, head);
  if (place.feature == FeatureMap::softplus) {
    q = features_of(q);
    k = features_of(k);
  }
  const FarAngles* far = place.dense != nullptr && place.dense->has(head) ? place.dense->far() : nullptr;
  Table far_back, far_ahead, far_key;
  if (far != nullptr) {
    Rotation other;
    other.pairs = far->pairs;
    other.halves = far->halves;
    other.axes = {far->axis};
    other.positions = far->positions;
    far_back = turned_rows(other, far->query_back, q, positions);
    far_ahead = turned_rows(other, far->query_ahead, q, positions);
    far_key = turned_rows(other, far->key, k, positions);
  }
  if (const auto& rotation = place.rotation[static_cast<size_t>(head)]) {
    q = turned_rows(*rotation, rotation->query, std::move(q), positions);
    k = turned_rows(*rotation, rotation->key, std::move(k), positions);
  }
  const double head_scale =
      place.scale[static_cast<size_t>(head)] / std::sqrt(static_cast<double>(query_width(encoding, layer)));
  DenseLogits result{Table(q.rows, k.rows), Table(q.rows, k.rows)};
  for (int64_t i = 0; i < q.rows; ++i) {
    const double scale = head_scale * row_scale_of(encoding, layer, head, positions, i);
    for (int64_t j = 0; j < k.rows; ++j) {
      double product = 0.0;
      double q_square = 0.0;
      double k_square = 0.0;
      const int64_t here = far == nullptr ? 0 : position_of(positions, far->axis, i);
      const int64_t there = far == nullptr ? 0 : position_of(positions, far->axis, j);
      const bool is_far = far != nullptr && std::abs(here - there) >= far->window;
      const Table& query = !is_far ? q : there <= here ? far_back : far_ahead;
      const Table& key = is_far ? far_key : k;
      for (int64_t c = 0; c < q.columns; ++c) {
        product += query(i, c) * key(j, c);
        q_square += q(i, c) * q(i, c);
        k_square += k(j, c) * k(j, c);
      }
      const double bias = bias_of(encoding, layer, head, positions, i, j);
      const RowProduct by_query = row_product(encoding, place.query_rows, row_query, i, head, positions, i, j);
      const RowProduct by_key = row_product(encoding, place.key_rows, plain_key, j, head, positions, i, j);
      result.logits(i, j) = scale * (product + by_query.value + by_key.value) + bias;
      result.sizes(i, j) =
          std::abs(scale) * (std::sqrt(q_square * k_square) + by_query.size + by_key.size) + std::abs(bias);
    }
  }
  return result;
}

// Through embeddings and projections, so that input terms take part. Tokens and weights are random, and the same for
// all encodings of a shape.
inline DenseLogits projected_logits(const ResolvedEncoding& encoding, int64_t layer, int64_t head,
                                    const TokenPositions& positions) {
  const int64_t out = query_width(encoding, layer);
  const Table tokens = random_table(token_count(positions), encoding.embedding_width, 1);
  const Table x = embedded(encoding, tokens, positions);
  const Table queries = random_table(out, encoding.shape.width, 2);
  const Table keys = random_table(out, encoding.shape.width, 3);
  return dense_logits(encoding, layer, head, projected(x, queries), projected(x, keys), positions);
}

// Parameters away from where they start, within their bounds: what holds for all values must hold for these.
inline ResolvedEncoding with_random_values(const ResolvedEncoding& encoding, uint64_t seed = 1) {
  ParameterValues values = initial_values(encoding, seed);
  for (size_t k = 0; k < values.size(); ++k) {
    const LearnedParameter& parameter = encoding.parameters[k];
    const RandomStream stream{.seed = seed, .purpose = Purpose::test, .site = 4, .step = static_cast<uint32_t>(k)};
    for (size_t i = 0; i < values[k].size(); ++i) {
      values[k][i] = std::min(std::max(values[k][i] + 0.3 * normal(stream, i), parameter.least), parameter.most);
    }
  }
  return with_values(encoding, values);
}

inline ResolvedEncoding settled(const std::string& text, const EncodingShape& shape, uint64_t seed = 1) {
  return with_random_values(resolve(parse_encoding(text), shape), seed);
}

}  // namespace phasor::testing_support
