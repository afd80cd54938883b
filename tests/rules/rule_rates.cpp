#include "rules/rule_rates.h"

#include <algorithm>
#include <cmath>

#include "phasor/base/error.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/distribution.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/permutation.h"
#include "phasor/statistics/summary.h"

namespace phasor::rules {
namespace {

using statistics::DifferenceReading;
using statistics::MeanDifference;

constexpr double kLevel = 0.05;
constexpr int kFewestPermuted = 5, kMostPermuted = 5;  // more would take hours

double floor_of(const std::vector<double>& values, int64_t samples) {
  return statistics::accuracy_variance_floor(statistics::mean(values), samples);
}

// Test samples behind a cell's mean.
int64_t samples_of(DataDesign design, int runs) {
  const int64_t sets = design == DataDesign::own ? runs : (design == DataDesign::shared ? 1 : 2);
  return sets * kTestSamples;
}

MeanDifference compare(const std::vector<double>& x, const std::vector<double>& y, int64_t samples) {
  return statistics::compare_means({x, samples > 0 ? floor_of(x, samples) : 0.0},
                                   {y, samples > 0 ? floor_of(y, samples) : 0.0});
}

// The floor as a variance that is known: infinitely many degrees of freedom where it holds.
bool significant_with_known_floor(const std::vector<double>& x, const std::vector<double>& y, int64_t samples) {
  double square = 0.0, parts = 0.0;
  for (const std::vector<double>* side : {&x, &y}) {
    const auto count = static_cast<double>(side->size());
    const double own = statistics::variance(*side) / count, floor = floor_of(*side, samples);
    const double v = std::max(own, floor);
    square += v;
    if (own > floor) parts += v * v / (count - 1.0);
  }
  const double t = std::abs(statistics::mean(x) - statistics::mean(y)) / std::sqrt(square);
  const double p = parts > 0.0 ? 2.0 * statistics::student_cumulative(-t, square * square / parts)
                               : 2.0 * statistics::normal_cumulative(-t);
  return p <= kLevel;
}

RunLaw with_data(RunLaw law, double deviation) {
  law.data_deviation = deviation;
  return law;
}

std::vector<Scenario> make_scenarios() {
  const RunLaw skewed = ceiling_law(5.0, 1.5);
  const RunLaw failing = failing_law(0.2, 0.97, 0.15, 0.01);
  const double skewed_mean = mean_ability(skewed), failing_mean = mean_ability(failing);
  // A fifth of the variance of a run is what its data set does to its encoding.
  const RunLaw on_data = with_data(normal_law(0.8, 0.02 * std::sqrt(0.8)), 0.02 * std::sqrt(0.2));
  using enum Truth;
  return {
      {"normal, 1 point wide", normal_law(0.9, 0.01), normal_law(0.9, 0.01)},
      {"normal, 0.5 points wide, as test sets are", normal_law(0.9, 0.005), normal_law(0.9, 0.005)},
      {"normal, 10 points wide", normal_law(0.5, 0.1), normal_law(0.5, 0.1)},
      {"as alike as the test sets let them be, at 90 %", normal_law(0.9, 0.0), normal_law(0.9, 0.0)},
      {"as alike as the test sets let them be, at 99.98 %", normal_law(0.9998, 0.0), normal_law(0.9998, 0.0)},
      {"ceiling-bound: log-odds N(5, 1.5)", skewed, skewed},
      {"two kinds: a fifth of the runs of both fails", failing, failing},
      {"unequal: 0.2 and 3 points wide", normal_law(0.9, 0.002), normal_law(0.9, 0.03)},
      {"unequal: as alike as can be, and 1 point wide", normal_law(0.9, 0.0), normal_law(0.9, 0.01)},
      {"a fifth of the variance by data, own data", on_data, on_data},
      {"a fifth of the variance by data, two sets crossed", on_data, on_data, equal, DataDesign::crossed, false},
      {"a fifth of the variance by data, one set", on_data, on_data, equal, DataDesign::shared, false},
      {"a fifth of the runs of one side fails, equal means", failing, normal_law(failing_mean, 0.01), equal,
       DataDesign::own, false},
      {"ceiling-bound on one side, equal means", skewed, normal_law(skewed_mean, 0.0005), equal, DataDesign::own,
       false},
      {"1 point apart, 0.5 points wide", normal_law(0.91, 0.005), normal_law(0.9, 0.005), at_margin},
      {"1 point apart, 0.1 points wide", normal_law(0.91, 0.001), normal_law(0.9, 0.001), at_margin},
      {"100.0 against 99.6 %", normal_law(0.9999, 0.00005), normal_law(0.996, 0.0005), alike},
      {"86 points apart", normal_law(0.9999, 0.0001), normal_law(0.139, 0.006), different},
      {"10 points apart, 2 points wide", normal_law(0.9, 0.02), normal_law(0.8, 0.02), different},
      {"5 points apart, 1 point wide", normal_law(0.9, 0.01), normal_law(0.85, 0.01), different},
      {"2 points apart, 0.5 points wide", normal_law(0.95, 0.005), normal_law(0.93, 0.005), different},
      {"5 points apart, 5 points wide", normal_law(0.85, 0.05), normal_law(0.8, 0.05), different},
  };
}

// Errors, as the truth has it.
bool is_wrong(Truth truth, const MeanDifference& found, DifferenceReading reading) {
  switch (truth) {
    case Truth::equal:
      return found.significant();
    case Truth::at_margin:
      return reading == DifferenceReading::of_interest || reading == DifferenceReading::not_of_interest;
    case Truth::different:
      return reading == DifferenceReading::not_of_interest || (found.significant() && found.difference < 0.0);
    case Truth::alike:
      return reading == DifferenceReading::of_interest;
  }
  return false;
}

uint32_t number_of(const Scenario& wanted) {
  const std::vector<Scenario>& all = scenarios();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Scenario& it) { return it.name == wanted.name; });
  return static_cast<uint32_t>(found - all.begin());
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> kScenarios = make_scenarios();
  return kScenarios;
}

const Scenario& scenario(const std::string& name) {
  for (const Scenario& found : scenarios()) {
    if (found.name == name) return found;
  }
  fail("there is no scenario '{}'", name);
}

Rates simulate(const Scenario& scenario, int runs, int64_t simulations) {
  Rates sum{.simulations = simulations};
  const bool permuted = runs >= kFewestPermuted && runs <= kMostPermuted;
  const int64_t samples = samples_of(scenario.design, runs);
  for (int64_t s = 0; s < simulations; ++s) {
    Chances chances(100 * number_of(scenario) + static_cast<uint32_t>(runs), static_cast<uint32_t>(s));
    const std::vector<double> x = draw_runs(scenario.first, runs, scenario.design, chances);
    const std::vector<double> y = draw_runs(scenario.second, runs, scenario.design, chances);
    const MeanDifference found = compare(x, y, samples);
    const DifferenceReading reading = statistics::read(found, kMargin);
    sum.significant += found.significant() ? 1.0 : 0.0;
    sum.of_interest += reading == DifferenceReading::of_interest ? 1.0 : 0.0;
    sum.not_of_interest += reading == DifferenceReading::not_of_interest ? 1.0 : 0.0;
    sum.open += reading == DifferenceReading::open ? 1.0 : 0.0;
    sum.wrong += is_wrong(scenario.truth, found, reading) ? 1.0 : 0.0;
    sum.without_floor += compare(x, y, 0).significant() ? 1.0 : 0.0;
    sum.one_set += compare(x, y, kTestSamples).significant() ? 1.0 : 0.0;
    sum.known_floor += significant_with_known_floor(x, y, samples) ? 1.0 : 0.0;
    if (permuted) sum.permutation += statistics::permute_two_samples(x, y).p <= kLevel ? 1.0 : 0.0;
  }
  for (double* share : {&sum.significant, &sum.of_interest, &sum.not_of_interest, &sum.open, &sum.wrong,
                        &sum.without_floor, &sum.one_set, &sum.known_floor, &sum.permutation}) {
    *share /= static_cast<double>(simulations);
  }
  if (!permuted) sum.permutation = kNaN;
  return sum;
}

LeadRates simulate_lead(const std::vector<RunLaw>& laws, int runs, int64_t simulations) {
  int64_t leads = 0;
  for (int64_t s = 0; s < simulations; ++s) {
    Chances chances(20'000 + static_cast<uint32_t>(runs), static_cast<uint32_t>(s));
    std::vector<std::vector<double>> cells;
    cells.reserve(laws.size());
    for (const RunLaw& law : laws) cells.push_back(draw_runs(law, runs, DataDesign::own, chances));
    const auto best = std::max_element(cells.begin(), cells.end(), [](const auto& a, const auto& b) {
      return statistics::mean(a) < statistics::mean(b);
    });
    leads += std::all_of(cells.begin(), cells.end(), [&](const std::vector<double>& other) {
      return &other == &*best || compare(*best, other, runs * kTestSamples).significant();
    });
  }
  return {static_cast<double>(leads) / static_cast<double>(simulations)};
}

FamilyRates simulate_family(const RunLaw& law, int comparisons, int runs, int64_t simulations) {
  int64_t any = 0, after_holm = 0;
  for (int64_t s = 0; s < simulations; ++s) {
    Chances chances(30'000 + static_cast<uint32_t>(runs), static_cast<uint32_t>(s));
    const std::vector<double> first = draw_runs(law, runs, DataDesign::own, chances);
    std::vector<double> p;
    p.reserve(static_cast<size_t>(comparisons));
    for (int c = 0; c < comparisons; ++c) {
      p.push_back(compare(first, draw_runs(law, runs, DataDesign::own, chances), runs * kTestSamples).p);
    }
    any += *std::min_element(p.begin(), p.end()) <= kLevel;
    const std::vector<double> adjusted = statistics::holm(p);
    after_holm += *std::min_element(adjusted.begin(), adjusted.end()) <= kLevel;
  }
  const auto count = static_cast<double>(simulations);
  return {static_cast<double>(any) / count, static_cast<double>(after_holm) / count};
}

CoverageRates simulate_coverage(const RunLaw& law, int runs, int64_t simulations) {
  const double truth = mean_ability(law);
  int64_t student = 0, bootstrap = 0;
  for (int64_t s = 0; s < simulations; ++s) {
    Chances chances(40'000 + static_cast<uint32_t>(runs), static_cast<uint32_t>(s));
    const std::vector<double> values = draw_runs(law, runs, DataDesign::own, chances);
    const MeanDifference interval = statistics::mean_of_runs({values});
    student += interval.low <= truth && truth <= interval.high;
    const statistics::BootstrapInterval resampled =
        statistics::bootstrap(values, statistics::mean, {.resamples = 1000, .seed = static_cast<uint64_t>(s)});
    bootstrap += resampled.low <= truth && truth <= resampled.high;
  }
  const auto count = static_cast<double>(simulations);
  return {static_cast<double>(student) / count, static_cast<double>(bootstrap) / count};
}

}  // namespace phasor::rules
