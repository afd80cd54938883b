#include "phasor/encoding/resolve/places.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/syntax/parser.h"

namespace phasor {
namespace places_test {

const EncodingShape kShape{.layers = 3, .heads = 4, .head_width = 8, .width = 32, .positions = 10, .causal = false};

ResolvedEncoding resolve_text(const std::string& text) { return resolve(parse_encoding(text), kShape); }

std::string resolve_error(const std::string& text, const EncodingShape& shape = kShape) {
  try {
    resolve(parse_encoding(text), shape);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Layers as rows, heads as columns: r rotated, b biased.
std::string picture(const ResolvedEncoding& resolved) {
  std::string text;
  for (const LayerEncoding& layer : resolved.layers) {
    for (size_t head = 0; head < layer.rotation.size(); ++head) {
      const bool rotated = layer.rotation[head] != nullptr;
      const bool biased = layer.bias && layer.bias->fixed(static_cast<int64_t>(head), 0) != 0.0;
      text += rotated && biased ? '*' : rotated ? 'r' : biased ? 'b' : '.';
    }
    text += ' ';
  }
  return text;
}

TEST(Places, TermsGoToTheirHeadsAndLayers) {
  EXPECT_EQ(picture(resolve_text("nope")), ".... .... .... ");
  EXPECT_EQ(picture(resolve_text("rope")), "rrrr rrrr rrrr ");
  EXPECT_EQ(picture(resolve_text("rope[heads=0-1]")), "rr.. rr.. rr.. ");
  EXPECT_EQ(picture(resolve_text("rope[heads=0,3,layers=1]")), ".... r..r .... ");
  EXPECT_EQ(picture(resolve_text("rope[layers=0-1]+alibi[layers=2]")), "rrrr rrrr bbbb ");
  EXPECT_EQ(picture(resolve_text("rope[heads=0]+alibi[heads=1-2]")), "rbb. rbb. rbb. ");
  EXPECT_EQ(picture(resolve_text("rope+alibi[layers=1,heads=2]")), "rrrr rr*r rrrr ");
}

TEST(Places, NoneIsNothing) {
  for (const std::string text : {"nope", "rope[heads=none]", "rope[layers=none]", "alibi[heads=none]"}) {
    const ResolvedEncoding resolved = resolve_text(text);
    EXPECT_FALSE(resolved.input) << text;
    EXPECT_TRUE(resolved.parameters.empty()) << text;
    EXPECT_EQ(resolved.embedding_width, kShape.width) << text;
    ASSERT_EQ(resolved.layers.size(), 3u);
    for (const LayerEncoding& layer : resolved.layers) {
      EXPECT_FALSE(layer.bias) << text;
      EXPECT_EQ(layer.scale, std::vector<double>(4, 1.0)) << text;
      for (const auto& rotation : layer.rotation) EXPECT_EQ(rotation, nullptr) << text;
    }
  }
}

TEST(Places, RotationsAreSharedAndNamed) {
  const ResolvedEncoding resolved = resolve_text("rope[heads=0-1] + rope(base=100)[heads=2]");
  EXPECT_EQ(resolved.expression, "rope[heads=0-1]+rope(base=100)[heads=2]");
  EXPECT_EQ(resolved.layers[0].rotation[0], resolved.layers[2].rotation[1]);
  EXPECT_NE(resolved.layers[0].rotation[0], resolved.layers[0].rotation[2]);
  EXPECT_EQ(resolved.layers[0].rotation[0]->name, "rope[heads=0-1]");
  EXPECT_EQ(resolved.layers[0].rotation[2]->name, "rope(base=100)[heads=2]");
}

TEST(Places, InputTermsAddUp) {
  const Table one = resolve_text("sinusoidal").input->fixed;
  const Table other = resolve_text("sinusoidal(base=50,layout=halves)").input->fixed;
  const Table sum = resolve_text("sinusoidal+sinusoidal(base=50,layout=halves)").input->fixed;
  for (size_t i = 0; i < sum.values.size(); ++i) ASSERT_EQ(sum.values[i], one.values[i] + other.values[i]);
}

TEST(Places, BiasesAddUp) {
  const Table one = resolve_text("alibi").layers[1].bias->fixed;
  const Table other = resolve_text("alibi(slopes=released)").layers[1].bias->fixed;
  const Table sum = resolve_text("alibi+alibi(slopes=released)[heads=2]").layers[1].bias->fixed;
  for (int64_t head = 0; head < sum.rows; ++head) {
    for (int64_t column = 0; column < sum.columns; ++column) {
      const double expected = one(head, column) + (head == 2 ? other(head, column) : 0.0);
      ASSERT_EQ(sum(head, column), expected) << head << ", " << column;
    }
  }
}

TEST(Places, ScalesMultiply) {
  const Encoding terms = parse_expression("a+b[heads=1,layers=2]");
  EncodingPlaces places(kShape, "a+b[heads=1,layers=2]");
  places.within(terms.terms[0], [&] { places.multiply_scale({1.0, 2.0, 3.0, 4.0}); });
  places.within(terms.terms[1], [&] { places.multiply_scale({10.0, 10.0, 10.0, 10.0}); });
  const ResolvedEncoding resolved = places.take();
  EXPECT_EQ(resolved.layers[0].scale, (std::vector<double>{1.0, 2.0, 3.0, 4.0}));
  EXPECT_EQ(resolved.layers[2].scale, (std::vector<double>{1.0, 20.0, 3.0, 4.0}));
}

// A term within a term goes where both go.
TEST(Places, NestedTermsGoToWhatBothHave) {
  EXPECT_EQ(picture(resolve_text("randomized(rope[heads=0])[layers=1]")), ".... r... .... ");
  EXPECT_EQ(picture(resolve_text("randomized(rope)[heads=1-2,layers=0]")), ".rr. .... .... ");
  EXPECT_EQ(picture(resolve_text("randomized(rope[heads=0-2]+alibi[layers=0-1])[heads=2-3,layers=1-2]")),
            ".... ..*b ..r. ");
  EXPECT_EQ(picture(resolve_text("randomized(rope[heads=0])[heads=1]")), ".... .... .... ");
  EXPECT_EQ(picture(resolve_text("randomized(alibi[layers=none])[heads=1]")), ".... .... .... ");
}

TEST(Places, LayersOfEqualBiasesShareOne) {
  const ResolvedEncoding resolved = resolve_text("alibi+t5[layers=0-1]");
  EXPECT_EQ(resolved.layers[0].bias, resolved.layers[1].bias);
  EXPECT_NE(resolved.layers[0].bias, resolved.layers[2].bias);
}

TEST(Places, InputTermsTakeNoAssignment) {
  EXPECT_EQ(resolve_error("rope+sinusoidal[heads=0]"),
            "encoding 'sinusoidal[heads=0]+rope': column 12: sinusoidal is added to the embeddings, before the first "
            "layer, so it cannot be assigned to heads");
  EXPECT_EQ(resolve_error("learned[layers=0]"),
            "encoding 'learned[layers=0]': column 9: learned is added to the embeddings, before the first layer, so it "
            "cannot be assigned to layers");
  EXPECT_EQ(resolve_error("randomized(integer)[heads=1]"),
            "encoding 'randomized(integer)[heads=1]': column 21: randomized is added to the embeddings, before "
            "the first layer, so it cannot be assigned to heads");
}

TEST(Places, IndicesMustExist) {
  EXPECT_EQ(resolve_error("rope[heads=2-4]"),
            "encoding 'rope[heads=2-4]': column 6: there is no head 4; the model has heads 0 to 3");
  EXPECT_EQ(resolve_error("rope[heads=3,layers=7]"),
            "encoding 'rope[heads=3,layers=7]': column 14: there is no layer 7; the model has layers 0 to 2");
  EXPECT_EQ(resolve_error("alibi+randomized(rope[heads=9])[layers=1]"),
            "encoding 'alibi+randomized(rope[heads=9])[layers=1]': column 23: there is no head 9; the model has "
            "heads 0 to 3");
}

TEST(Places, ShapesThatNoModelHasAreRefused) {
  EncodingShape shape = kShape;
  shape.positions = 0;
  EXPECT_EQ(resolve_error("rope", shape), "an encoding's shape needs at least 1 for positions, not 0");
  shape = kShape;
  shape.grid = {4, 0};
  EXPECT_EQ(resolve_error("rope", shape), "an encoding's shape needs at least 1 for a coordinate's extent, not 0");
}

}  // namespace places_test
}  // namespace phasor
