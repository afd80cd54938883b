#include "phasor/study/summary/study_rules.h"

#include <fmt/format.h>

#include "phasor/study/summary/comparison.h"

namespace phasor {

std::string study_rules() {
  return fmt::format(
      "1. Every finished run counts, converged or not. Failed runs count in success rates alone.\n"
      "2. Two cells are compared by the difference of their means, with at least {} runs on each side.\n"
      "3. Its {:g} % interval is Welch's with Satterthwaite's degrees of freedom. The variance of a mean is s^2 / n, "
      "and "
      "for accuracies at least p (1 - p) / N with p = (hits + 1) / (N + 2), N the different test samples behind the "
      "mean; "
      "for steps to 90 % at least g^2 / 12, g the steps between evaluations.\n"
      "4. Significant: the interval excludes 0. Of interest: it lies wholly beyond the margin, {:g} points for "
      "accuracies. No difference of interest: wholly within it. Otherwise open.\n"
      "5. Better than each of k: each of the k comparisons by itself. Any of k: Holm's correction, at most {} "
      "comparisons in a family.\n"
      "6. From {} runs on each side the p of a permutation test stands beside the interval and decides nothing.\n",
      statistics::kLeastRunsToCompare, 100.0 * (1.0 - kComparisonLevel),
      100.0 * margin_of({ComparedQuantity::test_accuracy}), kMostComparisons, kFewestPermuted);
}

}  // namespace phasor
