#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "encoding/biases.h"

namespace phasor {
namespace fire_test {

using namespace testing_support;

EncodingShape causal_shape(int64_t positions = 24) { return bias_shape(4, positions, true); }

// As the paper writes it.
double ratio(int64_t i, int64_t j, double c, double threshold) {
  const double distance = static_cast<double>(std::abs(i - j));
  const double whole = std::max(threshold, static_cast<double>(i));
  return std::log1p(std::abs(c) * distance) / (std::log1p(std::abs(c) * whole) + 1e-6);
}

struct Network {
  double c = 0.0, multiplier = 0.0;
  std::vector<double> weight1, bias1, weight2, bias2;

  Network(ParameterValues& values, const ResolvedEncoding& resolved, const std::string& scope)
      : c(values_of(values, resolved, scope + "c").at(0)),
        multiplier(values_of(values, resolved, scope + "multiplier").at(0)),
        weight1(values_of(values, resolved, scope + "hidden.weight")),
        bias1(values_of(values, resolved, scope + "hidden.bias")),
        weight2(values_of(values, resolved, scope + "output.weight")),
        bias2(values_of(values, resolved, scope + "output.bias")) {}

  double operator()(size_t output, double x) const {
    double sum = bias2[output];
    for (size_t k = 0; k < weight1.size(); ++k) {
      const double hidden = weight1[k] * x + bias1[k];
      if (hidden > 0.0) sum += weight2[output * weight1.size() + k] * hidden;
    }
    return sum;
  }
};

std::string layer_scope(int64_t layer) { return "layers." + std::to_string(layer) + ".encoding.fire."; }

TEST(Fire, IsANetworkOfTheRelativeDistance) {
  for (const bool causal : {true, false}) {
    const EncodingShape shape = bias_shape(4, 24, causal);
    const ResolvedEncoding resolved = resolve_text("fire(threshold=10)", shape);
    ParameterValues values = initial_values(resolved, 3);
    values_of(values, resolved, layer_scope(1) + "c") = {-0.7};
    values_of(values, resolved, layer_scope(2) + "multiplier") = {-0.4};
    const ResolvedEncoding started = with_values(resolved, values);
    for (int64_t layer = 0; layer < shape.layers; ++layer) {
      const Network network(values, resolved, layer_scope(layer));
      const double threshold = 10.0 * std::abs(network.multiplier);
      for (int64_t head = 0; head < shape.heads; ++head) {
        for (int64_t i = 0; i < shape.positions; ++i) {
          for (int64_t j = 0; j < (causal ? i + 1 : shape.positions); ++j) {
            const double expected = network(static_cast<size_t>(head), ratio(i, j, network.c, threshold));
            ASSERT_NEAR(bias_at(started, layer, head, i, j), expected, 1e-12) << layer << head << i << j;
          }
        }
      }
    }
  }
}

TEST(Fire, RatiosOfCausalDistancesStayBelowOne) {
  for (const std::string text : {"fire(threshold=5)", "fire(threshold=1)", "fire"}) {
    const ResolvedEncoding resolved = resolve_text(text, causal_shape());
    Table ratios(24, 47);
    const MlpSource source = std::get<MlpSource>(resolved.layers[0].bias->learned[0]);
    add_source(ratios, source.x, initial_values(resolved, 0));
    for (int64_t i = 0; i < 24; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        ASSERT_GE(ratios(i, 23 + j - i), 0.0);
        ASSERT_LT(ratios(i, 23 + j - i), 1.0);
      }
      EXPECT_EQ(ratios(i, 23), 0.0);
      // The first token is as far away as can be.
      EXPECT_EQ(ratios(i, 23 - i) > 0.9999, text != "fire" && i >= (text == "fire(threshold=1)" ? 1 : 5)) << text << i;
    }
  }
}

// Queries 0 .. L divide by the same number, the others by their own.
TEST(Fire, IsToeplitzUpToTheThresholdOnly) {
  const ResolvedEncoding started = start_of("fire(threshold=10)", causal_shape());
  for (int64_t head = 0; head < 4; ++head) {
    for (int64_t i = 1; i < 23; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const double here = bias_at(started, 0, head, i, j);
        const double next = bias_at(started, 0, head, i + 1, j + 1);
        if (i + 1 <= 10 || i == j) {
          ASSERT_EQ(here, next) << head << i << j;
        } else {
          ASSERT_NE(here, next) << head << i << j;
        }
      }
    }
  }
}

TEST(Fire, IsToeplitzWhereTheThresholdIsBeyondAllPositions) {
  const ResolvedEncoding started = start_of("fire", causal_shape());
  for_each_bias(started.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    if (i + 1 == 24) return;
    ASSERT_EQ(bias_at(started, layer, head, i, j), bias_at(started, layer, head, i + 1, j + 1));
  });
}

TEST(Fire, HasItsTensorsPerLayer) {
  const ResolvedEncoding resolved = resolve_text("fire(hidden=16)[heads=1-2,layers=1]", causal_shape());
  EXPECT_EQ(parameter_names(resolved),
            (std::vector<std::string>{layer_scope(1) + "c", layer_scope(1) + "multiplier",
                                      layer_scope(1) + "hidden.weight", layer_scope(1) + "hidden.bias",
                                      layer_scope(1) + "output.weight", layer_scope(1) + "output.bias"}));
  const std::vector<std::vector<int64_t>> shapes = {{1}, {1}, {16}, {16}, {2, 16}, {2}};
  for (size_t p = 0; p < shapes.size(); ++p) EXPECT_EQ(resolved.parameters[p].shape, shapes[p]) << p;
}

TEST(Fire, SharesOneNetworkBetweenLayersByName) {
  const ResolvedEncoding resolved = resolve_text("fire(sharing=model)", causal_shape());
  ASSERT_EQ(resolved.parameters.size(), 6u);
  for (const LearnedParameter& parameter : resolved.parameters) {
    EXPECT_TRUE(parameter.name.starts_with("encoding.fire.")) << parameter.name;
  }
  EXPECT_EQ(resolved.layers[0].bias, resolved.layers[2].bias);
  EXPECT_EQ(resolve_text("fire", causal_shape()).parameters.size(), 18u);
}

// As nn.Linear: between +-1/sqrt(inputs), and all of that range is used.
TEST(Fire, StartsAsLinearLayersOfPyTorchDo) {
  const ResolvedEncoding resolved = resolve_text("fire(hidden=1024,sharing=model)", causal_shape());
  ParameterValues values = initial_values(resolved, 2);
  const Network network(values, resolved, "encoding.fire.");
  EXPECT_EQ(network.c, 0.1);
  EXPECT_EQ(network.multiplier, 1.0);
  const auto expect_range = [](const std::vector<double>& weights, double bound) {
    const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
    EXPECT_GE(*least, -bound);
    EXPECT_LE(*most, bound);
    EXPECT_LT(*least, -0.95 * bound);
    EXPECT_GT(*most, 0.95 * bound);
  };
  expect_range(network.weight1, 1.0);
  expect_range(network.bias1, 1.0);
  expect_range(network.weight2, 1.0 / 32.0);
  for (const double bias : network.bias2) EXPECT_LE(std::abs(bias), 1.0 / 32.0);
}

// The outputs of the network are those of the term's heads, in order.
TEST(Fire, GoesToItsHeads) {
  const ResolvedEncoding resolved = resolve_text("fire(threshold=4)[heads=1,3]", causal_shape());
  ParameterValues values = initial_values(resolved, 4);
  const ResolvedEncoding started = with_values(resolved, values);
  const Network network(values, resolved, layer_scope(2));
  for_each_bias(started.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    const double bias = bias_at(started, layer, head, i, j);
    if (head % 2 == 0) {
      ASSERT_EQ(bias, 0.0);
    }
    if (head % 2 == 1 && layer == 2) {
      ASSERT_NEAR(bias, network(static_cast<size_t>(head / 2), ratio(i, j, 0.1, 4.0)), 1e-12);
    }
  });
}

TEST(Fire, AddsToOtherBiases) {
  const EncodingShape shape = causal_shape();
  const ResolvedEncoding both = start_of("alibi+fire(threshold=4)", shape);
  const ResolvedEncoding fire = start_of("fire(threshold=4)", shape);
  const ResolvedEncoding alibi = start_of("alibi", shape);
  for_each_bias(shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    const double sum = bias_at(alibi, layer, head, i, j) + bias_at(fire, layer, head, i, j);
    ASSERT_NEAR(bias_at(both, layer, head, i, j), sum, 1e-13);
  });
}

TEST(Fire, ReadsRandomizedPositions) {
  const ResolvedEncoding drawn = start_of("randomized(fire(threshold=4),max=40)", causal_shape());
  const ResolvedEncoding wide = start_of("fire(threshold=4)", causal_shape(40));
  ASSERT_EQ(drawn.layers[0].bias->rows, 40);
  EXPECT_EQ(drawn.layers[0].bias->fixed, wide.layers[0].bias->fixed);
}

TEST(Fire, SaysWhatItIs) {
  const EncodingTraits traits = bias_traits("fire");
  EXPECT_EQ(traits.coupling, Coupling::toeplitz_bias);
  EXPECT_TRUE(traits.learnable && traits.extrapolates);
  EXPECT_FALSE(traits.exactly_relative || traits.bidirectional || traits.depends_on_length);
}

TEST(Fire, RefusesBadArguments) {
  EXPECT_EQ(mistake("fire+bias(\"d/n\")", causal_shape()),
            "column 1: fire cannot be added to a bias that depends on the length of the sequence");
  EXPECT_EQ(mistake("fire(hidden=0)"), "column 13: fire: hidden must be from 1 to 1024, not 0");
  EXPECT_EQ(mistake("fire(threshold=0)"), "column 16: fire: threshold must be from 1 to 1048576, not 0");
  EXPECT_EQ(mistake("fire(sharing=none)"), "column 14: fire: unknown sharing 'none'; known: layer, model");
  EXPECT_EQ(mistake("concat(fire,width=4)"),
            "column 8: concat takes terms that are added to the embeddings, and no bias");
}

}  // namespace fire_test
}  // namespace phasor
