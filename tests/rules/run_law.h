#pragma once
// Laws that accuracies of runs are drawn from: what simulations of the rules of comparison take as the truth.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "phasor/random/distributions.h"

namespace phasor::rules {

// Draws in order; equal coordinates give equal numbers.
class Chances {
 public:
  Chances(uint32_t scenario, uint32_t simulation)
      : normals_{.seed = 20, .purpose = Purpose::test, .site = 2 * scenario, .step = simulation},
        uniforms_{.seed = 20, .purpose = Purpose::test, .site = 2 * scenario + 1, .step = simulation} {}

  double normal() { return phasor::normal(normals_, next_normal_++); }
  double uniform() { return phasor::uniform(uniforms_, next_uniform_++); }

 private:
  RandomStream normals_, uniforms_;
  uint64_t next_normal_ = 0, next_uniform_ = 0;
};

// What a run can do: the share of all samples that it answers rightly.
using Ability = std::function<double(Chances&)>;

struct RunLaw {
  std::string name;
  Ability ability;
  // Between encoding and data set, of the same size for all runs that share a data set.
  double data_deviation = 0.0;
};

inline constexpr int64_t kTestSamples = 4096;

// Right answers of kTestSamples, as a share. Few wrong ones are counted by the gaps between them, which are geometric;
// of many the normal law is as good.
inline double measured(double ability, Chances& chances) {
  constexpr auto kSamples = static_cast<double>(kTestSamples);
  constexpr double kMany = 100.0;
  const double right = std::clamp(ability, 1e-6, 1.0 - 1e-9);
  const double variance = kSamples * right * (1.0 - right);
  if (variance > kMany) {
    return std::clamp(std::round(kSamples * right + std::sqrt(variance) * chances.normal()), 0.0, kSamples) / kSamples;
  }
  const bool wrong_are_few = right > 0.5;
  const double log_other = std::log(wrong_are_few ? right : 1.0 - right);
  double counted = 0.0;
  for (double place = 0.0;; counted += 1.0) {
    place += 1.0 + std::floor(std::log(chances.uniform()) / log_other);
    if (place > kSamples) break;
  }
  return (wrong_are_few ? kSamples - counted : counted) / kSamples;
}

inline double logistic(double log_odds) { return 1.0 / (1.0 + std::exp(-log_odds)); }

inline RunLaw normal_law(double mean, double deviation) {
  return {"", [=](Chances& chances) { return mean + deviation * chances.normal(); }};
}

// Skewed towards 1, as accuracies are that come near to it.
inline RunLaw ceiling_law(double log_odds, double deviation) {
  return {"", [=](Chances& chances) { return logistic(log_odds + deviation * chances.normal()); }};
}

// A share of the runs never learns.
inline RunLaw failing_law(double failures, double mean, double failed_mean, double deviation) {
  return {"", [=](Chances& chances) {
            return (chances.uniform() < failures ? failed_mean : mean) + deviation * chances.normal();
          }};
}

// The mean of a law, by as many draws as make its error small beside what simulations can see.
inline double mean_ability(const RunLaw& law) {
  constexpr uint32_t kDraws = 2'000'000;
  Chances chances(9999, 0);
  double sum = 0.0;
  for (uint32_t i = 0; i < kDraws; ++i) sum += std::clamp(law.ability(chances), 1e-6, 1.0 - 1e-9);
  return sum / kDraws;
}

// How runs of a cell get their data.
enum class DataDesign : uint8_t {
  own,      // every run its own
  shared,   // one set for all runs of all cells
  crossed,  // two sets, each with half of the runs
};

// A cell's accuracies.
inline std::vector<double> draw_runs(const RunLaw& law, int runs, DataDesign design, Chances& chances) {
  std::vector<double> values;
  std::vector<double> shifts;
  const int sets = design == DataDesign::own ? runs : (design == DataDesign::shared ? 1 : 2);
  for (int s = 0; s < sets; ++s) shifts.push_back(law.data_deviation * chances.normal());
  for (int r = 0; r < runs; ++r) {
    const double ability = law.ability(chances) + shifts[static_cast<size_t>(r % sets)];
    values.push_back(measured(ability, chances));
  }
  return values;
}

}  // namespace phasor::rules
