#include <gtest/gtest.h>

#include "encoding/input_terms.h"
#include "encoding/rotation_probe.h"

namespace phasor {
namespace randomized_test {

using testing_support::bias_at;
using testing_support::bias_shape;
using testing_support::input_shape;
using testing_support::mistake;
using testing_support::resolve_text;
using testing_support::rotation_shape;
using testing_support::start_of;
using testing_support::traits_of;

const PositionAxis& axis_of(const ResolvedEncoding& encoding, int64_t axis) {
  return encoding.axes[static_cast<size_t>(axis)];
}

// Inside there are `max` positions, and everything is as it would be in a model of that length.
TEST(Randomized, TheInnerEncodingHasTheWiderRange) {
  const EncodingShape shape = rotation_shape(8, 6);
  const EncodingShape wide = rotation_shape(8, 40);
  const ResolvedEncoding drawn = start_of("randomized(rope+alibi+sinusoidal,max=40)", shape);
  const ResolvedEncoding plain = start_of("rope+alibi+sinusoidal", wide);
  ASSERT_EQ(drawn.axes.size(), 1u);
  EXPECT_EQ(drawn.axes[0], (PositionAxis{.kind = PositionAxis::Kind::randomized, .extent = 40}));
  EXPECT_EQ(drawn.input->fixed, plain.input->fixed);
  EXPECT_EQ(drawn.layers[1].bias->fixed, plain.layers[1].bias->fixed);
  EXPECT_EQ(drawn.layers[1].rotation[2]->query, plain.layers[1].rotation[2]->query);
  EXPECT_EQ(drawn.layers[1].rotation[2]->positions, 40);
  EXPECT_EQ(drawn.shape.positions, 6);
}

TEST(Randomized, TensorsHaveTheWiderRange) {
  const ResolvedEncoding encoding = resolve_text("randomized(learned+relative,max=30)", input_shape());
  EXPECT_EQ(encoding.parameters[0].shape, (std::vector<int64_t>{30, 16}));
  EXPECT_EQ(encoding.parameters[1].shape, (std::vector<int64_t>{2, 59}));
}

TEST(Randomized, StandsBesideTermsThatReadTheIndex) {
  const ResolvedEncoding encoding = resolve_text("randomized(rope,max=40)+alibi+sinusoidal", rotation_shape(8, 6));
  ASSERT_EQ(encoding.axes.size(), 2u);
  EXPECT_EQ(axis_of(encoding, encoding.input->axis).kind, PositionAxis::Kind::index);
  EXPECT_EQ(axis_of(encoding, encoding.layers[0].bias->axis).kind, PositionAxis::Kind::index);
  EXPECT_EQ(axis_of(encoding, encoding.layers[0].rotation[0]->axes[0]).kind, PositionAxis::Kind::randomized);
  EXPECT_EQ(encoding.layers[0].bias->reach, 5);
}

TEST(Randomized, GoesToTheHeadsAndLayersThatBothHave) {
  const EncodingShape shape = rotation_shape(8, 6);
  const ResolvedEncoding encoding = resolve_text("randomized(rope[heads=0])[layers=1]+rope[heads=1]", shape);
  EXPECT_EQ(encoding.layers[0].rotation[0], nullptr);
  ASSERT_NE(encoding.layers[1].rotation[0], nullptr);
  const Rotation& drawn = *encoding.layers[1].rotation[0];
  const Rotation& index = *encoding.layers[1].rotation[1];
  EXPECT_EQ(axis_of(encoding, drawn.axes[0]).kind, PositionAxis::Kind::randomized);
  EXPECT_EQ(axis_of(encoding, drawn.axes[0]).extent, 2048);
  EXPECT_EQ(axis_of(encoding, index.axes[0]).kind, PositionAxis::Kind::index);
  EXPECT_EQ(drawn.name, "rope[heads=0]");
}

// A sequence of three tokens may lie anywhere in the range, also where the range is no wider than the model.
TEST(Randomized, BiasesByLengthCoverEveryDrawnDistance) {
  for (const int64_t max : {20, 33}) {
    const ResolvedEncoding encoding =
        start_of("randomized(bias(\"d/n+100*i\"),max=" + std::to_string(max) + ")", bias_shape(4, 20));
    const BiasTerm& bias = *encoding.layers[0].bias;
    ASSERT_EQ(bias.rows, max);
    for (const int64_t i : {int64_t{0}, int64_t{7}, max - 1}) {
      for (int64_t j = 0; j < max; ++j) {
        const int64_t row = (2 * encoding.shape.heads + 1) * max + i;  // of length 3, head 1
        const double expected = static_cast<double>(j - i) / 3.0 + 100.0 * static_cast<double>(i);
        ASSERT_EQ(bias.fixed(row, bias.reach + j - i), expected) << "query " << i << ", key " << j << " of " << max;
      }
    }
  }
}

TEST(Randomized, OfNothingIsNothing) { EXPECT_EQ(print(parse_encoding("randomized(nope,max=99)+rope")), "rope"); }

TEST(Randomized, SaysWhatItsInnerEncodingIs) {
  EXPECT_TRUE(traits_of("randomized(rope)").exactly_relative);
  EXPECT_FALSE(traits_of("randomized(rope+learned)").exactly_relative);
  EXPECT_TRUE(traits_of("randomized(rope+learned)").learnable);
  EXPECT_TRUE(traits_of("randomized(learned)").extrapolates);
}

TEST(Randomized, SaysWhatIsWrong) {
  const EncodingShape shape = rotation_shape(8, 6, {3, 4});
  EXPECT_EQ(mistake("randomized(rope,max=5)", shape), "column 1: max must be at least the longest sequence, 6, not 5");
  EXPECT_EQ(mistake("randomized(rope(axes=2))", shape), "column 12: coordinates cannot be randomized");
  EXPECT_EQ(mistake("randomized(randomized(rope))", shape), "column 12: randomized cannot stand within randomized");
  EXPECT_EQ(mistake("randomized(concat(randomized(integer)))", shape),
            "column 19: randomized cannot stand within randomized");
  EXPECT_EQ(mistake("randomized", shape), "column 1: randomized needs encoding: the encoding that reads the positions");
  EXPECT_EQ(mistake("randomized(0.5)", shape), "column 12: randomized: encoding must be an encoding, not 0.5");
}

// Wrappers within themselves once took time that doubled with every parenthesis.
TEST(Randomized, DeepNestsAreRefusedAtOnce) {
  std::string text = "rope";
  for (int depth = 0; depth < 8; ++depth) text = "randomized(concat(" + text + "))";
  EXPECT_EQ(mistake(text, rotation_shape(8, 6)), "column 19: randomized cannot stand within randomized");
}

}  // namespace randomized_test
}  // namespace phasor
