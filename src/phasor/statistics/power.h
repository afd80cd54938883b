#pragma once
// What so many runs can show: how often the interval of compare_means() tells a difference that is there, by the spread
// of runs that have a normal distribution. The two variances are integrated over, so there is no approximation but the
// grid: with few runs the half-width of the interval itself varies from study to study.
#include <cstdint>

namespace phasor::statistics {

struct RunGroup {
  int64_t runs = 0;
  double deviation = 0.0;       // of one run
  double variance_floor = 0.0;  // of the mean, as in RunSample
};

// How often the interval excludes 0 where the true difference is `difference`; 0 with fewer runs than may be compared.
double chance_to_tell(const RunGroup& x, const RunGroup& y, double difference, double level = 0.95);

// How often it lies wholly within the margin where there is no difference.
double chance_to_rule_out(const RunGroup& x, const RunGroup& y, double margin, double level = 0.95);

inline constexpr double kUsualPower = 0.8;  // 4 times in 5

// The smallest difference that is told so often; infinite with fewer runs than may be compared.
double detectable_difference(const RunGroup& x, const RunGroup& y, double power = kUsualPower, double level = 0.95);

}  // namespace phasor::statistics
