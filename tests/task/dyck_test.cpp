#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "phasor/task/floors.h"
#include "task/samples.h"

namespace phasor {
namespace dyck_test {

using testing_support::draw;

TEST(DyckTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("dyck")->shape();
  EXPECT_EQ(quick.vocabulary, 8);
  EXPECT_EQ(quick.classes, 4);
  EXPECT_EQ(quick.max_length, 32);
  EXPECT_EQ(quick.readout, Readout::every);
  EXPECT_TRUE(quick.causal);
  const TaskShape paper = testing_support::make("dyck", {"paper"})->shape();
  EXPECT_EQ(paper.classes, 8);
  EXPECT_EQ(paper.max_length, 128);
}

// ( [ ] ) is 0 1 3 2.
TEST(DyckTask, BracketsCloseTheirPartners) {
  const auto task = testing_support::make("dyck", {"types=2"});
  EXPECT_EQ(task->solve({0, 1, 3, 2}), (std::vector<int32_t>{-1, 1, 0, -1}));
  EXPECT_EQ(task->solve({1, 0, 2, 0, 2, 3}), (std::vector<int32_t>{-1, 0, -1, 0, 1, -1}));
  EXPECT_EQ(task->solve({0, 1, 2, 2}), (std::vector<int32_t>{-1, 1, 0, -1})) << "the answer is not looked at";
  EXPECT_EQ(task->simple_rule({0, 1, 3, 2}), (std::vector<int32_t>{-1, 1, 1, -1}));
  EXPECT_THROW(task->solve({0, 2, 2}), Error) << "nothing is open";
}

TEST(DyckTask, BracketsOpenAndCloseWithEqualChances) {
  const auto task = testing_support::make("dyck", {"pairs=9", "types=3", "depth=3"});
  std::vector<int64_t> pairs(9), types(3), choices(2);
  int64_t deepest = 0;
  for (int64_t number = 0; number < 20000; ++number) {
    const Sample sample = draw(*task, 0, number);
    const auto length = static_cast<int64_t>(sample.tokens.size());
    ASSERT_EQ(length % 2, 0);
    ++pairs.at(static_cast<size_t>(length / 2 - 1));
    int64_t height = 0;
    for (int64_t place = 0; place < length; ++place) {
      const int32_t token = sample.tokens[static_cast<size_t>(place)];
      if (height > 0 && height < 3 && height < length - place) ++choices[token < 3 ? 0 : 1];
      if (token < 3) ++types[static_cast<size_t>(token)];
      height += token < 3 ? 1 : -1;
      deepest = std::max(deepest, height);
      ASSERT_TRUE(height >= 0 && height <= 3);
    }
    ASSERT_EQ(height, 0);
  }
  EXPECT_EQ(deepest, 3);
  EXPECT_TRUE(testing_support::uniform(pairs));
  EXPECT_TRUE(testing_support::uniform(types));
  EXPECT_TRUE(testing_support::uniform(choices));
}

// Two pairs: half of the words have one, which is asked for once, the others two. Side by side, both are innermost;
// nested, the outer one is not, and its type is that of the inner one in one of four.
TEST(DyckTask, TheSimpleRuleIsRightForInnermostPairs) {
  const TaskFloors floors = measure_floors(*testing_support::make("dyck", {"pairs=2"}), 40000);
  const double rule = (0.5 + 0.25 * 2.0 + 0.25 * 1.25) / 1.5;
  EXPECT_NEAR(floors.rule, rule, 5.0 * std::sqrt(0.25 / 20000.0));
  EXPECT_NEAR(floors.constant, 0.25, 5.0 * floors.error);
  EXPECT_EQ(floors.ceiling, 1.0);
}

TEST(DyckTask, OnePairAtATimeNeedsNoStack) {
  const auto task = testing_support::make("dyck", {"depth=1"});
  for (int64_t number = 0; number < 200; ++number) {
    const Sample sample = draw(*task, 0, number);
    ASSERT_EQ(task->simple_rule(sample.tokens), sample.targets);
  }
}

}  // namespace dyck_test
}  // namespace phasor
