#include "phasor/study/summary/seed_interval.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

constexpr size_t kFewestResampled = 5;

statistics::Interval ends(IntervalMethod method, const std::vector<double>& values) {
  if (method == IntervalMethod::student) {
    const statistics::MeanInterval interval = statistics::mean_interval(values);
    return {interval.low, interval.high};
  }
  const statistics::BootstrapInterval interval = statistics::bootstrap(values, statistics::mean);
  return {interval.low, interval.high};
}

}  // namespace

std::string_view name(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::student:
      return "Student's t";
    case IntervalMethod::bootstrap:
      return "expanded bootstrap";
    case IntervalMethod::none:
      break;
  }
  return "none";
}

SeedInterval seed_interval(std::vector<double> values, std::optional<statistics::Interval> range) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite), [](double x) { return std::isfinite(x); });
  SeedInterval result{.values = std::move(values), .count = std::ssize(finite)};
  if (finite.empty()) return result;
  result.mean = statistics::mean(finite);
  if (finite.size() == 1) return result;
  result.deviation = statistics::standard_deviation(finite);
  result.degenerate = std::adjacent_find(finite.begin(), finite.end(), std::not_equal_to<>()) == finite.end();
  result.method = finite.size() < kFewestResampled ? IntervalMethod::student : IntervalMethod::bootstrap;
  const statistics::Interval found = ends(result.method, finite);
  const auto moved = [&](double end) { return range ? std::clamp(end, range->low, range->high) : end; };
  result.low = moved(found.low);
  result.high = moved(found.high);
  return result;
}

}  // namespace phasor
