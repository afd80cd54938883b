// path: the tensors of its directions and strengths.
#include <gtest/gtest.h>

#include <cmath>

#include "encoding/biases.h"
#include "phasor/encoding/measure/encoding_card.h"

namespace phasor {
namespace path_test {

using namespace testing_support;

TEST(Path, HasADirectionAndAStrengthPerHead) {
  const ResolvedEncoding encoding = resolve_text("path(rank=5)[heads=0,2][layers=1]");
  const std::string prefix = "layers.1.encoding.path.";
  EXPECT_EQ(parameter_names(encoding),
            (std::vector<std::string>{prefix + "inner", prefix + "weight", prefix + "strength_weight",
                                      prefix + "strength_bias"}));
  EXPECT_EQ(parameter_of(encoding, prefix + "inner").shape, (std::vector<int64_t>{5, 16}));
  EXPECT_EQ(parameter_of(encoding, prefix + "weight").shape, (std::vector<int64_t>{2 * 9, 5}));
  EXPECT_EQ(parameter_of(encoding, prefix + "strength_weight").shape, (std::vector<int64_t>{2, 16}));
  EXPECT_EQ(parameter_of(encoding, prefix + "strength_bias").shape, (std::vector<int64_t>{2}));
  const TokenReflections* reflections = encoding.layers[1].dense->reflections();
  ASSERT_NE(reflections, nullptr);
  EXPECT_EQ(reflections->inner, 5);
  EXPECT_EQ(encoding.parameters[static_cast<size_t>(reflections->strength_bias)].name, prefix + "strength_bias");
}

TEST(Path, WithoutARankReadsTheStream) {
  const ResolvedEncoding encoding = resolve_text("path(rank=0)[layers=0]");
  EXPECT_EQ(encoding.parameters.size(), 3u);
  EXPECT_EQ(parameter_of(encoding, "layers.0.encoding.path.weight").shape, (std::vector<int64_t>{4 * 9, 16}));
  EXPECT_EQ(encoding.layers[0].dense->reflections()->inner_weight, -1);
}

// Half of the tokens' strengths are above 1 at the start, where a reflection turns the sign of its direction.
TEST(Path, StartsBetweenNothingAndAMirror) {
  const ResolvedEncoding encoding = resolve_text("path");
  ParameterValues values = initial_values(encoding, 5);
  for (const double bias : values_of(values, encoding, "layers.2.encoding.path.strength_bias")) EXPECT_EQ(bias, 0.0);
  for (const double weight : values_of(values, encoding, "layers.2.encoding.path.inner")) {
    EXPECT_LE(std::abs(weight), 1.0 / std::sqrt(16.0));
  }
}

TEST(Path, TheCardSaysWhatItIs) {
  const EncodingCard card = make_card(parse_encoding("path"), bias_shape(4, 20, true), 0);
  EXPECT_NE(card.left_out.find("are made of tokens"), std::string::npos) << card.left_out;
  EXPECT_NE(card_text(card).find("H reflections by tokens"), std::string::npos) << card_text(card);
}

}  // namespace path_test
}  // namespace phasor
