#pragma once
// The rule of the flash-attention tests: an engine may be off from the truth by a small multiple of what a plain
// computation in the same precision is off by, each measured by the largest error of a tensor. Beside it stands a
// few roundings of the tensor's largest value, since a plain computation may be right by luck.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "support/compare.h"

namespace phasor::testing_support {

inline constexpr double kValueFactor = 2.0;
inline constexpr double kGradientFactor = 3.0;
inline constexpr double kFloorRoundings = 4.0;
// Half the spacing of fp32 numbers just above 1.
inline constexpr double kRounding = reference::unit_roundoff(Dtype::f32);

inline double largest_of(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

inline double largest_error(std::span<const double> got, std::span<const double> truth) {
  double worst = 0.0;
  for (size_t i = 0; i < truth.size(); ++i) worst = std::max(worst, std::abs(got[i] - truth[i]));
  return worst;
}

// `scale` is the size that the roundings refer to, such as the tensor's largest value.
inline double error_bound(double factor, double plain_error, double scale) {
  return factor * plain_error + kFloorRoundings * kRounding * scale;
}

// The parameter whose gradient is a sum of terms as large as those of `name`. That is `name` itself but for key
// biases: without a rotation their terms cancel to 0, and those of the query bias show how large they were.
inline std::string same_terms(std::string name) {
  const auto swap = [&name](const std::string& from, const std::string& to) {
    const size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, from.size(), to);
  };
  swap("key.bias", "query.bias");
  // One number for all keys of a row moves nothing; a unit that is on everywhere adds such a number.
  swap("fire.output.bias", "fire.output.weight");
  swap("fire.hidden.bias", "fire.hidden.weight");
  return name;
}

struct Tensor {
  std::string family;  // a line of the report at the end, such as "gradient"; empty for none
  std::string name;    // with the case: "rope layers.0.ffn.up.bias"
};

// One bound for each element.
inline ::testing::AssertionResult near_enough(const Tensor& tensor, std::span<const double> got,
                                              std::span<const double> truth, std::span<const double> bounds) {
  if (got.size() != truth.size()) {
    return ::testing::AssertionFailure() << tensor.name << ": " << got.size() << " values, not " << truth.size();
  }
  double worst = 0.0;
  size_t at = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    const double ratio = std::abs(got[i] - truth[i]) / bounds[i];
    if (ratio <= worst) continue;
    worst = std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
    at = i;
  }
  if (!tensor.family.empty()) ErrorReport::get().add(tensor.family, worst, tensor.name);
  if (worst <= 1.0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << fmt::format(
             "{}: element {} of {} is {:.9g}, not {:.9g}: off by {:.3g}, "
             "bound {:.3g}",
             tensor.name, at, truth.size(), got[at], truth[at], std::abs(got[at] - truth[at]), bounds[at]);
}

// One bound for all.
inline ::testing::AssertionResult near_enough(const Tensor& tensor, std::span<const double> got,
                                              std::span<const double> truth, double bound) {
  return near_enough(tensor, got, truth, std::vector<double>(truth.size(), bound));
}

}  // namespace phasor::testing_support
