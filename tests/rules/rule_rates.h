#pragma once
// How often the rules of comparison say what, over simulated studies.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "phasor/statistics/mean_difference.h"
#include "rules/run_law.h"

namespace phasor::rules {

inline constexpr double kMargin = 0.01;
inline constexpr int kRunCounts[] = {3, 5, 10};

enum class Truth : uint8_t {
  equal,      // means are equal: "significant" is an error
  at_margin,  // they differ by the margin: "of interest" and "no difference of interest" are errors
  different,  // they differ by more
  alike,      // they differ, by less than the margin: "of interest" is an error
};

struct Scenario {
  std::string name;
  RunLaw first, second;
  Truth truth = Truth::equal;
  DataDesign design = DataDesign::own;
  bool promised = true;  // whether 5 % is promised; where not, the table says what it is
};

// Shares of simulated studies.
struct Rates {
  int64_t simulations = 0;
  double significant = 0.0;  // the interval excludes 0
  double of_interest = 0.0, not_of_interest = 0.0, open = 0.0;
  double wrong = 0.0;        // as the scenario's truth has it
  double permutation = 0.0;  // p of the permutation test at most 0.05; NaN where it was not made
  // "significant" by other floors: none; of one test set's size, whatever the number of sets; and with infinitely many
  // degrees of freedom where the floor holds.
  double without_floor = 0.0, one_set = 0.0, known_floor = 0.0;
};

const std::vector<Scenario>& scenarios();
// Throws Error for a name that there is none of.
const Scenario& scenario(const std::string& name);

Rates simulate(const Scenario& scenario, int runs, int64_t simulations);

// Several encodings of which the one with the highest mean is said to lead where it is better than each of the others.
struct LeadRates {
  double lead = 0.0;  // how often anyone leads
};
LeadRates simulate_lead(const std::vector<RunLaw>& laws, int runs, int64_t simulations);

// A family of comparisons with the first of several alike: how often any of them is significant, alone and after Holm.
struct FamilyRates {
  double any = 0.0, after_holm = 0.0;
};
FamilyRates simulate_family(const RunLaw& law, int comparisons, int runs, int64_t simulations);

// How often 95 % intervals of a mean hold it: by Student's t and by the expanded bootstrap.
struct CoverageRates {
  double student = 0.0, bootstrap = 0.0;
};
CoverageRates simulate_coverage(const RunLaw& law, int runs, int64_t simulations);

}  // namespace phasor::rules
