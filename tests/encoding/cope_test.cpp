// cope: its vectors, where they start, and what it refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "encoding/biases.h"
#include "encoding/rotation_probe.h"
#include "phasor/encoding/measure/encoding_card.h"

namespace phasor {
namespace cope_test {

using namespace testing_support;

TEST(Cope, HasAVectorForEachPosition) {
  const ResolvedEncoding encoding = resolve_text("cope(max=5)[heads=1,3][layers=0,2]");
  EXPECT_EQ(parameter_names(encoding),
            (std::vector<std::string>{"layers.0.encoding.cope.vectors", "layers.2.encoding.cope.vectors"}));
  EXPECT_EQ(encoding.layers[1].dense, nullptr);
  const DensePlace& place = *encoding.layers[2].dense;
  EXPECT_EQ(place.heads, (std::vector<int64_t>{1, 3}));
  ASSERT_NE(place.positions(), nullptr);
  EXPECT_EQ(place.positions()->most, 5);
  EXPECT_FALSE(place.positions()->per_head);
  const LearnedParameter& vectors = encoding.parameters[static_cast<size_t>(place.positions()->vectors)];
  EXPECT_EQ(vectors.name, "layers.2.encoding.cope.vectors");
  EXPECT_EQ(vectors.shape, (std::vector<int64_t>{6, 9})) << "the width of a head";
  EXPECT_TRUE(vectors.heads.empty());
}

TEST(Cope, MayHaveVectorsPerHead) {
  const ResolvedEncoding encoding = resolve_text("cope(max=2,sharing=head)[heads=0-2]");
  const LearnedParameter& vectors = parameter_of(encoding, "layers.1.encoding.cope.vectors");
  EXPECT_EQ(vectors.shape, (std::vector<int64_t>{3, 3, 9}));
  EXPECT_EQ(vectors.heads, (std::vector<int64_t>{0, 1, 2}));
}

TEST(Cope, StartsAtZeroAsTheReleasedCode) {
  ParameterValues values = initial_values(resolve_text("cope"), 3);
  for (const double value : values.at(0)) EXPECT_EQ(value, 0.0);
  EXPECT_EQ(values.at(0).size(), 17u * 9u);
  ParameterValues spread = initial_values(resolve_text("cope(init=0.5)"), 3);
  double square = 0.0;
  for (const double value : spread.at(0)) square += value * value;
  // The mean square strays by its deviation sqrt(2 / count), of which five are never seen.
  const double count = 17.0 * 9.0;
  EXPECT_NEAR(square / count, 0.25, 5.0 * std::sqrt(2.0 / count) * 0.25);
}

TEST(Cope, ALayerHasOneOfItsKind) {
  EXPECT_NE(
      error_of([] { resolve_text("cope+path"); }).find("'cope' (column 1) and 'path' both need all logits of layer 0"),
      std::string::npos);
  EXPECT_EQ(error_of([] { resolve_text("cope[layers=0]+path[layers=1-2]+alibi+sinusoidal"); }), "no error");
  EXPECT_NE(error_of([] { resolve_text("concat(cope,width=4)"); }).find("which cope is not"), std::string::npos);
}

TEST(Cope, LatentsAndFeaturesAreRefusedInEitherOrder) {
  EncodingShape shape = bias_shape();
  shape.head_width = 8;
  for (const std::string text : {"mla+cope", "cope+mla", "pope+cope", "cope+pope"}) {
    EXPECT_NE(error_of([&] { resolve_text(text, shape); }).find("cope reads queries and keys of the head's own width"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(error_of([&] { resolve_text("cope[layers=0]+mla[layers=1]", shape); }), "no error");
}

TEST(Cope, TheCardSaysWhatCannotBeDrawn) {
  const EncodingCard alone = make_card(parse_encoding("cope"), bias_shape(4, 20, true), 0);
  EXPECT_NE(alone.left_out.find("are made of tokens"), std::string::npos) << alone.left_out;
  EXPECT_TRUE(alone.kernels.empty());
  EXPECT_NE(card_text(alone).find("N positions by gates"), std::string::npos) << card_text(alone);
  EXPECT_NE(card_text(alone).find("512"), std::string::npos) << "the limit";
  const EncodingCard beside = make_card(parse_encoding("cope+alibi"), bias_shape(4, 20, true), 0);
  EXPECT_EQ(beside.left_out, "");
  EXPECT_FALSE(beside.kernels.empty());
}

}  // namespace cope_test
}  // namespace phasor
