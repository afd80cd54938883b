#pragma once
// Adjusted p-values for several hypotheses: at most a share alpha of families has any false one with adjusted
// p <= alpha.
#include <vector>

#include "phasor/statistics/sample.h"

namespace phasor::statistics {

// Holm (1979): needs nothing but the p-values.
std::vector<double> holm(Sample p);

}  // namespace phasor::statistics
