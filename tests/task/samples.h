#pragma once
// What tests of tasks share: tasks by settings, samples by number, and statistics of counts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/task/task.h"

namespace phasor::testing_support {

// The quick values with settings in their places, as {"gap=7", "fillers=any"}; "paper" sets all values of that preset.
inline TaskValues values_of(const std::string& name, const std::vector<std::string>& settings) {
  const TaskEntry& entry = find_task(name);
  TaskValues values = quick_values(entry);
  for (const std::string& setting : settings) {
    if (setting == "paper") {
      values = paper_values(entry);
      continue;
    }
    const size_t equals = setting.find('=');
    for (size_t i = 0; i < entry.options.size(); ++i) {
      const TaskOption& option = entry.options[i];
      if (option.name != setting.substr(0, equals)) continue;
      const std::string text = setting.substr(equals + 1);
      values[i] = option.choices.empty() ? std::stoll(text) : 0;
      while (!option.choices.empty() && option.choices.at(static_cast<size_t>(values[i])) != text) ++values[i];
    }
  }
  return values;
}

inline std::unique_ptr<Task> make(const std::string& name, const std::vector<std::string>& settings = {}) {
  return make_task(name, values_of(name, settings));
}

inline Sample draw(const Task& task, uint64_t seed, int64_t number) {
  return task.sample({.seed = seed, .purpose = Purpose::data, .step = static_cast<uint32_t>(number)});
}

// Pearson's statistic against equal frequencies.
inline double chi_squared(const std::vector<int64_t>& counts) {
  double total = 0.0, sum = 0.0;
  for (const int64_t count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  for (const int64_t count : counts)
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected);
  return sum / expected;
}

// Its quantile at 1 - 1e-6 for as many equal frequencies (Wilson and Hilferty's approximation, within 1 %).
inline double chi_squared_bound(size_t counts) {
  const double freedom = static_cast<double>(counts) - 1.0;
  const double variance = 2.0 / (9.0 * freedom);
  return freedom * std::pow(1.0 - variance + 4.7534 * std::sqrt(variance), 3.0);
}

// Whether counts may come from equal probabilities.
inline testing::AssertionResult uniform(const std::vector<int64_t>& counts) {
  const double statistic = chi_squared(counts), bound = chi_squared_bound(counts.size());
  if (statistic < bound) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "chi squared of " << counts.size() << " counts is " << statistic << ", above "
                                     << bound;
}

// What a task says to settings that do not fit together.
inline std::string refusal(const std::string& name, const std::vector<std::string>& settings) {
  try {
    make(name, settings);
    return "accepted";
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace phasor::testing_support
