#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "task/samples.h"

namespace phasor {
namespace joint_test {

using testing_support::draw;

TEST(JointTask, ShapeHoldsBothTasks) {
  const TaskShape quick = testing_support::make("joint")->shape();
  EXPECT_EQ(quick.vocabulary, 64 + 2);
  EXPECT_EQ(quick.classes, 24);
  EXPECT_EQ(quick.max_length, 1 + 42);
  EXPECT_EQ(quick.readout, Readout::mean);
  const TaskShape paper = testing_support::make("joint", {"paper"})->shape();
  EXPECT_EQ(paper.classes, 101);
  EXPECT_EQ(paper.max_length, 1 + 122);
}

TEST(JointTask, TheFirstTokenNamesTheTask) {
  const auto task = testing_support::make("joint", {"vocabulary=20", "gap=8"});
  const std::vector<int32_t> tail = {5, 0, 9, 8, 7, 1, 2};
  std::vector<int32_t> distance = {20}, counting = {21};
  distance.insert(distance.end(), tail.begin(), tail.end());
  counting.insert(counting.end(), tail.begin(), tail.end());
  EXPECT_EQ(task->solve(distance), std::vector<int32_t>{2}) << "three between 0 and 1";
  EXPECT_EQ(task->solve(counting), std::vector<int32_t>{5}) << "words below 8";
  EXPECT_THROW(task->solve(tail), Error);
  EXPECT_THROW(task->solve({}), Error);
}

// Half of the samples are those of distance, half those of counting, each as the task by itself would make them.
TEST(JointTask, SamplesAreThoseOfTheTwoTasks) {
  const auto task = testing_support::make("joint"), distance = testing_support::make("distance"),
             counting = testing_support::make("counting");
  std::vector<int64_t> halves(2), gaps(24), counts(21);
  for (int64_t number = 0; number < 20000; ++number) {
    const Sample sample = draw(*task, 0, number);
    const bool counts_triggers = sample.tokens[0] == 65;
    ++halves[counts_triggers ? 1 : 0];
    ++(counts_triggers ? counts : gaps).at(static_cast<size_t>(sample.targets[0]));
    Sample alone =
        (counts_triggers ? counting : distance)
            ->sample({.seed = 0, .purpose = Purpose::data, .site = 1, .step = static_cast<uint32_t>(number)});
    alone.tokens.insert(alone.tokens.begin(), sample.tokens[0]);
    ASSERT_EQ(sample.tokens, alone.tokens);
    ASSERT_EQ(sample.targets, alone.targets);
  }
  EXPECT_TRUE(testing_support::uniform(halves));
  EXPECT_TRUE(testing_support::uniform(gaps));
  EXPECT_TRUE(testing_support::uniform(counts));
}

TEST(JointTask, OptionsThatDoNotFitSayWhatWould) {
  EXPECT_EQ(testing_support::refusal("joint", {"vocabulary=20"}),
            "task.gap: 24 different fillers cannot come from 18 filler words; at most 18, or task.vocabulary at least "
            "26");
  EXPECT_EQ(testing_support::refusal("joint", {"most=25"}),
            "task.most: 25 triggers do not fit into 24 tokens; at most 24, or task.length at least 25");
}

}  // namespace joint_test
}  // namespace phasor
