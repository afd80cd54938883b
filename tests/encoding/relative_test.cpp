#include <gtest/gtest.h>

#include <algorithm>

#include "encoding/biases.h"

namespace phasor {
namespace relative_test {

using namespace testing_support;

TEST(Relative, HasANumberForEveryHeadAndDistance) {
  const EncodingShape shape = bias_shape(4, 20);
  const ResolvedEncoding resolved = resolve_text("relative", shape);
  EXPECT_EQ(parameter_names(resolved),
            (std::vector<std::string>{"layers.0.encoding.relative.bias", "layers.1.encoding.relative.bias",
                                      "layers.2.encoding.relative.bias"}));
  const ParameterValues values = initial_values(resolved, 1);
  const ResolvedEncoding started = with_values(resolved, values);
  for (const LearnedParameter& parameter : resolved.parameters) {
    EXPECT_EQ(parameter.shape, (std::vector<int64_t>{4, 39}));
    EXPECT_EQ(parameter.initial.kind, InitialValues::Kind::normal);
    EXPECT_EQ(parameter.initial.centre, 0.0);
    EXPECT_EQ(parameter.initial.size, 0.02);
  }
  for_each_bias(shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    ASSERT_EQ(bias_at(started, layer, head, i, j),
              values[static_cast<size_t>(layer)][static_cast<size_t>(head * 39 + 19 + j - i)]);
  });
}

TEST(Relative, CountsFartherDistancesAsTheFarthest) {
  for (const int64_t positions : {3, 20}) {  // shorter and longer than max_distance
    const EncodingShape shape = bias_shape(4, positions);
    const ResolvedEncoding resolved = resolve_text("relative(max_distance=5)", shape);
    EXPECT_EQ(resolved.parameters[0].shape, (std::vector<int64_t>{4, 11}));
    const ParameterValues values = initial_values(resolved, 1);
    const ResolvedEncoding started = with_values(resolved, values);
    for_each_bias(shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
      const int64_t distance = std::clamp<int64_t>(j - i, -5, 5);
      ASSERT_EQ(bias_at(started, layer, head, i, j),
                values[static_cast<size_t>(layer)][static_cast<size_t>(head * 11 + 5 + distance)]);
    });
  }
}

TEST(Relative, SharesOneTableBetweenLayersByName) {
  const ResolvedEncoding shared = resolve_text("relative(sharing=model,init=1)[heads=2-3,layers=1-2]");
  EXPECT_EQ(parameter_names(shared), (std::vector<std::string>{"encoding.relative.bias"}));
  EXPECT_EQ(shared.parameters[0].shape, (std::vector<int64_t>{2, 39}));
  EXPECT_EQ(shared.parameters[0].initial.size, 1.0);
  EXPECT_EQ(shared.layers[0].bias, nullptr);
  EXPECT_EQ(shared.layers[1].bias, shared.layers[2].bias);
}

TEST(Relative, HeadsWithoutItGetNothing) {
  const ResolvedEncoding some = start_of("relative(init=1)[heads=1]");
  for_each_bias(some.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    ASSERT_EQ(bias_at(some, layer, head, i, j) != 0.0, head == 1);
  });
}

TEST(Relative, IsToeplitz) {
  expect_toeplitz("relative(init=1)");
  expect_toeplitz("relative(init=1,max_distance=4)", bias_shape(4, 20, true));
}

// Both at once: the buckets of T5 that hold one distance each are a relative table.
TEST(Relative, IsWhatT5IsForShortSequences) {
  const EncodingShape shape = bias_shape(4, 8);
  const ResolvedEncoding relative = resolve_text("relative(sharing=model)", shape);
  const ResolvedEncoding t5 = resolve_text("t5", shape);
  ASSERT_EQ(relative.parameters.size() + t5.parameters.size(), 2u);
  const ParameterValues tables = initial_values(relative, 0);
  ParameterValues buckets(1, std::vector<double>(128));
  for (int64_t head = 0; head < 4; ++head) {
    for (int64_t d = -7; d <= 7; ++d) {
      buckets[0][static_cast<size_t>(head * 32 + (d > 0 ? 16 + d : -d))] =
          tables[0][static_cast<size_t>(head * 15 + 7 + d)];
    }
  }
  expect_equal_biases(with_values(relative, tables), with_values(t5, buckets), 0.0);
}

TEST(Relative, SaysWhatItIs) {
  const EncodingTraits traits = bias_traits("relative");
  EXPECT_EQ(traits.coupling, Coupling::toeplitz_bias);
  EXPECT_TRUE(traits.exactly_relative && traits.learnable && traits.bidirectional);
  EXPECT_FALSE(traits.extrapolates);
  EXPECT_TRUE(bias_traits("relative(max_distance=8)").extrapolates);
}

TEST(Relative, RefusesBadArguments) {
  EXPECT_EQ(mistake("relative(init=-1)"), "column 15: relative: init must be from 0 to 100, not -1");
  EXPECT_EQ(mistake("relative(max_distance=2.5)"), "column 23: relative: max_distance must be a whole number, not 2.5");
  EXPECT_EQ(mistake("relative(sharing=heads)"), "column 18: relative: unknown sharing 'heads'; known: layer, model");
}

}  // namespace relative_test
}  // namespace phasor
