#include <gtest/gtest.h>

#include <algorithm>

#include "phasor/task/floors.h"
#include "task/samples.h"

namespace phasor {
namespace missing_test {

using testing_support::draw;

TEST(MissingTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("missing")->shape();
  EXPECT_EQ(quick.vocabulary, 4);
  EXPECT_EQ(quick.classes, 2);
  EXPECT_EQ(quick.max_length, 33);
  EXPECT_EQ(quick.readout, Readout::token);
  EXPECT_FALSE(quick.causal);
  EXPECT_EQ(testing_support::make("missing", {"paper"})->shape().max_length, 41);
  EXPECT_EQ(testing_support::make("missing", {"symbols=9"})->shape().classes, 9);
}

// The first is an example of the released code of Ruoss et al.: 01100210 -> 1.
TEST(MissingTask, TheOtherCopyHasTheSymbol) {
  const auto task = testing_support::make("missing");
  EXPECT_EQ(task->solve({0, 1, 1, 0, 0, 2, 1, 0, 3}), std::vector<int32_t>{1});
  EXPECT_EQ(task->solve({1, 0, 1, 1, 2, 1, 3}), std::vector<int32_t>{0});
  EXPECT_EQ(task->solve({2, 1, 3}), std::vector<int32_t>{1});
  EXPECT_THROW(task->solve({0, 1, 0, 1, 3}), Error) << "no gap";
  EXPECT_THROW(task->solve({0, 1, 1, 1, 3}), Error) << "no duplicate";
  EXPECT_THROW(task->solve({2, 2, 1, 1, 3}), Error) << "two gaps";
}

TEST(MissingTask, LengthsGapsAndSymbolsAreEquallyLikely) {
  const auto task = testing_support::make("missing", {"length=3", "symbols=4"});
  std::vector<int64_t> lengths(3), symbols(4);
  std::vector<std::vector<int64_t>> gaps = {std::vector<int64_t>(2), std::vector<int64_t>(4), std::vector<int64_t>(6)};
  for (int64_t number = 0; number < 20000; ++number) {
    const Sample sample = draw(*task, 0, number);
    ASSERT_EQ(sample.place, -1);
    ASSERT_EQ(sample.tokens.back(), 5);
    const size_t length = sample.tokens.size() / 2;
    ++lengths.at(length - 1);
    ++gaps[length - 1].at(
        static_cast<size_t>(std::find(sample.tokens.begin(), sample.tokens.end(), 4) - sample.tokens.begin()));
    ++symbols.at(static_cast<size_t>(sample.targets[0]));
  }
  EXPECT_TRUE(testing_support::uniform(lengths));
  EXPECT_TRUE(testing_support::uniform(symbols));
  for (const std::vector<int64_t>& places : gaps) EXPECT_TRUE(testing_support::uniform(places));
}

// What the notes say: the tokens as a bag tell which symbol occurs an odd number of times.
TEST(MissingTask, ABagOfTokensHasTheAnswer) {
  const auto task = testing_support::make("missing", {"symbols=3"});
  for (int64_t number = 0; number < 500; ++number) {
    const Sample sample = draw(*task, 0, number);
    for (int32_t symbol = 0; symbol < 3; ++symbol) {
      const auto count = std::count(sample.tokens.begin(), sample.tokens.end(), symbol);
      ASSERT_EQ(count % 2 == 1, symbol == sample.targets[0]);
    }
  }
}

TEST(MissingTask, TheLengthGivesNothingAway) {
  const TaskFloors floors = measure_floors(*testing_support::make("missing"), 40000);
  EXPECT_NEAR(floors.constant, 0.5, 5.0 * floors.error);
  EXPECT_NEAR(floors.length, 0.5, 5.0 * floors.error);
}

}  // namespace missing_test
}  // namespace phasor
