// fox and cable: what they bring along, and the forms of fox that are biases.
#include <gtest/gtest.h>

#include <cmath>

#include "encoding/biases.h"
#include "phasor/encoding/measure/encoding_card.h"

namespace phasor {
namespace fox_test {

using namespace testing_support;

TEST(Fox, HasAGatePerHeadAndLayer) {
  for (const std::string name : {"fox", "cable"}) {
    const ResolvedEncoding encoding = resolve_text(name + "[heads=1,3][layers=0,2]");
    EXPECT_EQ(
        parameter_names(encoding),
        (std::vector<std::string>{"layers.0.encoding." + name + ".weight", "layers.0.encoding." + name + ".bias",
                                  "layers.2.encoding." + name + ".weight", "layers.2.encoding." + name + ".bias"}));
    EXPECT_TRUE(encoding.layers[1].gates.empty());
    const GateTerm& gates = encoding.layers[2].gates.at(0);
    EXPECT_EQ(gates.heads, (std::vector<int64_t>{1, 3}));
    EXPECT_EQ(gates.map, name == "fox" ? GateTerm::Map::log_sigmoid : GateTerm::Map::minus_softplus);
    const LearnedParameter& weight = encoding.parameters[static_cast<size_t>(gates.weight)];
    EXPECT_EQ(weight.name, "layers.2.encoding." + name + ".weight");
    EXPECT_EQ(weight.shape, (std::vector<int64_t>{2, 16})) << "the width of the stream, not of a head";
    EXPECT_EQ(weight.heads, gates.heads);
    EXPECT_EQ(encoding.parameters[static_cast<size_t>(gates.bias)].shape, (std::vector<int64_t>{2}));
    EXPECT_EQ(encoding.layers[2].bias, nullptr);
  }
}

TEST(Fox, StartsAsTheReleasedCode) {
  const ResolvedEncoding encoding = resolve_text("fox");
  ParameterValues values = initial_values(encoding, 3);
  for (const double bias : values_of(values, encoding, "layers.0.encoding.fox.bias")) EXPECT_EQ(bias, 0.0);
  const std::vector<double>& weight = values_of(values, encoding, "layers.0.encoding.fox.weight");
  double square = 0.0;
  for (const double w : weight) square += w * w;
  // 64 draws: the mean square strays from 0.02^2 by its deviation sqrt(2 / 64), of which five are never seen.
  EXPECT_NEAR(square / 64.0, 4e-4, 5.0 * std::sqrt(2.0 / 64.0) * 4e-4);
}

TEST(Fox, FixedAndTrainedGatesAreSlopes) {
  for (const std::string text : {"fox(gate=fixed,shortest=4,longest=32)", "fox(bias,shortest=4,longest=32)"}) {
    const ResolvedEncoding encoding = start_of(text);
    const double times[] = {4.0, 8.0, 16.0, 32.0};
    for_each_bias(encoding.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
      const double expected = -std::abs(static_cast<double>(i - j)) / times[head];
      ASSERT_NEAR(bias_at(encoding, layer, head, i, j), expected, 1e-14 * std::abs(expected)) << text;
    });
    for (const LayerEncoding& layer : encoding.layers) EXPECT_TRUE(layer.gates.empty());
  }
  EXPECT_EQ(parameter_names(resolve_text("fox(gate=bias)[layers=1]")),
            std::vector<std::string>{"layers.1.encoding.fox.b"});
}

std::string error_of(const std::string& text) {
  try {
    resolve_text(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Fox, OneHeadHasOneGate) {
  EXPECT_NE(error_of("fox+cable").find("both gate head 0 of layer 0; give them different heads or layers"),
            std::string::npos)
      << error_of("fox+cable");
  EXPECT_EQ(error_of("fox[heads=0-1]+cable[heads=2-3]"), "");
  EXPECT_EQ(error_of("fox[layers=0]+cable[layers=1-2]+alibi+sinusoidal"), "");
  EXPECT_NE(error_of("concat(fox,width=4)").find("no gates"), std::string::npos) << error_of("concat(fox,width=4)");
}

TEST(Fox, TheCardSaysWhatCannotBeDrawn) {
  const EncodingCard alone = make_card(parse_encoding("fox"), bias_shape(), 0);
  EXPECT_NE(alone.left_out.find("Gates and angles are made of tokens"), std::string::npos) << alone.left_out;
  EXPECT_TRUE(alone.kernels.empty());
  EXPECT_TRUE(alone.desiderata.empty());
  EXPECT_NE(card_text(alone).find("G gates of tokens"), std::string::npos) << card_text(alone);
  const EncodingCard beside = make_card(parse_encoding("cable+alibi"), bias_shape(), 0);
  EXPECT_EQ(beside.left_out, "");
  EXPECT_FALSE(beside.kernels.empty());
  EXPECT_NE(card_text(beside).find("G gates of tokens, not in what is measured"), std::string::npos);
}

}  // namespace fox_test
}  // namespace phasor
