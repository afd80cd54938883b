#pragma once
// What attention may do about a logit with all others at hand (engine/dense_term.h), on any scalar, logit by logit:
//   far keys    <Q_i, K_j> in place of <A q_i, B k_j> where |p_i - p_j| >= window, Q and K turned by factors of their
//   own reflections <H_(j+1) ... H_i A q_i, B k_j>, H_t = I - 2 sigmoid(y_t) w_t w_t^T, w_t = x_t / sqrt(|x_t|^2 +
//   1e-6) positions   + (1 - f) <q_i, e_m> + f <q_i, e_(m+1)>, m + f = min(most, sum over t = j .. i of sigmoid(z_it)),
//   z the
//               scaled products
#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

struct DenseSetup {
  std::vector<int32_t> head_set;  // [heads], -1: not of the head; empty: there is no term
  int64_t most = 0;               // of positions
  int64_t window = 0;             // of far keys
  int64_t axis = 0, first = 0, pairs = 0;
  bool halves = false;
  std::vector<double> query_back, query_ahead, key;  // [positions, pairs, 2]

  int64_t set(int64_t h) const { return head_set.empty() ? -1 : head_set[static_cast<size_t>(h)]; }
};

// Channels of one token before they are turned.
template <class S>
std::vector<S> plain_channels(const Grid<S>& rows, int64_t token, int64_t head, int64_t width) {
  std::vector<S> result;
  for (int64_t c = 0; c < width; ++c) result.push_back(rows(token, head * width + c));
  return result;
}

template <class S>
S inner_product(const std::vector<S>& a, const std::vector<S>& b) {
  Sum<S> sum;
  for (size_t c = 0; c < a.size(); ++c) sum.add(a[c] * b[c]);
  return sum.total();
}

template <class S>
std::vector<S> far_turned(const DenseSetup& far, std::vector<S> x, const std::vector<double>& factors,
                          int64_t position) {
  for (int64_t c = 0; c < far.pairs; ++c) {
    const auto a = static_cast<size_t>(far.first + (far.halves ? c : 2 * c));
    const size_t b = a + static_cast<size_t>(far.halves ? far.pairs : 1);
    const auto at = static_cast<size_t>((position * far.pairs + c) * 2);
    const S f0(factors[at]), f1(factors[at + 1]), first = x[a], second = x[b];
    x[a] = operand(first * f0 - second * f1);
    x[b] = operand(first * f1 + second * f0);
  }
  return x;
}

template <class S>
S logistic(const S& x) {
  using std::exp;
  return S(1.0) / (S(1.0) + exp(S(0.0) - x));
}

// `product` as it is without the term. queries and keys are turned, [n, width].
template <class S>
S product_with_term(const auto& setup, const auto& x, const Grid<S>& queries, const Grid<S>& keys, int64_t s, int64_t h,
                    int64_t i, int64_t j, const S& product) {
  using std::sqrt;
  const DenseSetup& dense = setup.dense;
  const int64_t set = dense.set(h), begin = setup.begin(s), width = setup.shape.key_width;
  if (set < 0) return product;
  if (dense.window > 0) {
    const int64_t here = setup.positions(begin + i, dense.axis), there = setup.positions(begin + j, dense.axis);
    if (std::abs(here - there) < dense.window) return product;
    const std::vector<double>& factors = there <= here ? dense.query_back : dense.query_ahead;
    const auto query = far_turned(dense, plain_channels(x.query, begin + i, h, width), factors, here);
    const auto key = far_turned(dense, plain_channels(x.key, begin + j, setup.key_head(h), width), dense.key, there);
    return inner_product(query, key);
  }
  if (x.directions.empty()) return product;
  std::vector<S> v = plain_channels(queries, i, 0, width);
  for (int64_t t = i; t > j; --t) {
    const std::vector<S> direction = plain_channels(x.directions, begin + t, set, width);
    const S square = inner_product(direction, direction) + S(1e-6);
    const S step = S(2.0) * logistic(x.strengths(begin + t, set)) * inner_product(direction, v) / square;
    for (size_t c = 0; c < v.size(); ++c) v[c] = v[c] - step * direction[c];
  }
  return inner_product(v, plain_channels(keys, j, 0, width));
}

// `scaled` gives the scaled product of query i with a key.
template <class S>
S added_by_positions(const auto& setup, const auto& x, int64_t s, int64_t h, int64_t i, int64_t j, const auto& scaled) {
  const DenseSetup& dense = setup.dense;
  const int64_t set = dense.set(h), width = setup.shape.key_width;
  if (set < 0 || x.vectors.empty()) return S(0.0);
  Sum<S> sum;
  for (int64_t t = j; t <= i; ++t) sum.add(logistic(scaled(t)));
  S position = sum.total();
  if (value_of(position) >= static_cast<double>(dense.most)) position = S(static_cast<double>(dense.most));
  const int64_t below = std::min(static_cast<int64_t>(value_of(position)), dense.most - 1);
  const S share = position - S(static_cast<double>(below));
  const std::vector<S> query = plain_channels(x.query, setup.begin(s) + i, h, width);
  const auto with = [&](int64_t p) {
    return inner_product(query, plain_channels(x.vectors, set * (dense.most + 1) + p, 0, width));
  };
  return (S(1.0) - share) * with(below) + share * with(below + 1);
}

}  // namespace phasor::reference
