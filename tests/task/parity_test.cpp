#include <gtest/gtest.h>

#include "phasor/task/floors.h"
#include "task/samples.h"

namespace phasor {
namespace parity_test {

using testing_support::draw;

TEST(ParityTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("parity")->shape();
  EXPECT_EQ(quick.vocabulary, 3);
  EXPECT_EQ(quick.classes, 2);
  EXPECT_EQ(quick.max_length, 17);
  EXPECT_EQ(quick.readout, Readout::token);
  EXPECT_FALSE(quick.causal);
  EXPECT_EQ(testing_support::make("parity", {"paper"})->shape().max_length, 41);
}

// The first two are the examples of the released code of Ruoss et al.
TEST(ParityTask, OddNumbersOfOnesAreClassOne) {
  const auto task = testing_support::make("parity");
  EXPECT_EQ(task->solve({1, 0, 1, 0, 1, 0, 0, 2}), std::vector<int32_t>{1});
  EXPECT_EQ(task->solve({0, 1, 1, 1, 1, 2}), std::vector<int32_t>{0});
  EXPECT_EQ(task->solve({0, 2}), std::vector<int32_t>{0});
  EXPECT_THROW(task->solve({}), Error);
  EXPECT_THROW(task->solve({1, 0}), Error) << "nothing asks";
}

TEST(ParityTask, LengthsBitsAndAnswersAreEquallyLikely) {
  const auto task = testing_support::make("parity", {"length=7"});
  std::vector<int64_t> lengths(7), bits(2), answers(2);
  for (int64_t number = 0; number < 20000; ++number) {
    const Sample sample = draw(*task, 0, number);
    ASSERT_EQ(sample.place, -1);
    ASSERT_EQ(sample.tokens.back(), 2);
    ++lengths.at(sample.tokens.size() - 2);
    for (size_t place = 0; place + 1 < sample.tokens.size(); ++place)
      ++bits.at(static_cast<size_t>(sample.tokens[place]));
    ++answers.at(static_cast<size_t>(sample.targets[0]));
  }
  EXPECT_TRUE(testing_support::uniform(lengths));
  EXPECT_TRUE(testing_support::uniform(bits));
  EXPECT_TRUE(testing_support::uniform(answers));
}

TEST(ParityTask, TheLengthGivesNothingAway) {
  const TaskFloors floors = measure_floors(*testing_support::make("parity"), 40000);
  EXPECT_NEAR(floors.constant, 0.5, 5.0 * floors.error);
  EXPECT_NEAR(floors.length, 0.5, 5.0 * floors.error);
  EXPECT_EQ(floors.ceiling, 1.0);
}

}  // namespace parity_test
}  // namespace phasor
