#include <gtest/gtest.h>

#include "encoding/input_terms.h"

namespace phasor {
namespace concat_test {

using testing_support::bias_traits;
using testing_support::input_at;
using testing_support::input_shape;
using testing_support::mistake;
using testing_support::resolve_text;
using testing_support::start_of;

// The last channels are those of a model of that width; the tokens have the others to themselves.
void expect_concatenated(const std::string& text, int64_t width) {
  const ResolvedEncoding whole = start_of("concat(" + text + ",width=" + std::to_string(width) + ")", input_shape());
  const ResolvedEncoding narrow = start_of(text, input_shape(width));
  const int64_t tokens = input_shape().width - width;
  EXPECT_EQ(whole.embedding_width, tokens) << text;
  for (int64_t length = 1; length <= input_shape().positions; ++length) {
    for (int64_t p = 0; p < length; ++p) {
      for (int64_t c = 0; c < tokens; ++c) ASSERT_EQ(input_at(whole, p, c, length), 0.0) << text;
      for (int64_t c = 0; c < width; ++c) {
        ASSERT_EQ(input_at(whole, p, tokens + c, length), input_at(narrow, p, c, length)) << text << p << ", " << c;
      }
    }
  }
}

TEST(Concat, GivesPositionsTheLastChannels) {
  expect_concatenated("sinusoidal", 6);
  expect_concatenated("sinusoidal(scale=learned(0.5))", 6);
  expect_concatenated("integer(normalised)", 1);
  expect_concatenated("binary", 4);
  expect_concatenated("input(\"a*cos(i*c)+C\",a=learned(2))", 5);
  expect_concatenated("input(\"a*i/n+c\",a=learned(2))", 5);
  expect_concatenated("learned(init=1)", 15);
  expect_concatenated("learned(init=1)+integer(normalised)", 3);
}

TEST(Concat, HasATensorOfItsWidth) {
  const ResolvedEncoding encoding = resolve_text("concat(learned,width=3)", input_shape());
  ASSERT_EQ(encoding.parameters.size(), 1u);
  EXPECT_EQ(encoding.parameters[0].shape, (std::vector<int64_t>{input_shape().positions, 3}));
}

TEST(Concat, EachTakesTheLastChannelsThatAreLeft) {
  const ResolvedEncoding encoding = start_of("concat(integer,width=2)+concat(binary,width=4)", input_shape());
  EXPECT_EQ(encoding.expression, "concat(binary,width=4)+concat(integer,width=2)");
  EXPECT_EQ(encoding.embedding_width, 10);
  EXPECT_EQ(input_at(encoding, 6, 9), 0.0);
  EXPECT_EQ(input_at(encoding, 6, 10), 6.0);
  EXPECT_EQ(input_at(encoding, 6, 11), 6.0);
  EXPECT_EQ(input_at(encoding, 6, 12), 0.0);  // 6 is 0110, the lowest bit first
  EXPECT_EQ(input_at(encoding, 6, 13), 1.0);
  EXPECT_EQ(input_at(encoding, 6, 14), 1.0);
  EXPECT_EQ(input_at(encoding, 6, 15), 0.0);
}

// What is added is added to all channels, also to those of concat.
TEST(Concat, StandsBesideTermsThatAreAdded) {
  const ResolvedEncoding encoding = start_of("concat(binary,width=4)+integer", input_shape());
  EXPECT_EQ(input_at(encoding, 6, 0), 6.0);
  EXPECT_EQ(input_at(encoding, 6, 13), 7.0);
}

TEST(Concat, ReadsDrawnPositionsOnEitherSide) {
  for (const std::string text :
       {"concat(randomized(integer,max=30),width=2)", "randomized(concat(integer,width=2),max=30)"}) {
    const ResolvedEncoding encoding = start_of(text, input_shape());
    ASSERT_EQ(encoding.axes[static_cast<size_t>(encoding.input->axis)].kind, PositionAxis::Kind::randomized) << text;
    EXPECT_EQ(input_at(encoding, 29, 15), 29.0) << text;
    EXPECT_EQ(input_at(encoding, 29, 13), 0.0) << text;
  }
}

// Channels that nobody fills are still taken from the tokens.
TEST(Concat, OfNothingIsSomething) {
  EXPECT_EQ(print(parse_encoding("concat(nope,width=4)")), "concat(nope,width=4)");
  EXPECT_EQ(resolve_text("concat(nope,width=4)", input_shape()).embedding_width, 12);
  EXPECT_FALSE(bias_traits("concat(nope,width=4)").neutral);
}

TEST(Concat, SaysWhatIsWrong) {
  const EncodingShape shape = input_shape();
  EXPECT_EQ(mistake("concat(sinusoidal,width=16)", shape), "column 1: width 16 leaves no channel of 16 to the tokens");
  EXPECT_EQ(mistake("concat(learned,width=10)+concat(learned,width=6)", shape),
            "column 26: width 6 leaves no channel of 6 to the tokens");
  EXPECT_EQ(mistake("concat(sinusoidal,width=3)", shape),
            "column 8: sinusoidal pairs sines with cosines, so the width must be even, not 3");
  EXPECT_EQ(mistake("concat(alibi,width=4)", shape),
            "column 8: concat takes terms that are added to the embeddings, and no bias");
  EXPECT_EQ(mistake("concat(t5,width=4)", shape),
            "column 8: concat takes terms that are added to the embeddings, and no bias");
  EXPECT_EQ(mistake("concat(sinusoidal+rope,width=4)", shape),
            "column 19: concat takes terms that are added to the embeddings, and no rotation");
  EXPECT_EQ(mistake("concat(mla,width=4)", shape),
            "column 8: concat takes terms that are added to the embeddings, and no decoupled path");
  EXPECT_EQ(mistake("concat(learned,width=4)[heads=0]", shape),
            "column 25: concat is added to the embeddings, before the first layer, so it cannot be assigned to heads");
  EXPECT_EQ(mistake("concat(concat(learned,width=2),width=4)", shape), "column 8: concat cannot stand within concat");
}

}  // namespace concat_test
}  // namespace phasor
