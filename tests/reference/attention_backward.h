#pragma once
// The gradients of ragged attention. With P = softmax(L), m the dropout factors and D_i = <do_i, o_i>:
//   dL_ij = P_ij (m_ij <do_i, v_j> - D_i),  dv_j = sum_i m_ij P_ij do_i,
//   d(A q_i) = s sum_j dL_ij B k_j,  d(B k_j) = s sum_i dL_ij A q_i,  db(d) = sum of dL_ij at distance d.
//   dc_t = sum of dL_ij over i, j with t the later of both less that with t the earlier.
// A sink's logit has the same gradient with nothing in place of <do_i, v_j>.
//   dE(d) = s sum of dL_ij (q_i + v) at distance d, dF(d) = s sum of dL_ij k_j; dq_i += s sum_j dL_ij E, dk_j likewise;
//   du and dv are the sums over tokens of what the products with keys and with rows say of the queries.
// A factor m e^(i w p) moves by i p of itself with w: dw = sum of p Im(conj(A q) d(A q)) over queries, and keys alike.
#include "reference/attention.h"

namespace phasor::reference {

// What the forward pass left: out and log_sum, as exact as their storage.
template <class S>
struct AttentionSaved {
  Grid<S> out;      // [tokens, heads * value_width]
  Grid<S> log_sum;  // [tokens, heads]
};

// D_i.
template <class S>
S taken_back(const AttentionSetup& setup, const Grid<S>& dout, const AttentionSaved<S>& saved, int64_t token,
             int64_t h) {
  const int64_t width = setup.shape.value_width;
  Sum<S> through_sum;
  for (int64_t c = 0; c < width; ++c) through_sum.add(dout(token, h * width + c) * saved.out(token, h * width + c));
  return through_sum.total();
}

template <class S>
std::vector<S> logit_gradient_row(const AttentionSetup& setup, const AttentionTensors<S>& x, const AttentionRow<S>& row,
                                  const Grid<S>& dout, const AttentionSaved<S>& saved, int64_t s, int64_t h,
                                  int64_t i) {
  using std::exp;
  const int64_t width = setup.shape.value_width;
  const int64_t begin = setup.begin(s);
  const S through = taken_back(setup, dout, saved, begin + i, h);
  std::vector<S> dlogits;
  for (size_t j = 0; j < row.logits.size(); ++j) {
    Sum<S> dweight;
    for (int64_t c = 0; c < width; ++c) {
      dweight.add(dout(begin + i, h * width + c) * x.value(begin + row.keys[j], setup.key_head(h) * width + c));
    }
    const S weight = exp(row.logits[j] - saved.log_sum(begin + i, h));
    dlogits.push_back(weight * (row.factors[j] * dweight.total() - through));
  }
  return dlogits;
}

// A gradient by turned channels, turned back onto the channels that were read.
template <class S>
void turn_back(const std::vector<Turn<S>>& turns, std::vector<S>& gradient) {
  for (const Turn<S>& turn : turns) {
    const S a = gradient[static_cast<size_t>(turn.a)];
    const S b = gradient[static_cast<size_t>(turn.b)];
    gradient[static_cast<size_t>(turn.a)] = a * turn.f0 + b * turn.f1;
    gradient[static_cast<size_t>(turn.b)] = b * turn.f0 - a * turn.f1;
  }
}

template <class S>
using SumGrid = Grid<Sum<S>>;

template <class S>
SumGrid<S> sums(int64_t rows, int64_t columns) {
  return SumGrid<S>(rows, columns, Sum<S>());
}

template <class S>
Grid<S> totals(const SumGrid<S>& sums) {
  Grid<S> result(sums.rows, sums.columns);
  for (size_t i = 0; i < sums.data.size(); ++i) result.data[i] = sums.data[i].total();
  return result;
}

// Adds what a token's turned channels contribute to the gradient by the frequencies.
template <class S>
void add_by_frequency(const AttentionSetup& setup, const std::vector<Turn<S>>& turns, int64_t s, int64_t h,
                      int64_t token, const std::vector<S>& gradient, const S* turned, SumGrid<S>& sums) {
  for (size_t c = 0; c < turns.size(); ++c) {
    const int64_t a = turns[c].a;
    const int64_t b = turns[c].b;
    const S moment = gradient[static_cast<size_t>(b)] * turned[a] - gradient[static_cast<size_t>(a)] * turned[b];
    for (int64_t axis = 0; axis < setup.rotation.axes; ++axis) {
      const S position(static_cast<double>(setup.positions(token, axis)));
      sums(setup.rotation_row(s, h) + axis, static_cast<int64_t>(c)).add(position * moment);
    }
  }
}

// Adds a token's gradient by the channels it was read from, turned back.
template <class S>
void add_channels(Grid<Sum<S>>& own, Grid<Sum<S>>& shared, int64_t own_width, int64_t head, int64_t token,
                  const std::vector<S>& gradient) {
  for (int64_t c = 0; c < static_cast<int64_t>(gradient.size()); ++c) {
    Sum<S>& sum = c < own_width ? own(token, head * own_width + c) : shared(token, c - own_width);
    sum.add(gradient[static_cast<size_t>(c)]);
  }
}

// Adds one head of one sequence to the sums of all gradients.
template <class S>
void add_head_gradients(const AttentionSetup& setup, const AttentionTensors<S>& x, const Grid<S>& dout,
                        const AttentionSaved<S>& saved, int64_t s, int64_t h, AttentionTensors<Sum<S>>& gradients) {
  const int64_t n = setup.length(s);
  const int64_t begin = setup.begin(s);
  const AttentionShape& shape = setup.shape;
  const int64_t width = shape.key_width;
  const Grid<S> queries = turned_head(setup, x, true, s, h);
  const Grid<S> keys = turned_head(setup, x, false, s, h);
  const S scale = S(setup.scale) * S(setup.factor(h));
  // What the sums of one token's turned channels add to all gradients that they reach.
  const auto add_turned = [&](bool query, int64_t i, std::vector<S> gradient) {
    for (S& g : gradient) g = g * scale;
    const int64_t token = begin + i;
    const auto token_turns = turns(setup, x.frequency, query, s, h, token);
    const S* channels = &(query ? queries : keys)(i, 0);
    if (!gradients.frequency.empty()) {
      add_by_frequency(setup, token_turns, s, h, token, gradient, channels, gradients.frequency);
    }
    turn_back(token_turns, gradient);
    if (query && !gradients.query_shift.empty()) {
      for (int64_t c = 0; c < width; ++c) gradients.query_shift(h, c).add(gradient[static_cast<size_t>(c)]);
    }
    if (query) {
      add_channels(gradients.query, gradients.shared_query, width - shape.shared_query_width, h, token, gradient);
    } else {
      add_channels(gradients.key, gradients.shared_key, width - shape.shared_key_width, setup.key_head(h), token,
                   gradient);
    }
  };
  SumGrid<S> dkeys = sums<S>(n, width);
  SumGrid<S> dplain_keys = sums<S>(n, width);
  for (int64_t i = 0; i < n; ++i) {
    const AttentionRow<S> row = attention_row(setup, x, queries, keys, s, h, i);
    const std::vector<S> dlogits = logit_gradient_row(setup, x, row, dout, saved, s, h, i);
    SumGrid<S> dquery = sums<S>(1, width);
    SumGrid<S> drow_query = sums<S>(1, width);
    const std::vector<S> row_query = shifted(plain(setup, x, true, h, begin + i), x.row_shift, h);
    if (!gradients.sink.empty() && has_sink(x, h)) {
      using std::exp;
      const S weight = exp(x.sink(0, h) - saved.log_sum(begin + i, h));
      gradients.sink(0, h).add(S(-1.0) * weight * taken_back(setup, dout, saved, begin + i, h));
    }
    for (size_t at = 0; at < dlogits.size(); ++at) {
      const int64_t j = row.keys[at];
      if (!gradients.bias.empty()) {
        gradients.bias(setup.bias_row(s, h, begin + i), setup.bias_column(begin + i, begin + j)).add(dlogits[at]);
      }
      if (!gradients.prefix.empty() && i != j) {
        gradients.prefix(begin + std::max(i, j), h).add(dlogits[at]);
        gradients.prefix(begin + std::min(i, j), h).add(-dlogits[at]);
      }
      const S dlogit = operand(dlogits[at]);
      for (int64_t c = 0; c < width; ++c) {
        dquery(0, c).add(dlogit * keys(j, c));
        dkeys(j, c).add(dlogit * queries(i, c));
      }
      const auto add_row = [&](const RowsSetup& rows, const Grid<S>& table, const std::vector<S>& channels,
                               SumGrid<S>& dtable, SumGrid<S>& dchannels, int64_t to) {
        if (table.empty()) return;
        const int64_t r = setup.row_of(rows, begin + i, begin + j);
        const int64_t first = setup.row_start(table.columns, h);
        for (int64_t c = 0; c < width; ++c) {
          dchannels(to, c).add(dlogit * table(r, first + c));
          if (!dtable.empty()) dtable(r, first + c).add(dlogit * (scale * channels[static_cast<size_t>(c)]));
        }
      };
      add_row(setup.query_rows, x.query_rows, row_query, gradients.query_rows, drow_query, 0);
      if (!x.key_rows.empty()) {
        add_row(setup.key_rows, x.key_rows, plain(setup, x, false, h, begin + j), gradients.key_rows, dplain_keys, j);
      }
      if (value_of(row.factors[at]) == 0.0) continue;
      const S weight = operand(row.weights[at] * row.factors[at]);
      for (int64_t c = 0; c < shape.value_width; ++c) {
        const S term = weight * dout(begin + i, h * shape.value_width + c);
        gradients.value(begin + j, setup.key_head(h) * shape.value_width + c).add(term);
      }
    }
    add_turned(true, i, totals(dquery).data);
    if (x.query_rows.empty()) continue;
    std::vector<S> by_rows = totals(drow_query).data;
    for (S& g : by_rows) g = g * scale;
    if (!gradients.row_shift.empty()) {
      for (int64_t c = 0; c < width; ++c) gradients.row_shift(h, c).add(by_rows[static_cast<size_t>(c)]);
    }
    add_channels(gradients.query, gradients.shared_query, width - shape.shared_query_width, h, begin + i, by_rows);
  }
  const Grid<S> dturned = totals(dkeys);
  for (int64_t j = 0; j < n; ++j) {
    const auto first = dturned.data.begin() + j * width;
    add_turned(false, j, std::vector<S>(first, first + width));
  }
  if (x.key_rows.empty()) return;
  const Grid<S> dplain = totals(dplain_keys);
  for (int64_t j = 0; j < n; ++j) {
    std::vector<S> by_rows(dplain.data.begin() + j * width, dplain.data.begin() + (j + 1) * width);
    for (S& g : by_rows) g = g * scale;
    add_channels(gradients.key, gradients.shared_key, width - shape.shared_key_width, setup.key_head(h), begin + j,
                 by_rows);
  }
}

// What gradients by tables are added to; empty: not asked for.
struct TableGradients {
  Grid<double> bias;                                          // [tables * heads * rows, 2 reach + 1]
  Grid<double> frequency;                                     // [tables * sets * axes, pairs]
  Grid<double> sink;                                          // [1, heads]
  Grid<double> query_rows, key_rows, query_shift, row_shift;  // as the tensors
};

template <class S>
AttentionTensors<S> attention_backward(const AttentionSetup& setup, const AttentionTensors<S>& x, const Grid<S>& dout,
                                       const AttentionSaved<S>& saved, const TableGradients& before) {
  const auto zeros = [](const Grid<S>& like) { return sums<S>(like.rows, like.columns); };
  const auto started = [](const Grid<double>& from) {
    SumGrid<S> result = sums<S>(from.rows, from.columns);
    for (size_t i = 0; i < from.data.size(); ++i) result.data[i].add(S(from.data[i]));
    return result;
  };
  AttentionTensors<Sum<S>> gradients{zeros(x.query),
                                     zeros(x.key),
                                     zeros(x.shared_query),
                                     zeros(x.shared_key),
                                     zeros(x.value),
                                     started(before.bias),
                                     started(before.frequency),
                                     zeros(x.prefix),
                                     started(before.sink),
                                     started(before.query_rows),
                                     started(before.key_rows),
                                     started(before.query_shift),
                                     started(before.row_shift)};
  for (int64_t s = 0; s < setup.sequences(); ++s) {
    for (int64_t h = 0; h < setup.shape.heads; ++h) add_head_gradients(setup, x, dout, saved, s, h, gradients);
  }
  return {totals(gradients.query),      totals(gradients.key),      totals(gradients.shared_query),
          totals(gradients.shared_key), totals(gradients.value),    totals(gradients.bias),
          totals(gradients.frequency),  totals(gradients.prefix),   totals(gradients.sink),
          totals(gradients.query_rows), totals(gradients.key_rows), totals(gradients.query_shift),
          totals(gradients.row_shift)};
}

}  // namespace phasor::reference
