#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "task/samples.h"

namespace phasor {
namespace indirect_test {

using testing_support::draw;

TEST(IndirectTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("indirect")->shape();
  EXPECT_EQ(quick.vocabulary, 64 + 1 + 8);
  EXPECT_EQ(quick.classes, 64);
  EXPECT_EQ(quick.max_length, 26);
  EXPECT_EQ(quick.readout, Readout::token);
}

TEST(IndirectTask, StepsLeftFromTheMarker) {
  const auto task = testing_support::make("indirect", {"vocabulary=10", "length=4", "reach=2"});
  EXPECT_EQ(task->solve({7, 3, 10, 9, 1, 11}), std::vector<int32_t>{3});
  EXPECT_EQ(task->solve({7, 3, 10, 9, 1, 12}), std::vector<int32_t>{7});
  EXPECT_EQ(task->solve({7, 3, 9, 1, 10, 12}), std::vector<int32_t>{9});
}

// The step says nothing about where the marker stands, nor the other way round.
TEST(IndirectTask, StepsAndMarkersAreIndependentAndWordsDifferent) {
  const auto task = testing_support::make("indirect", {"vocabulary=9", "length=7", "reach=3"});
  std::vector<int64_t> cells(15), words(9);
  for (int64_t number = 0; number < 30000; ++number) {
    const Sample sample = draw(*task, 0, number);
    ASSERT_EQ(sample.tokens.size(), 9u);
    EXPECT_EQ(sample.place, -1);
    ASSERT_EQ(std::set<int32_t>(sample.tokens.begin(), sample.tokens.end() - 1).size(), 8u);
    const auto marker = std::find(sample.tokens.begin(), sample.tokens.end(), 9) - sample.tokens.begin();
    const int32_t step = sample.tokens.back() - 9;
    ASSERT_TRUE(marker >= 3 && marker <= 7) << marker;
    ASSERT_TRUE(step >= 1 && step <= 3) << step;
    ++cells[static_cast<size_t>((marker - 3) * 3 + step - 1)];
    ++words[static_cast<size_t>(sample.targets[0])];
  }
  EXPECT_TRUE(testing_support::uniform(cells));
  EXPECT_TRUE(testing_support::uniform(words));
}

TEST(IndirectTask, OptionsThatDoNotFitSayWhatWould) {
  EXPECT_EQ(testing_support::refusal("indirect", {"length=65"}),
            "task.length: 65 different words cannot come from 64; at most 64, or task.vocabulary at least 65");
  EXPECT_EQ(testing_support::refusal("indirect", {"reach=25"}),
            "task.reach: 25 places left of the marker need as many words; at most 24, or task.length at least 25");
  EXPECT_EQ(testing_support::refusal("indirect", {"reach=24"}), "accepted");
  const auto task = testing_support::make("indirect", {"vocabulary=10", "length=4", "reach=2"});
  EXPECT_THROW(task->solve({}), Error);
  EXPECT_THROW(task->solve({7, 3, 9, 1, 11}), Error) << "no marker";
  EXPECT_THROW(task->solve({7, 10, 3, 9, 12}), Error) << "a step too far";
}

}  // namespace indirect_test
}  // namespace phasor
