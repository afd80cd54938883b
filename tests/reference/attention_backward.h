#pragma once
// The gradients of ragged attention. With P = softmax(L), m the dropout factors and D_i = <do_i, o_i>:
//   dL_ij = P_ij (m_ij <do_i, v_j> - D_i),  dv_j = sum_i m_ij P_ij do_i,
//   d(A q_i) = s r_i sum_j dL_ij B k_j,  d(B k_j) = s sum_i r_i dL_ij A q_i,  db(d) = sum of dL_ij at distance d,
//   dr_i = s <A q_i, sum_j dL_ij B k_j>, and the same of what rows add to the products.
//   dc_t = sum of dL_ij over i, j with t the later of both less that with t the earlier.
// A sink's logit has the same gradient with nothing in place of <do_i, v_j>.
//   dE(d) = s sum of r_i dL_ij (q_i + v) at distance d, dF(d) = s sum of r_i dL_ij k_j; dq_i += s r_i sum_j dL_ij E,
//   dk_j likewise;
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
  std::vector<S> weights, by_weight;
  Sum<S> taken, whole;
  for (size_t j = 0; j < row.logits.size(); ++j) {
    Sum<S> dweight;
    for (int64_t c = 0; c < width; ++c) {
      dweight.add(dout(begin + i, h * width + c) * x.value(begin + row.keys[j], setup.key_head(h) * width + c));
    }
    weights.push_back(exp(row.logits[j] - saved.log_sum(begin + i, h)));
    by_weight.push_back(row.factors[j] * dweight.total());
    taken.add(exact(weights.back()) * by_weight.back());
    whole.add(exact(weights.back()));
  }
  if (!x.sink.empty() && has_sink(x, h)) whole.add(exact(exp(x.sink(0, h) - saved.log_sum(begin + i, h))));
  // D_i is read from out, or is the mean of the gradients by weights, made again. What the weights are off by moves
  // P_ij alone; the products are rounded before their difference is taken.
  const S mean = looser(taken_back(setup, dout, saved, begin + i, h), taken.total() / whole.total());
  std::vector<S> dlogits;
  for (size_t j = 0; j < row.logits.size(); ++j) {
    const S weight = exact(weights[j]);
    dlogits.push_back(weight * by_weight[j] - weight * mean + (weights[j] - weight) * exact(by_weight[j] - mean));
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

// The same by the angles of the token itself.
template <class S>
void add_by_angle(const AttentionSetup& setup, const std::vector<Turn<S>>& turns, int64_t h, int64_t token,
                  const std::vector<S>& gradient, const S* turned, SumGrid<S>& sums) {
  for (size_t c = 0; c < turns.size(); ++c) {
    const int64_t a = turns[c].a;
    const int64_t b = turns[c].b;
    const S moment = gradient[static_cast<size_t>(b)] * turned[a] - gradient[static_cast<size_t>(a)] * turned[b];
    sums(token, setup.token_set(h) * setup.rotation.pairs + static_cast<int64_t>(c)).add(moment);
  }
}

// The same of a key by its phase.
template <class S>
void add_by_phase(const AttentionSetup& setup, const std::vector<Turn<S>>& turns, int64_t s, int64_t h,
                  const std::vector<S>& gradient, const S* turned, SumGrid<S>& sums) {
  for (size_t c = 0; c < turns.size(); ++c) {
    const int64_t a = turns[c].a;
    const int64_t b = turns[c].b;
    sums(setup.rotation_row(s, h) / setup.rotation.axes, static_cast<int64_t>(c))
        .add(gradient[static_cast<size_t>(b)] * turned[a] - gradient[static_cast<size_t>(a)] * turned[b]);
  }
}

// A gradient by features becomes one by the channels that they were made of.
template <class S>
void unmap_features(const AttentionSetup& setup, const Grid<S>& own, int64_t head, int64_t token,
                    std::vector<S>& gradient) {
  if (setup.shape.feature == FeatureMap::none) return;
  const int64_t width = setup.shape.key_width;
  for (int64_t c = 0; c < width; ++c) {
    gradient[static_cast<size_t>(c)] =
        gradient[static_cast<size_t>(2 * c)] * softplus_slope(own(token, head * width + c));
  }
  gradient.resize(static_cast<size_t>(width));
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
  const int64_t width = shape.turned_width();
  const Grid<S> queries = turned_head(setup, x, true, s, h);
  const Grid<S> keys = turned_head(setup, x, false, s, h);
  const S scale = S(setup.scale) * S(setup.factor(h));
  // What the sums of one token's turned channels add to all gradients that they reach.
  const auto add_turned = [&](bool query, int64_t i, std::vector<S> gradient, const S& factor) {
    for (S& g : gradient) g = g * factor;
    const int64_t token = begin + i;
    const auto token_turns = turns(setup, x, query, s, h, token);
    const S* channels = &(query ? queries : keys)(i, 0);
    if (setup.token_set(h) >= 0) {
      add_by_angle(setup, token_turns, h, token, gradient, channels, gradients.angle);
    } else if (!gradients.frequency.empty()) {
      add_by_frequency(setup, token_turns, s, h, token, gradient, channels, gradients.frequency);
    }
    if (!query && !gradients.phase.empty()) {
      add_by_phase(setup, token_turns, s, h, gradient, channels, gradients.phase);
    }
    turn_back(token_turns, gradient);
    if (query && !gradients.query_shift.empty()) {
      for (int64_t c = 0; c < width; ++c) gradients.query_shift(h, c).add(gradient[static_cast<size_t>(c)]);
    }
    const int64_t head = query ? h : setup.key_head(h);
    unmap_features(setup, query ? x.query : x.key, head, token, gradient);
    if (query) {
      add_channels(gradients.query, gradients.shared_query, shape.key_width - shape.shared_query_width, head, token,
                   gradient);
    } else {
      add_channels(gradients.key, gradients.shared_key, shape.key_width - shape.shared_key_width, head, token,
                   gradient);
    }
  };
  SumGrid<S> dkeys = sums<S>(n, width);
  SumGrid<S> dplain_keys = sums<S>(n, width);
  for (int64_t i = 0; i < n; ++i) {
    const AttentionRow<S> row = attention_row(setup, x, queries, keys, s, h, i);
    const std::vector<S> dlogits = logit_gradient_row(setup, x, row, dout, saved, s, h, i);
    const S factor = logit_scale(setup, x.scale, s, h, begin + i);
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
        dkeys(j, c).add(x.scale.empty() ? dlogit * queries(i, c) : dlogit * (queries(i, c) * factor));
      }
      // `weight` is what the products with these channels are multiplied by, apart from what comes later.
      const auto add_row = [&](const RowsSetup& rows, const Grid<S>& table, const std::vector<S>& channels,
                               SumGrid<S>& dtable, SumGrid<S>& dchannels, int64_t to, const S& weight) {
        const int64_t r = setup.row_of(rows, begin + i, begin + j);
        const int64_t first = setup.row_start(table.columns, h);
        for (int64_t c = 0; c < width; ++c) {
          dchannels(to, c).add(weight * dlogit * table(r, first + c));
          if (!dtable.empty()) dtable(r, first + c).add(dlogit * (factor * channels[static_cast<size_t>(c)]));
        }
      };
      if (!x.query_rows.empty()) {
        add_row(setup.query_rows, x.query_rows, row_query, gradients.query_rows, drow_query, 0, S(1.0));
      }
      if (!x.key_rows.empty()) {
        const std::vector<S> plain_key = plain(setup, x, false, h, begin + j);
        add_row(setup.key_rows, x.key_rows, plain_key, gradients.key_rows, dplain_keys, j, factor);
        if (!gradients.scale.empty()) {
          const int64_t r = setup.row_of(setup.key_rows, begin + i, begin + j);
          gradients.scale(setup.scale_row(s, h), setup.scale_column(begin + i, x.scale.columns))
              .add(dlogit * (scale * row_product(setup, plain_key, x.key_rows, r, h)));
        }
      }
      if (value_of(row.factors[at]) == 0.0) continue;
      const S weight = operand(row.weights[at] * row.factors[at]);
      for (int64_t c = 0; c < shape.value_width; ++c) {
        const S term = weight * dout(begin + i, h * shape.value_width + c);
        gradients.value(begin + j, setup.key_head(h) * shape.value_width + c).add(term);
      }
    }
    const std::vector<S> by_query = totals(dquery).data;
    std::vector<S> by_rows = totals(drow_query).data;
    for (int64_t c = 0; !gradients.scale.empty() && c < width; ++c) {
      Sum<S>& sum = gradients.scale(setup.scale_row(s, h), setup.scale_column(begin + i, x.scale.columns));
      sum.add(by_query[static_cast<size_t>(c)] * (scale * queries(i, c)));
      if (x.query_rows.empty()) continue;
      sum.add(by_rows[static_cast<size_t>(c)] * (scale * row_query[static_cast<size_t>(c)]));
    }
    add_turned(true, i, by_query, factor);
    if (x.query_rows.empty()) continue;
    for (S& g : by_rows) g = g * factor;
    if (!gradients.row_shift.empty()) {
      for (int64_t c = 0; c < width; ++c) gradients.row_shift(h, c).add(by_rows[static_cast<size_t>(c)]);
    }
    add_channels(gradients.query, gradients.shared_query, width - shape.shared_query_width, h, begin + i, by_rows);
  }
  const Grid<S> dturned = totals(dkeys);
  for (int64_t j = 0; j < n; ++j) {
    const auto first = dturned.data.begin() + j * width;
    // With row scales, the queries in these sums have theirs already.
    add_turned(false, j, std::vector<S>(first, first + width), x.scale.empty() ? scale : S(1.0));
  }
  if (x.key_rows.empty()) return;
  const Grid<S> dplain = totals(dplain_keys);
  for (int64_t j = 0; j < n; ++j) {
    const std::vector<S> by_rows(dplain.data.begin() + j * width, dplain.data.begin() + (j + 1) * width);
    add_channels(gradients.key, gradients.shared_key, width - shape.shared_key_width, setup.key_head(h), begin + j,
                 by_rows);
  }
}

// What gradients by tables are added to; empty: not asked for.
struct TableGradients {
  Grid<double> bias;                                          // [tables * heads * rows, 2 reach + 1]
  Grid<double> frequency;                                     // [tables * sets * axes, pairs]
  Grid<double> scale;                                         // as the row scales
  Grid<double> sink;                                          // [1, heads]
  Grid<double> phase;                                         // [tables * sets, pairs]
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
  AttentionTensors<Sum<S>> gradients{
      zeros(x.query), zeros(x.key),         zeros(x.shared_query),     zeros(x.shared_key),
      zeros(x.value), started(before.bias), started(before.frequency), started(before.scale)};
  gradients.prefix = zeros(x.prefix);
  gradients.sink = started(before.sink);
  if (!setup.rotation.token.empty()) {
    gradients.angle = sums<S>(x.value.rows, setup.rotation.token_sets * setup.rotation.pairs);
  }
  gradients.phase = started(before.phase);
  gradients.query_rows = started(before.query_rows);
  gradients.key_rows = started(before.key_rows);
  gradients.query_shift = started(before.query_shift);
  gradients.row_shift = started(before.row_shift);
  for (int64_t s = 0; s < setup.sequences(); ++s) {
    for (int64_t h = 0; h < setup.shape.heads; ++h) add_head_gradients(setup, x, dout, saved, s, h, gradients);
  }
  return {totals(gradients.query),      totals(gradients.key),      totals(gradients.shared_query),
          totals(gradients.shared_key), totals(gradients.value),    totals(gradients.bias),
          totals(gradients.frequency),  totals(gradients.scale),    totals(gradients.prefix),
          totals(gradients.sink),       totals(gradients.angle),    totals(gradients.phase),
          totals(gradients.query_rows), totals(gradients.key_rows), totals(gradients.query_shift),
          totals(gradients.row_shift)};
}

}  // namespace phasor::reference
