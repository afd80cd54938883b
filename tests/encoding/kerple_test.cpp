#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "encoding/biases.h"

namespace phasor {
namespace kerple_test {

using namespace testing_support;

using Kernel = std::function<double(double r1, double r2, double distance)>;

// At the numbers that models of several seeds start from.
void expect_kernel(const std::string& text, const Kernel& kernel) {
  const EncodingShape shape = bias_shape(4, 60);
  const ResolvedEncoding resolved = resolve_text(text, shape);
  for (const uint64_t seed : {1U, 2U, 3U}) {
    ParameterValues values = initial_values(resolved, seed);
    const ResolvedEncoding started = with_values(resolved, values);
    for_each_bias(shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
      const std::string scope = "layers." + std::to_string(layer) + ".encoding.kerple.";
      const double r1 = values_of(values, resolved, scope + "r1")[static_cast<size_t>(head)];
      const double r2 = values_of(values, resolved, scope + "r2")[static_cast<size_t>(head)];
      const double expected = kernel(r1, r2, static_cast<double>(std::abs(i - j)));
      ASSERT_NEAR(bias_at(started, layer, head, i, j), expected, 1e-12 * std::max(1.0, std::abs(expected)));
    });
  }
}

// log(1 + x) by its other name, x^y by exponential and logarithm.
TEST(Kerple, IsTheKernelOfThePaper) {
  expect_kernel("kerple", [](double r1, double r2, double d) { return -r1 * std::log1p(r2 * d); });
  expect_kernel("kerple(power)",
                [](double r1, double r2, double d) { return d == 0.0 ? 0.0 : -r1 * std::exp(r2 * std::log(d)); });
}

TEST(Kerple, TrainsTwoNumbersPerHeadAndLayer) {
  const ResolvedEncoding resolved = resolve_text("kerple[heads=0,2-3,layers=1-2]");
  EXPECT_EQ(parameter_names(resolved),
            (std::vector<std::string>{"layers.1.encoding.kerple.r1", "layers.1.encoding.kerple.r2",
                                      "layers.2.encoding.kerple.r1", "layers.2.encoding.kerple.r2"}));
  for (const LearnedParameter& parameter : resolved.parameters) EXPECT_EQ(parameter.shape, (std::vector<int64_t>{3}));
}

TEST(Kerple, KeepsItsNumbersWithinBounds) {
  for (const std::string kind : {"log", "power"}) {
    const ResolvedEncoding resolved = resolve_text("kerple(" + kind + ")");
    for (const LearnedParameter& parameter : resolved.parameters) {
      const bool exponent = kind == "power" && parameter.name.ends_with("r2");
      EXPECT_EQ(parameter.least, 0.01);
      EXPECT_EQ(parameter.most, exponent ? 2.0 : std::numeric_limits<double>::infinity()) << parameter.name;
    }
  }
}

// The highest start, and that starts reach from one end to the other: 200 seeds of 12 numbers leave a gap of 2 %
// with a chance below 1e-20.
void expect_starts(const std::string& text, const std::string& name, double highest) {
  const ResolvedEncoding resolved = resolve_text(text);
  double least = 1e9;
  double most = -1e9;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const ParameterValues values = initial_values(resolved, seed);
    for (size_t p = 0; p < values.size(); ++p) {
      if (!resolved.parameters[p].name.ends_with(name)) continue;
      least = std::min(least, *std::min_element(values[p].begin(), values[p].end()));
      most = std::max(most, *std::max_element(values[p].begin(), values[p].end()));
    }
  }
  EXPECT_GE(least, 0.01) << text << name;
  EXPECT_LT(least, 0.01 + 0.02 * highest) << text << name;
  EXPECT_LE(most, highest) << text << name;
  EXPECT_GT(most, 0.98 * highest) << text << name;
}

TEST(Kerple, StartsEvenlySpread) {
  expect_starts("kerple", "r1", 2.0);
  expect_starts("kerple", "r2", 1.0);
  expect_starts("kerple(power)", "r1", 1.0);
  expect_starts("kerple(power)", "r2", 2.0);
}

TEST(Kerple, IsAlibiWhereThePowerIsOne) {
  for (const int64_t heads : {4, 6}) {
    const EncodingShape shape = bias_shape(heads, 40);
    const ResolvedEncoding alibi = start_of("alibi", shape);
    const ResolvedEncoding resolved = resolve_text("kerple(power)", shape);
    ParameterValues values = initial_values(resolved, 0);
    for (size_t p = 0; p < values.size(); ++p) {
      for (int64_t head = 0; head < heads; ++head) {
        const bool exponent = resolved.parameters[p].name.ends_with("r2");
        values[p][static_cast<size_t>(head)] = exponent ? 1.0 : -bias_at(alibi, 0, head, 1, 0);
      }
    }
    expect_equal_biases(with_values(resolved, values), alibi, 1e-12);
  }
}

TEST(Kerple, FallsOffAndIsToeplitz) {
  for (const std::string text : {"kerple", "kerple(power)"}) {
    expect_toeplitz(text);
    const ResolvedEncoding started = start_of(text);
    for_each_bias(started.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
      if (i < j || j == 0) return;
      ASSERT_LT(bias_at(started, layer, head, i, j - 1), bias_at(started, layer, head, i, j));
    });
  }
}

TEST(Kerple, HeadsWithoutItGetNothing) {
  const ResolvedEncoding some = start_of("kerple[heads=1,layers=2]");
  for_each_bias(some.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    ASSERT_EQ(bias_at(some, layer, head, i, j) != 0.0, head == 1 && layer == 2 && i != j);
  });
}

TEST(Kerple, SaysWhatItIs) {
  const EncodingTraits traits = bias_traits("kerple");
  EXPECT_EQ(traits.coupling, Coupling::toeplitz_bias);
  EXPECT_TRUE(traits.exactly_relative && traits.learnable && traits.extrapolates);
  EXPECT_FALSE(traits.depends_on_length);
}

TEST(Kerple, RefusesOtherKinds) {
  EXPECT_EQ(mistake("kerple(exp)"), "column 8: kerple: unknown kind 'exp'; known: log, power");
  EXPECT_EQ(mistake("kerple(1)"), "column 8: kerple: kind must be a word, not 1; known: log, power");
}

}  // namespace kerple_test
}  // namespace phasor
