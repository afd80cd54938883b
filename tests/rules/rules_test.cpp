// The rules of comparison on simulated studies: what is there at three runs is found, what is not there is not, and
// errors stay at what is promised. `rules` prints the whole table (docs/results/rules.md).
#include <gtest/gtest.h>

#include <cmath>

#include "phasor/base/error.h"
#include "rules/rule_rates.h"

namespace phasor::rules {
namespace rules_test {

constexpr int64_t kSimulations = 2000;

// What a share of 5 % may come to in so many simulations.
double most_errors(double promised) {
  return promised + 4.0 * std::sqrt(promised * (1.0 - promised) / static_cast<double>(kSimulations));
}

TEST(Rules, ErrorsStayAtWhatIsPromised) {
  for (const Scenario& it : scenarios()) {
    if (!it.promised) continue;
    for (const int runs : kRunCounts) {
      EXPECT_LE(simulate(it, runs, kSimulations).wrong, most_errors(0.05)) << it.name << ", " << runs << " runs";
    }
  }
}

// The demo: 100.0 against 13.9 % with three runs.
TEST(Rules, ALargeDifferenceIsFoundAtThreeRuns) {
  for (const int runs : kRunCounts) {
    EXPECT_EQ(simulate(scenario("86 points apart"), runs, kSimulations).of_interest, 1.0) << runs;
  }
  EXPECT_GT(simulate(scenario("10 points apart, 2 points wide"), 3, kSimulations).significant, 0.8);
  EXPECT_GT(simulate(scenario("10 points apart, 2 points wide"), 5, kSimulations).of_interest, 0.99);
  EXPECT_GT(simulate(scenario("5 points apart, 1 point wide"), 5, kSimulations).of_interest, 0.95);
}

TEST(Rules, ASmallDifferenceIsNeverOfInterest) {
  for (const int runs : kRunCounts) {
    const Rates found = simulate(scenario("100.0 against 99.6 %"), runs, kSimulations);
    EXPECT_EQ(found.of_interest, 0.0) << runs;
    EXPECT_GT(found.not_of_interest, 0.95) << runs;
  }
}

// "Leads" is said of whoever has the highest mean, and each comparison must hold: no correction is needed.
TEST(Rules, NobodyLeadsAmongEquals) {
  const RunLaw equal = normal_law(0.9, 0.01), far = normal_law(0.5, 0.01);
  for (const int runs : kRunCounts) {
    EXPECT_LE(simulate_lead({equal, equal, equal, equal}, runs, kSimulations).lead, most_errors(0.05)) << runs;
    EXPECT_LE(simulate_lead({equal, equal, far, far}, runs, kSimulations).lead, most_errors(0.05)) << runs;
  }
}

TEST(Rules, HolmKeepsTheFamily) {
  for (const int runs : kRunCounts) {
    const FamilyRates found = simulate_family(normal_law(0.9, 0.01), 6, runs, kSimulations);
    EXPECT_LE(found.after_holm, most_errors(0.05)) << runs;
    EXPECT_GT(found.any, found.after_holm) << runs;
  }
}

// Why cells with two kinds of runs are named, and why every run has its own data.
TEST(Rules, WhereTheyDoNotHold) {
  EXPECT_GT(simulate(scenario("a fifth of the runs of one side fails, equal means"), 3, kSimulations).wrong, 0.3);
  EXPECT_GT(simulate(scenario("a fifth of the variance by data, one set"), 5, kSimulations).wrong, 0.1);
  EXPECT_THROW(scenario("another"), Error);
}

}  // namespace rules_test
}  // namespace phasor::rules
