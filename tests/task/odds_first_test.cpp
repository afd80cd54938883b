#include <gtest/gtest.h>

#include "task/samples.h"

namespace phasor {
namespace odds_first_test {

using testing_support::draw;

TEST(OddsFirstTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("odds_first")->shape();
  EXPECT_EQ(quick.vocabulary, 3);
  EXPECT_EQ(quick.classes, 2);
  EXPECT_EQ(quick.max_length, 32);
  EXPECT_EQ(quick.readout, Readout::every);
  EXPECT_FALSE(quick.causal);
  EXPECT_EQ(testing_support::make("odds_first", {"paper"})->shape().max_length, 80);
}

// Examples of the released code of Ruoss et al.: 00110101 -> 0100 0111 and 110 -> 10 1.
TEST(OddsFirstTask, OddPlacesComeFirst) {
  const auto task = testing_support::make("odds_first");
  EXPECT_EQ(task->solve({0, 0, 1, 1, 0, 1, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, -1, -1, 0, 1, 0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(task->solve({1, 1, 0, 2, 2, 2}), (std::vector<int32_t>{-1, -1, -1, 1, 0, 1}));
  const auto letters = testing_support::make("odds_first", {"symbols=9"});
  EXPECT_EQ(letters->solve({5, 6, 7, 8, 9, 9, 9, 9}), (std::vector<int32_t>{-1, -1, -1, -1, 5, 7, 6, 8}));
  EXPECT_THROW(task->solve({1, 1, 0, 2, 2}), Error);
}

TEST(OddsFirstTask, LengthsAndSymbolsAreEquallyLikely) {
  const auto task = testing_support::make("odds_first", {"length=6", "symbols=4"});
  std::vector<int64_t> lengths(6), symbols(4);
  for (int64_t number = 0; number < 20000; ++number) {
    const Sample sample = draw(*task, 0, number);
    const size_t length = sample.tokens.size() / 2;
    ++lengths.at(length - 1);
    for (size_t place = 0; place < length; ++place) {
      ASSERT_EQ(sample.targets[place], kNotScored);
      ASSERT_EQ(sample.tokens[length + place], 4);
      ++symbols.at(static_cast<size_t>(sample.tokens[place]));
    }
  }
  EXPECT_TRUE(testing_support::uniform(lengths));
  EXPECT_TRUE(testing_support::uniform(symbols));
}

}  // namespace odds_first_test
}  // namespace phasor
