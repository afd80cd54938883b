#pragma once
// What ablating heads of one layer adds to the loss of every sample (ablated - intact), by one method.
#include <vector>

namespace phasor {

struct LayerDrops {
  std::vector<std::vector<double>> alone;  // [heads][samples]: this head alone
  std::vector<double> whole;               // [samples]: every head of the layer
  // [heads][samples]: every head but this one. Empty where it was not measured: sufficiency is then unknown.
  std::vector<std::vector<double>> only;
};

}  // namespace phasor
