#pragma once
// table[e] + parameter[index[e]], where index[e] is not negative; and the gradient by the parameters.
#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::reference {

template <class S>
Grid<S> gather_table(Grid<S> table, const Grid<S>& parameter, const std::vector<int32_t>& index) {
  for (size_t e = 0; e < index.size(); ++e) {
    if (index[e] >= 0) table.data[e] += parameter.data[static_cast<size_t>(index[e])];
  }
  return table;
}

// dparameter + what each parameter receives.
template <class S>
Grid<S> gather_table_backward(Grid<S> dparameter, const Grid<S>& dtable, const std::vector<int32_t>& index) {
  std::vector<Sum<S>> sums(dparameter.data.size());
  for (size_t i = 0; i < sums.size(); ++i) sums[i].add(dparameter.data[i]);
  for (size_t e = 0; e < index.size(); ++e) {
    if (index[e] >= 0) sums[static_cast<size_t>(index[e])].add(dtable.data[e]);
  }
  for (size_t i = 0; i < sums.size(); ++i) dparameter.data[i] = sums[i].total();
  return dparameter;
}

}  // namespace phasor::reference
