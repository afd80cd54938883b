#pragma once
// Adjusted p-values for several hypotheses: at most a share alpha of families has any false one with adjusted
// p <= alpha.
#include <vector>

#include "phasor/statistics/permutation.h"
#include "phasor/statistics/sample.h"

namespace phasor::statistics {

// Holm (1979): needs nothing but the p-values.
std::vector<double> holm(Sample p);

// Step-down max-T (Westfall and Young 1993): uses what the statistics have in common, so it is sharper than Holm where
// they go together. Statistics must be comparable between hypotheses. By the +1 rule unless the draws are exact.
std::vector<double> max_t(const JointDraws& statistics, Alternative alternative = Alternative::two_sided);

}  // namespace phasor::statistics
