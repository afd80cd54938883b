#pragma once
// table[h * rows + r][c] + weight2[h] . relu(weight1 x[r][c] + bias1) + bias2[h], and its gradients.
#include "reference/grid.h"
#include "reference/rounded.h"
#include "reference/row_columns.h"
#include "reference/scalar.h"

namespace phasor::reference {

template <class S>
struct Mlp {
  Grid<S> x;               // [rows, columns]
  Grid<S> weight1, bias1;  // [1, hidden]
  Grid<S> weight2;         // [heads, hidden]
  Grid<S> bias2;           // [1, heads]
};

template <class S>
Mlp<S> lift(const Mlp<double>& mlp) {
  return {lift<S>(mlp.x), lift<S>(mlp.weight1), lift<S>(mlp.bias1), lift<S>(mlp.weight2), lift<S>(mlp.bias2)};
}

template <class S>
S relu(const S& z) {
  return value_of(z) > 0.0 ? z : S(0.0);
}
template <class S>
S relu_slope(const S& z) {
  return value_of(z) > 0.0 ? S(1.0) : S(0.0);
}

// Rounding may carry a value over the kink.
template <Dtype kOperands>
Rounded<kOperands> relu(const Rounded<kOperands>& z) {
  return {std::max(z.value, 0.0), z.value + z.error > 0.0 ? z.error : 0.0};
}
template <Dtype kOperands>
Rounded<kOperands> relu_slope(const Rounded<kOperands>& z) {
  return {z.value > 0.0 ? 1.0 : 0.0, std::abs(z.value) < z.error ? 1.0 : 0.0};
}

template <class S>
S preactivation(const Mlp<S>& mlp, int64_t row, int64_t column, int64_t unit) {
  return mlp.weight1(0, unit) * mlp.x(row, column) + mlp.bias1(0, unit);
}

template <class S>
Grid<S> mlp_table(Grid<S> table, const Mlp<S>& mlp, const RowColumns& limits) {
  for (int64_t r = 0; r < mlp.x.rows; ++r) {
    for (int64_t c = 0; c < mlp.x.columns; ++c) {
      if (!within(limits, r, c)) continue;
      for (int64_t h = 0; h < mlp.weight2.rows; ++h) {
        Sum<S> sum;
        for (int64_t k = 0; k < mlp.weight2.columns; ++k)
          sum.add(mlp.weight2(h, k) * relu(preactivation(mlp, r, c, k)));
        table(h * mlp.x.rows + r, c) += sum.total() + mlp.bias2(0, h);
      }
    }
  }
  return table;
}

// `gradients` + those of dot(dtable, mlp_table).
template <class S>
Mlp<S> mlp_table_backward(Mlp<S> gradients, const Grid<S>& dtable, const Mlp<S>& mlp, const RowColumns& limits) {
  const int64_t units = mlp.weight2.columns, heads = mlp.weight2.rows;
  Grid<Sum<S>> weight1(1, units, {}), bias1(1, units, {}), weight2(heads, units, {}), bias2(1, heads, {});
  for (int64_t r = 0; r < mlp.x.rows; ++r) {
    for (int64_t c = 0; c < mlp.x.columns; ++c) {
      if (!within(limits, r, c)) continue;
      const auto d = [&](int64_t h) { return dtable(h * mlp.x.rows + r, c); };
      Sum<S> by_x;
      for (int64_t k = 0; k < units; ++k) {
        const S z = preactivation(mlp, r, c, k);
        Sum<S> by_hidden;
        for (int64_t h = 0; h < heads; ++h) {
          by_hidden.add(mlp.weight2(h, k) * d(h));
          weight2(h, k).add(d(h) * relu(z));
        }
        const S by_z = by_hidden.total() * relu_slope(z);
        weight1(0, k).add(by_z * mlp.x(r, c));
        bias1(0, k).add(by_z);
        by_x.add(by_z * mlp.weight1(0, k));
      }
      for (int64_t h = 0; h < heads; ++h) bias2(0, h).add(d(h));
      gradients.x(r, c) += by_x.total();
    }
  }
  const auto add = [](Grid<S>& to, const Grid<Sum<S>>& sums) {
    for (size_t i = 0; i < to.data.size(); ++i) to.data[i] += sums.data[i].total();
  };
  add(gradients.weight1, weight1);
  add(gradients.bias1, bias1);
  add(gradients.weight2, weight2);
  add(gradients.bias2, bias2);
  return gradients;
}

}  // namespace phasor::reference
