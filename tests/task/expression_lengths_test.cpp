#include "phasor/task/expression_lengths.h"

#include <gtest/gtest.h>

#include <cmath>

namespace phasor {
namespace expression_lengths_test {

// Three levels of two arguments: the shapes by hand.
TEST(ExpressionLengths, SmallLawsAreThoseByHand) {
  const ExpressionLengths lengths({.depth = 3, .arguments = 2}, 20);
  EXPECT_EQ(lengths.of_one(3, 1), 1.0);
  EXPECT_EQ(lengths.of_one(3, 4), 0.0);
  EXPECT_EQ(lengths.of_one(2, 1), 0.75);
  EXPECT_EQ(lengths.of_one(2, 4), 0.25);
  EXPECT_DOUBLE_EQ(lengths.of_one(1, 1), 0.75);
  EXPECT_DOUBLE_EQ(lengths.of_one(1, 4), 0.25 * 0.75 * 0.75) << "[ d d ]";
  EXPECT_DOUBLE_EQ(lengths.of_one(1, 7), 0.25 * 2.0 * 0.75 * 0.25) << "[ d [ d d ] ] or the other way round";
  EXPECT_DOUBLE_EQ(lengths.of_one(1, 10), 0.25 * 0.25 * 0.25) << "[ [ d d ] [ d d ] ]";
  for (const int32_t none : {0, 2, 3, 5, 6, 8, 9, 11, 20}) EXPECT_EQ(lengths.of_one(1, none), 0.0) << none;
  EXPECT_EQ(lengths.of_several(2, 2, 5), 2.0 * 0.75 * 0.25);
  EXPECT_EQ(lengths.of_several(2, 0, 0), 1.0);
  EXPECT_EQ(lengths.of_several(2, 0, 3), 0.0);
}

// All lengths together, and their mean: a list has two tokens and, on the average, half of the fewest and the most
// arguments.
TEST(ExpressionLengths, ChancesAddUpAndHaveTheRightMean) {
  const ExpressionLengths lengths({.depth = 4, .arguments = 5}, 2 + 5 * (2 + 5 * 7));
  double expected = 1.0;
  for (int level = 0; level < 3; ++level) expected = 0.75 + 0.25 * (2.0 + 3.5 * expected);
  double sum = 0.0, mean = 0.0;
  for (int32_t tokens = 1; tokens <= 187; ++tokens) {
    sum += lengths.of_one(1, tokens);
    mean += tokens * lengths.of_one(1, tokens);
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_NEAR(mean, expected, 1e-12 * expected * 187);
  EXPECT_GT(lengths.of_one(1, 187), 0.0) << "full lists of full lists";
}

// However rare a length is, it is either impossible or can be divided among the arguments.
TEST(ExpressionLengths, WhatIsPossibleCanBeDrawn) {
  const ExpressionLengths lengths({.depth = 20, .arguments = 2}, 4000);
  int32_t longest = 0;
  for (int32_t tokens = 4; tokens <= 4000; ++tokens) {
    if (lengths.of_one(1, tokens) == 0.0) continue;
    longest = tokens;
    double divided = 0.0;
    for (int32_t first = 1; first < tokens - 2; ++first) {
      divided += lengths.of_one(2, first) * lengths.of_one(2, tokens - 2 - first);
    }
    ASSERT_NEAR(0.25 * divided, lengths.of_one(1, tokens), 1e-9 * lengths.of_one(1, tokens)) << tokens;
    ASSERT_GT(lengths.of_one(1, tokens), 1e-151) << tokens;
  }
  EXPECT_GT(longest, 100);
  EXPECT_LT(longest, 4000) << "rarer than anything that will ever be drawn";
}

}  // namespace expression_lengths_test
}  // namespace phasor
