#pragma once
// The gradients of ragged attention. With P = softmax(L), m the dropout factors and D_i = <do_i, o_i>:
//   dL_ij = P_ij (m_ij <do_i, v_j> - D_i),  dv_j = sum_i m_ij P_ij do_i,
//   d(A q_i) = s sum_j dL_ij B k_j,  d(B k_j) = s sum_i dL_ij A q_i,  db(d) = sum of dL_ij at distance d.
#include "reference/attention.h"

namespace phasor::reference {

// What the forward pass left: out and log_sum, as exact as their storage.
template <class S>
struct AttentionSaved {
  Grid<S> out;      // [tokens, heads * value_width]
  Grid<S> log_sum;  // [tokens, heads]
};

template <class S>
std::vector<S> logit_gradient_row(const AttentionSetup& setup, const AttentionTensors<S>& x, const AttentionRow<S>& row,
                                  const Grid<S>& dout, const AttentionSaved<S>& saved, int64_t s, int64_t h,
                                  int64_t i) {
  using std::exp;
  const int64_t width = setup.shape.value_width;
  const int64_t begin = setup.begin(s);
  Sum<S> through_sum;
  for (int64_t c = 0; c < width; ++c) {
    through_sum.add(dout(begin + i, h * width + c) * saved.out(begin + i, h * width + c));
  }
  const S through = through_sum.total();
  std::vector<S> dlogits;
  for (size_t j = 0; j < row.logits.size(); ++j) {
    Sum<S> dweight;
    for (int64_t c = 0; c < width; ++c) {
      dweight.add(dout(begin + i, h * width + c) *
                  x.value(begin + static_cast<int64_t>(j), setup.key_head(h) * width + c));
    }
    const S weight = exp(row.logits[j] - saved.log_sum(begin + i, h));
    dlogits.push_back(weight * (row.factors[j] * dweight.total() - through));
  }
  return dlogits;
}

// A gradient by turned channels, turned back onto the channels that were read.
template <class S>
void turn_back(const std::vector<Turn>& turns, std::vector<S>& gradient) {
  for (const Turn& turn : turns) {
    const S a = gradient[static_cast<size_t>(turn.a)];
    const S b = gradient[static_cast<size_t>(turn.b)];
    gradient[static_cast<size_t>(turn.a)] = a * S(turn.f0) + b * S(turn.f1);
    gradient[static_cast<size_t>(turn.b)] = b * S(turn.f0) - a * S(turn.f1);
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

// Adds one head of one sequence to the sums of all gradients.
template <class S>
void add_head_gradients(const AttentionSetup& setup, const AttentionTensors<S>& x, const Grid<S>& dout,
                        const AttentionSaved<S>& saved, int64_t s, int64_t h, AttentionTensors<Sum<S>>& gradients) {
  const int64_t n = setup.length(s);
  const int64_t begin = setup.begin(s);
  const int64_t width = setup.shape.key_width;
  const int64_t own = width - setup.shape.shared_key_width;
  const int64_t value_width = setup.shape.value_width;
  const Grid<S> queries = turned_head(setup, x, true, s, h);
  const Grid<S> keys = turned_head(setup, x, false, s, h);
  const S scale = S(setup.scale) * S(setup.factor(h));
  SumGrid<S> dkeys = sums<S>(n, width);
  for (int64_t i = 0; i < n; ++i) {
    const AttentionRow<S> row = attention_row(setup, x, queries, keys, s, h, i);
    const std::vector<S> dlogits = logit_gradient_row(setup, x, row, dout, saved, s, h, i);
    SumGrid<S> dquery = sums<S>(1, width);
    for (int64_t j = 0; j < static_cast<int64_t>(dlogits.size()); ++j) {
      const auto at = static_cast<size_t>(j);
      if (!gradients.bias.empty()) {
        gradients.bias(setup.table(s) * setup.shape.heads + h, setup.bias_column(begin + i, begin + j))
            .add(dlogits[at]);
      }
      const S dlogit = operand(dlogits[at]);
      for (int64_t c = 0; c < width; ++c) {
        dquery(0, c).add(dlogit * keys(j, c));
        dkeys(j, c).add(dlogit * queries(i, c));
      }
      if (value_of(row.factors[at]) == 0.0) continue;
      const S weight = operand(row.weights[at] * row.factors[at]);
      for (int64_t c = 0; c < value_width; ++c) {
        const S term = weight * dout(begin + i, h * value_width + c);
        gradients.value(begin + j, setup.key_head(h) * value_width + c).add(term);
      }
    }
    std::vector<S> gradient = totals(dquery).data;
    for (S& g : gradient) g = g * scale;
    turn_back(turns(setup, true, s, h, begin + i), gradient);
    for (int64_t c = 0; c < width; ++c) gradients.query(begin + i, h * width + c).add(gradient[static_cast<size_t>(c)]);
  }
  const Grid<S> dturned = totals(dkeys);
  for (int64_t j = 0; j < n; ++j) {
    std::vector<S> gradient;
    for (int64_t c = 0; c < width; ++c) gradient.push_back(dturned(j, c) * scale);
    turn_back(turns(setup, false, s, h, begin + j), gradient);
    for (int64_t c = 0; c < width; ++c) {
      const S& g = gradient[static_cast<size_t>(c)];
      if (c < own) {
        gradients.key(begin + j, setup.key_head(h) * own + c).add(g);
      } else {
        gradients.shared_key(begin + j, c - own).add(g);
      }
    }
  }
}

// dbias: what the bias gradients are added to, [tables * heads, 2 reach + 1] or empty.
template <class S>
AttentionTensors<S> attention_backward(const AttentionSetup& setup, const AttentionTensors<S>& x, const Grid<S>& dout,
                                       const AttentionSaved<S>& saved, const Grid<double>& dbias) {
  AttentionTensors<Sum<S>> gradients{sums<S>(x.query.rows, x.query.columns), sums<S>(x.key.rows, x.key.columns),
                                     sums<S>(x.shared_key.rows, x.shared_key.columns),
                                     sums<S>(x.value.rows, x.value.columns), sums<S>(dbias.rows, dbias.columns)};
  for (size_t i = 0; i < dbias.data.size(); ++i) gradients.bias.data[i].add(S(dbias.data[i]));
  for (int64_t s = 0; s < setup.sequences(); ++s) {
    for (int64_t h = 0; h < setup.shape.heads; ++h) add_head_gradients(setup, x, dout, saved, s, h, gradients);
  }
  return {totals(gradients.query), totals(gradients.key), totals(gradients.shared_key), totals(gradients.value),
          totals(gradients.bias)};
}

}  // namespace phasor::reference
