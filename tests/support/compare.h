#pragma once
// Compares what an engine computed with the truth, element by element, under the bound that Rounded
// arithmetic gives for that element. A failure names the op, the case, the seed and the worst element.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "reference/rounded.h"
#include "support/random_data.h"

namespace phasor::testing_support {

// How much of its bound each family of outputs used: printed when the tests end, so that slow drift
// shows before it fails.
class ErrorReport : public ::testing::Environment {
 public:
  void add(const std::string& family, double ratio, const std::string& where) {
    auto& worst = worst_[family];
    if (worst.second.empty() || ratio > worst.first) worst = {ratio, where};
  }
  void TearDown() override {
    for (const auto& [family, worst] : worst_) {
      fmt::print("[ error/bound ] {:<40} {:.3f}  {}\n", family, worst.first, worst.second);
    }
  }
  static ErrorReport& get() {
    static auto* report = static_cast<ErrorReport*>(::testing::AddGlobalTestEnvironment(new ErrorReport));
    return *report;
  }

 private:
  std::map<std::string, std::pair<double, std::string>> worst_;
};

// Registers the report before the tests start.
inline const ErrorReport& kErrorReport = ErrorReport::get();

struct Comparison {
  double worst_ratio = 0.0;  // error / bound
  size_t worst_index = 0;
};

// The bound of an element is its arithmetic error plus the rounding of its storage; storing fp32 is
// part of the last operation.
template <Dtype kOperands>
double bound_of(const reference::Rounded<kOperands>& expected, Dtype storage) {
  const double arithmetic = expected.error + reference::kUnderflow;
  if (storage == Dtype::f32) return arithmetic;
  return arithmetic + reference::unit_roundoff(storage) * (std::abs(expected.value) + arithmetic);
}

template <class R>
Comparison compare(const Grid<double>& got, const Grid<R>& expected, Dtype storage) {
  Comparison result;
  for (size_t i = 0; i < expected.data.size(); ++i) {
    const double error = std::abs(got.data[i] - expected.data[i].value);
    const double ratio = error / bound_of(expected.data[i], storage);
    if (ratio <= result.worst_ratio) continue;
    result = {std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio, i};
  }
  return result;
}

struct Where {
  std::string family;  // "AttentionForward.out"
  std::string shape;   // the case
  uint64_t seed = 0;
};

template <class R>
::testing::AssertionResult agrees(const Where& where, const Grid<double>& got, const Grid<R>& expected, Dtype storage) {
  if (got.rows != expected.rows || got.columns != expected.columns) {
    return ::testing::AssertionFailure() << fmt::format("{} ({}): got {} x {}, expected {} x {}", where.family,
                                                        where.shape, got.rows, got.columns, expected.rows,
                                                        expected.columns);
  }
  const Comparison result = compare(got, expected, storage);
  const std::string family = fmt::format("{} {}", where.family, name(storage));
  if (result.worst_ratio <= 1.0) {
    if (!expected.data.empty()) ErrorReport::get().add(family, result.worst_ratio, where.shape);
    return ::testing::AssertionSuccess();
  }
  const R& truth = expected.data[result.worst_index];
  const auto index = static_cast<int64_t>(result.worst_index);
  return ::testing::AssertionFailure() << fmt::format(
             "{}, {}, seed {}: worst at ({}, {}) of {} x {}: got {:.9g}, expected {:.9g}, error {:.3g} = {:.3g} of "
             "the bound {:.3g}",
             family, where.shape, where.seed, index / expected.columns, index % expected.columns, expected.rows,
             expected.columns, got.data[result.worst_index], truth.value,
             std::abs(got.data[result.worst_index] - truth.value), result.worst_ratio, bound_of(truth, storage));
}

// Takes the values from elsewhere (a complex step, itself off by a few roundings of double) and the
// bounds from a Rounded computation.
template <class R>
Grid<R> with_values(Grid<R> bounds, const Grid<double>& values) {
  for (size_t i = 0; i < bounds.data.size(); ++i)
    bounds.data[i] = {values.data[i], bounds.data[i].error + 0x1.0p-48 * std::abs(values.data[i])};
  return bounds;
}

}  // namespace phasor::testing_support
