#pragma once
// Gates and their sums: c_t = sum of map(z_s) over the tokens s <= t of the sequence, one column per gate.
//   dz_t = map'(z_t) * sum of dc_s over the tokens s >= t
#include "phasor/engine/ops.h"
#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

template <class S>
S gate(GateMap map, const S& z) {
  return map == GateMap::log_sigmoid ? -softplus(-z) : -softplus(z);
}

// 1 / (1 + e^x), of which no digit is left where e^x is too large even for a double.
template <class S>
S open_share(const S& x) {
  using std::exp;
  return value_of(x) > 700.0 ? S(0.0) : S(1.0) / (S(1.0) + exp(x));
}

template <class S>
S gate_slope(GateMap map, const S& z) {
  return map == GateMap::log_sigmoid ? open_share(z) : -open_share(-z);
}

// Columns of the result that no gate has are 0.
template <class S>
Grid<S> gate_sums(GateMap map, const Grid<S>& z, const std::vector<int32_t>& offsets, const std::vector<int32_t>& heads,
                  int64_t columns) {
  Grid<S> sums(z.rows, columns);
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int64_t g = 0; g < z.columns; ++g) {
      Sum<S> sum;
      for (int64_t t = offsets[s]; t < offsets[s + 1]; ++t) {
        sum.add(gate(map, z(t, g)));
        sums(t, heads[static_cast<size_t>(g)]) = sum.total();
      }
    }
  }
  return sums;
}

template <class S>
Grid<S> gate_gradient(GateMap map, const Grid<S>& z, const std::vector<int32_t>& offsets,
                      const std::vector<int32_t>& heads, const Grid<S>& dsums) {
  Grid<S> dz(z.rows, z.columns);
  for (size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (int64_t g = 0; g < z.columns; ++g) {
      Sum<S> sum;
      for (int64_t t = offsets[s + 1]; t-- > offsets[s];) {
        sum.add(dsums(t, heads[static_cast<size_t>(g)]));
        dz(t, g) = gate_slope(map, z(t, g)) * sum.total();
      }
    }
  }
  return dz;
}

}  // namespace phasor::reference
