#pragma once
// Ragged attention, one query at a time:
//   L_ij = scale * head_scale[h] * row_scale_h(p_i) * (<A (q_i + u_h), B k_j> + <q_i + v_h, E_h(p_j - p_i)>
//          + <k_j, F_h(p_j - p_i)>) + b_h(p_i, p_j - p_i) - |c_i - c_j|,
//   c_i - c_j for keys in front of the query and c_j - c_i for those behind, since c falls;  o_i = sum_j
//   dropout(softmax(L))_ij v_j,
// over the keys that i sees: of |i - j| < window, floor(i / chunk) = floor(j / chunk), j <= i those that are asked for.
// A sink's logit joins the softmax and has no value.
// With features q and k are those of queries and keys: every channel x is the pair (log(1 + e^x), 0).
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "phasor/engine/ops.h"
#include "reference/dense_term.h"
#include "reference/dropout.h"
#include "reference/grid.h"

namespace phasor::reference {

// Which table a sequence reads: [sequences], or empty for table 0.
inline int64_t sequence_table(const std::vector<int32_t>& tables, int64_t s) {
  return tables.empty() ? 0 : tables[static_cast<size_t>(s)];
}

struct RotationSetup {
  int64_t sets = 1, axes = 1, positions = 0, pairs = 0, first = 0;
  bool halves = false;
  std::vector<double> query, key;  // [tables * sets * axes, positions, pairs, 2]; empty: no rotation
  std::vector<int32_t> head_set;   // [heads]
  int64_t token_sets = 0;
  std::vector<double> token;            // [tokens, token sets, pairs, 2]; empty: tokens turn nothing
  std::vector<int32_t> token_set;       // [heads], -1: tokens do not turn the head
  std::vector<int32_t> sequence_table;  // [sequences] or empty
};

struct BiasSetup {
  int64_t reach = 0, rows = 1, axis = 0;
  std::vector<int32_t> sequence_table;  // [sequences] or empty
};

struct RowScaleSetup {
  int64_t axis = 0;
  std::vector<int32_t> sequence_table;  // [sequences] or empty
};

// Which row of a table a distance reads.
struct RowsSetup {
  int64_t reach = 0, axis = 0;
  std::vector<int32_t> index;  // [2 reach + 1]
};

// All that is not differentiated.
struct AttentionSetup {
  AttentionShape shape;
  std::vector<int32_t> offsets;  // [sequences + 1]
  Grid<int32_t> positions;       // [tokens, axes]
  double scale = 1.0;
  std::vector<double> head_scale;  // [heads] or empty
  bool causal = false;
  std::vector<int64_t> window, chunk;  // [heads] or empty; 0: none
  RotationSetup rotation;
  BiasSetup bias;
  RowScaleSetup row_scale;
  RowsSetup query_rows, key_rows;
  DenseSetup dense;
  DropoutRule dropout;

  int64_t sequences() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t begin(int64_t s) const { return offsets[static_cast<size_t>(s)]; }
  int64_t length(int64_t s) const { return offsets[static_cast<size_t>(s) + 1] - begin(s); }
  int64_t key_head(int64_t h) const { return h * shape.key_heads / shape.heads; }
  double factor(int64_t h) const { return head_scale.empty() ? 1.0 : head_scale[static_cast<size_t>(h)]; }
  bool sees(int64_t h, int64_t i, int64_t j) const {
    const int64_t w = window.empty() ? 0 : window[static_cast<size_t>(h)];
    const int64_t c = chunk.empty() ? 0 : chunk[static_cast<size_t>(h)];
    return (!causal || j <= i) && (w == 0 || std::abs(i - j) < w) && (c == 0 || i / c == j / c);
  }
  int64_t bias_row(int64_t s, int64_t h, int64_t query_token) const {
    const int64_t row = (reference::sequence_table(bias.sequence_table, s) * shape.heads + h) * bias.rows;
    return bias.rows > 1 ? row + positions(query_token, bias.axis) : row;
  }
  int64_t bias_column(int64_t query_token, int64_t key_token) const {
    return bias.reach + positions(key_token, bias.axis) - positions(query_token, bias.axis);
  }
  int64_t scale_row(int64_t s, int64_t h) const {
    return reference::sequence_table(row_scale.sequence_table, s) * shape.heads + h;
  }
  int64_t scale_column(int64_t query_token, int64_t columns) const {
    return columns > 1 ? positions(query_token, row_scale.axis) : 0;
  }
  // Which set of a token's own factors turns the head, -1 for none.
  int64_t token_set(int64_t h) const {
    return rotation.token.empty() ? -1 : rotation.token_set[static_cast<size_t>(h)];
  }
  int64_t row_of(const RowsSetup& rows, int64_t query_token, int64_t key_token) const {
    const int64_t distance = positions(key_token, rows.axis) - positions(query_token, rows.axis);
    return rows.index[static_cast<size_t>(rows.reach + distance)];
  }
  // Where the head's part of a row begins; heads may share one.
  int64_t row_start(int64_t columns, int64_t h) const { return columns > shape.key_width ? h * shape.key_width : 0; }
  // The row of the rotation's tables for the first axis, -1 where the head does not turn.
  int64_t rotation_row(int64_t s, int64_t h) const {
    if (rotation.query.empty() || rotation.head_set[static_cast<size_t>(h)] < 0) return -1;
    const int64_t table = reference::sequence_table(rotation.sequence_table, s);
    return (table * rotation.sets + rotation.head_set[static_cast<size_t>(h)]) * rotation.axes;
  }
};

template <class S>
struct AttentionTensors {
  Grid<S> query, key;                // as in ops.h
  Grid<S> shared_query, shared_key;  // or empty
  Grid<S> value;
  Grid<S> bias;         // [tables * heads * rows, 2 reach + 1] or empty
  Grid<S> frequency;    // [tables * sets * axes, pairs] or empty: what is added to the frequencies in the tables
  Grid<S> scale = {};   // [tables * heads, positions or 1] or empty
  Grid<S> prefix = {};  // [tokens, heads] or empty
  Grid<S> sink = {};    // [1, heads], -infinity for heads without one; or empty
  Grid<S> angle = {};   // [tokens, token sets * pairs] or empty: what is added to the angles of rotation.token
  Grid<S> phase = {};   // [tables * sets, pairs] or empty: what is added to the angles of keys
  Grid<S> query_rows = {}, key_rows = {};    // [rows, (heads *) key_width] or empty
  Grid<S> query_shift = {}, row_shift = {};  // [heads, key_width] or empty
  // Of setup.dense, or empty: [sets * (most + 1), key_width], [tokens, sets * key_width], [tokens, sets].
  Grid<S> vectors = {}, directions = {}, strengths = {};
};

template <class S>
bool has_sink(const AttentionTensors<S>& x, int64_t h) {
  return !x.sink.empty() && value_of(x.sink(0, h)) > -std::numeric_limits<double>::infinity();
}

// The pair's factor as f0 + i f1 and its two channels.
template <class S>
struct Turn {
  S f0, f1;
  int64_t a, b;

  void multiply(const S& g0, const S& g1) {
    const S real = f0 * g0 - f1 * g1;
    f1 = f0 * g1 + f1 * g0;
    f0 = real;
  }
};

template <class S>
S softplus(const S& x) {
  using std::exp;
  using std::log;
  if (value_of(x) > 0.0) return x + log(S(1.0) + exp(S(0.0) - x));
  return log(S(1.0) + exp(x));
}

template <class S>
S softplus_slope(const S& x) {
  using std::exp;
  return S(1.0) / (S(1.0) + exp(S(0.0) - x));
}

// By the token's own factors.
template <class S>
std::vector<Turn<S>> token_turns(const AttentionSetup& setup, const Grid<S>& angle, int64_t h, int64_t token) {
  using std::cos;
  using std::sin;
  const RotationSetup& r = setup.rotation;
  std::vector<Turn<S>> result;
  for (int64_t c = 0; c < r.pairs; ++c) {
    const int64_t a = r.first + (r.halves ? c : 2 * c);
    const int64_t number = setup.token_set(h) * r.pairs + c;
    const auto at = static_cast<size_t>((token * r.token_sets * r.pairs + number) * 2);
    Turn<S> turn{S(r.token[at]), S(r.token[at + 1]), a, r.halves ? a + r.pairs : a + 1};
    if constexpr (requires(S z) { cos(z), sin(z); }) {
      if (!angle.empty()) turn.multiply(cos(angle(token, number)), sin(angle(token, number)));
    }
    result.push_back(turn);
  }
  return result;
}

template <class S>
std::vector<Turn<S>> turns(const AttentionSetup& setup, const AttentionTensors<S>& x, bool query, int64_t s, int64_t h,
                           int64_t token) {
  using std::cos;
  using std::sin;
  if (setup.token_set(h) >= 0) return token_turns(setup, x.angle, h, token);
  const Grid<S>& frequency = x.frequency;
  const RotationSetup& r = setup.rotation;
  const std::vector<double>& table = query ? r.query : r.key;
  const int64_t row = setup.rotation_row(s, h);
  std::vector<Turn<S>> result;
  for (int64_t c = 0; c < (row < 0 ? 0 : r.pairs); ++c) {
    const int64_t a = r.first + (r.halves ? c : 2 * c);
    Turn<S> turn{S(1.0), S(0.0), a, r.halves ? a + r.pairs : a + 1};
    for (int64_t axis = 0; axis < r.axes; ++axis) {
      const int64_t position = setup.positions(token, axis);
      const auto at = static_cast<size_t>((((row + axis) * r.positions + position) * r.pairs + c) * 2);
      if (axis == 0) {
        turn.f0 = S(table[at]);
        turn.f1 = S(table[at + 1]);
      } else {
        turn.multiply(S(table[at]), S(table[at + 1]));
      }
      // Scalars without a cosine take the tables as they are.
      if constexpr (requires(S z) { cos(z), sin(z); }) {
        if (frequency.empty()) continue;
        const S angle = frequency(row + axis, c) * S(static_cast<double>(position));
        turn.multiply(cos(angle), sin(angle));
      }
    }
    if constexpr (requires(S z) { cos(z), sin(z); }) {
      if (!query && !x.phase.empty()) {
        const S& phase = x.phase(row / r.axes, c);
        turn.multiply(cos(phase), sin(phase));
      }
    }
    result.push_back(turn);
  }
  return result;
}

// Channel c of a head: its own, or one that all heads share.
template <class S>
const S& channel(const Grid<S>& own, const Grid<S>& shared, int64_t own_width, int64_t head, int64_t token, int64_t c) {
  return c < own_width ? own(token, head * own_width + c) : shared(token, c - own_width);
}

// As they were read: own channels, then shared ones.
template <class S>
std::vector<S> plain(const AttentionSetup& setup, const AttentionTensors<S>& x, bool query, int64_t h, int64_t token) {
  const AttentionShape& shape = setup.shape;
  std::vector<S> channels;
  for (int64_t c = 0; c < shape.key_width; ++c) {
    channels.push_back(
        query ? channel(x.query, x.shared_query, shape.key_width - shape.shared_query_width, h, token, c)
              : channel(x.key, x.shared_key, shape.key_width - shape.shared_key_width, setup.key_head(h), token, c));
  }
  return channels;
}

template <class S>
std::vector<S> shifted(std::vector<S> channels, const Grid<S>& shift, int64_t h) {
  for (size_t c = 0; c < (shift.empty() ? 0 : channels.size()); ++c) {
    channels[c] = operand(channels[c] + shift(h, static_cast<int64_t>(c)));
  }
  return channels;
}

template <class S>
std::vector<S> turned(const AttentionSetup& setup, const AttentionTensors<S>& x, bool query, int64_t s, int64_t h,
                      int64_t token) {
  std::vector<S> channels = plain(setup, x, query, h, token);
  if (query) channels = shifted(std::move(channels), x.query_shift, h);
  if (setup.shape.feature == FeatureMap::softplus) {
    std::vector<S> features;
    for (const S& channel : channels) features.insert(features.end(), {softplus(channel), S(0.0)});
    channels = std::move(features);
  }
  for (const Turn<S>& turn : turns(setup, x, query, s, h, token)) {
    const S a = channels[static_cast<size_t>(turn.a)];
    const S b = channels[static_cast<size_t>(turn.b)];
    channels[static_cast<size_t>(turn.a)] = operand(a * turn.f0 - b * turn.f1);
    channels[static_cast<size_t>(turn.b)] = operand(a * turn.f1 + b * turn.f0);
  }
  return channels;
}

// <x, the head's part of a row>.
template <class S>
S row_product(const AttentionSetup& setup, const std::vector<S>& x, const Grid<S>& table, int64_t row, int64_t h) {
  const int64_t first = setup.row_start(table.columns, h);
  Sum<S> sum;
  for (int64_t c = 0; c < setup.shape.key_width; ++c) sum.add(x[static_cast<size_t>(c)] * table(row, first + c));
  return sum.total();
}

// The turned queries or keys of one head and sequence, [n, turned_width()].
template <class S>
Grid<S> turned_head(const AttentionSetup& setup, const AttentionTensors<S>& x, bool query, int64_t s, int64_t h) {
  Grid<S> result(setup.length(s), setup.shape.turned_width());
  for (int64_t i = 0; i < result.rows; ++i) {
    const std::vector<S> row = turned(setup, x, query, s, h, setup.begin(s) + i);
    std::copy(row.begin(), row.end(), result.data.begin() + i * result.columns);
  }
  return result;
}

template <class S>
S prefix_between(const Grid<S>& prefix, int64_t query_token, int64_t key_token, int64_t h) {
  return prefix(std::max(query_token, key_token), h) - prefix(std::min(query_token, key_token), h);
}

// What the products of a query are multiplied with.
template <class S>
S logit_scale(const AttentionSetup& setup, const Grid<S>& row_scale, int64_t s, int64_t h, int64_t query_token) {
  const S scale = S(setup.scale) * S(setup.factor(h));
  if (row_scale.empty()) return scale;
  return scale * row_scale(setup.scale_row(s, h), setup.scale_column(query_token, row_scale.columns));
}

// What query i sees; the vectors cover the keys that it does.
template <class S>
struct AttentionRow {
  std::vector<int64_t> keys;
  std::vector<S> logits, weights, factors;  // factors: dropout
  S sink_weight = S(0.0);
  S log_sum;
  std::vector<S> out;  // [value_width]
};

template <class S>
AttentionRow<S> attention_row(const AttentionSetup& setup, const AttentionTensors<S>& x, const Grid<S>& queries,
                              const Grid<S>& keys, int64_t s, int64_t h, int64_t i) {
  using std::exp;
  using std::log;
  const int64_t begin = setup.begin(s);
  const S scale = logit_scale(setup, x.scale, s, h, begin + i);
  const std::vector<S> row_query = shifted(plain(setup, x, true, h, begin + i), x.row_shift, h);
  AttentionRow<S> row;
  const auto scaled = [&](int64_t j) {
    Sum<S> sum;
    for (int64_t c = 0; c < keys.columns; ++c) sum.add(queries(i, c) * keys(j, c));
    return scale * product_with_term(setup, x, queries, keys, s, h, i, j, sum.total());
  };
  double largest = has_sink(x, h) ? value_of(x.sink(0, h)) : -std::numeric_limits<double>::infinity();
  for (int64_t j = 0; j < keys.rows; ++j) {
    if (!setup.sees(h, i, j)) continue;
    row.keys.push_back(j);
    S logit = scaled(j) + added_by_positions<S>(setup, x, s, h, i, j, scaled);
    if (!x.query_rows.empty()) {
      const int64_t at = setup.row_of(setup.query_rows, begin + i, begin + j);
      logit += scale * row_product(setup, row_query, x.query_rows, at, h);
    }
    if (!x.key_rows.empty()) {
      const int64_t at = setup.row_of(setup.key_rows, begin + i, begin + j);
      logit += scale * row_product(setup, plain(setup, x, false, h, begin + j), x.key_rows, at, h);
    }
    if (!x.bias.empty()) logit += x.bias(setup.bias_row(s, h, begin + i), setup.bias_column(begin + i, begin + j));
    if (!x.prefix.empty()) logit += prefix_between(x.prefix, begin + i, begin + j, h);
    row.logits.push_back(logit);
    largest = std::max(largest, value_of(logit));
    const uint64_t index =
        (static_cast<uint64_t>(s) << 40) + (static_cast<uint64_t>(i) << 20) + static_cast<uint64_t>(j);
    row.factors.push_back(setup.dropout.template factor<S>(index, static_cast<uint32_t>(h)));
  }
  Sum<S> sum;
  for (const S& logit : row.logits) {
    row.weights.push_back(exp(logit - S(largest)));
    sum.add(row.weights.back());
  }
  if (has_sink(x, h)) {
    row.sink_weight = exp(x.sink(0, h) - S(largest));
    sum.add(row.sink_weight);
  }
  const S total = sum.total();
  row.sink_weight = row.sink_weight / total;
  row.log_sum = S(largest) + log(total);
  for (S& weight : row.weights) weight = weight / total;
  const int64_t width = setup.shape.value_width;
  for (int64_t c = 0; c < width; ++c) {
    Sum<S> mixed;
    for (size_t at = 0; at < row.keys.size(); ++at) {
      if (value_of(row.factors[at]) == 0.0) continue;
      mixed.add(operand(row.weights[at] * row.factors[at]) *
                x.value(begin + row.keys[at], setup.key_head(h) * width + c));
    }
    row.out.push_back(mixed.total());
  }
  return row;
}

template <class S>
struct AttentionResult {
  Grid<S> out;      // [tokens, heads * value_width]
  Grid<S> log_sum;  // [tokens, heads]
};

template <class S>
AttentionResult<S> attention(const AttentionSetup& setup, const AttentionTensors<S>& x) {
  const int64_t width = setup.shape.value_width;
  AttentionResult<S> result{Grid<S>(x.value.rows, setup.shape.heads * width), Grid<S>(x.value.rows, setup.shape.heads)};
  for (int64_t s = 0; s < setup.sequences(); ++s) {
    for (int64_t h = 0; h < setup.shape.heads; ++h) {
      const Grid<S> queries = turned_head(setup, x, true, s, h);
      const Grid<S> keys = turned_head(setup, x, false, s, h);
      for (int64_t i = 0; i < setup.length(s); ++i) {
        const AttentionRow<S> row = attention_row(setup, x, queries, keys, s, h, i);
        const int64_t token = setup.begin(s) + i;
        for (int64_t c = 0; c < width; ++c) result.out(token, h * width + c) = row.out[static_cast<size_t>(c)];
        result.log_sum(token, h) = row.log_sum;
      }
    }
  }
  return result;
}

}  // namespace phasor::reference
