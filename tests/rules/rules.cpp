// Size and power of the rules of comparison, simulated, as tables in Markdown:
//   build/release/rules --simulations 20000
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "rules/rule_rates.h"

namespace phasor::rules {
namespace {

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.1f}", 100.0 * share) : ""; }

std::string row(const std::vector<std::string>& fields) { return fmt::format("| {} |\n", fmt::join(fields, " | ")); }

std::string heading(const std::vector<std::string>& titles) {
  return row(titles) + row(std::vector<std::string>(titles.size(), "---"));
}

void print_errors(int64_t simulations) {
  fmt::print("{}", heading({"runs have equal means", "runs", "error (95 % interval excludes 0)", "promised",
                            "permutation p <= 0.05", "without a floor", "floor of one test set", "floor as known"}));
  for (const Scenario& it : scenarios()) {
    if (it.truth != Truth::equal) continue;
    for (const int runs : kRunCounts) {
      const Rates found = simulate(it, runs, simulations);
      fmt::print("{}", row({it.name, std::to_string(runs), percent(found.wrong), it.promised ? "5" : "no",
                            percent(found.permutation), percent(found.without_floor), percent(found.one_set),
                            percent(found.known_floor)}));
    }
  }
}

void print_power(int64_t simulations) {
  fmt::print("\n{}", heading({"runs have different means", "runs", "significant", "of interest",
                              "no difference of interest", "open", "wrong", "permutation p <= 0.05"}));
  for (const Scenario& it : scenarios()) {
    if (it.truth == Truth::equal) continue;
    for (const int runs : kRunCounts) {
      const Rates found = simulate(it, runs, simulations);
      fmt::print("{}", row({it.name, std::to_string(runs), percent(found.significant), percent(found.of_interest),
                            percent(found.not_of_interest), percent(found.open), percent(found.wrong),
                            percent(found.permutation)}));
    }
  }
}

void print_families(int64_t simulations) {
  const RunLaw equal = normal_law(0.9, 0.01), far = normal_law(0.5, 0.01);
  fmt::print("\n{}", heading({"several encodings", "runs", "error"}));
  for (const int runs : kRunCounts) {
    fmt::print("{}", row({"some encoding leads, of four alike", std::to_string(runs),
                          percent(simulate_lead({equal, equal, equal, equal}, runs, simulations).lead)}));
  }
  for (const int runs : kRunCounts) {
    fmt::print("{}", row({"some encoding leads, of two alike and two far below", std::to_string(runs),
                          percent(simulate_lead({equal, equal, far, far}, runs, simulations).lead)}));
  }
  for (const int runs : kRunCounts) {
    const FamilyRates found = simulate_family(equal, 6, runs, simulations);
    fmt::print("{}", row({"any of six comparisons of alike is significant", std::to_string(runs), percent(found.any)}));
    fmt::print("{}", row({"the same after Holm", std::to_string(runs), percent(found.after_holm)}));
  }
}

void print_coverage(int64_t simulations) {
  const std::vector<std::pair<std::string, RunLaw>> laws = {
      {"normal, 1 point wide", normal_law(0.9, 0.01)},
      {"ceiling-bound: log-odds N(5, 1.5)", ceiling_law(5.0, 1.5)},
      {"a fifth fails", failing_law(0.2, 0.97, 0.15, 0.01)}};
  fmt::print("\n{}", heading({"95 % interval of a mean", "runs", "Student's t holds it", "bootstrap holds it"}));
  for (const auto& [name, law] : laws) {
    for (const int runs : kRunCounts) {
      const CoverageRates found = simulate_coverage(law, runs, simulations);
      fmt::print("{}", row({name, std::to_string(runs), percent(found.student), percent(found.bootstrap)}));
    }
  }
}

int run(int count, char** words) {
  int64_t simulations = 20'000;
  if (count == 3 && std::string(words[1]) == "--simulations") simulations = std::atoll(words[2]);
  if ((count != 1 && count != 3) || simulations < 1) {
    fmt::print(stderr, "usage: rules [--simulations NUMBER]\n");
    return 2;
  }
  print_errors(simulations);
  print_power(simulations);
  print_families(simulations);
  print_coverage(std::max<int64_t>(1, simulations / 5));
  return 0;
}

}  // namespace
}  // namespace phasor::rules

int main(int count, char** words) { return phasor::rules::run(count, words); }
