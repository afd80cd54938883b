#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "task/samples.h"

namespace phasor {
namespace counting_test {

using testing_support::draw;

TEST(CountingTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("counting")->shape();
  EXPECT_EQ(quick.vocabulary, 64);
  EXPECT_EQ(quick.classes, 21);
  EXPECT_EQ(quick.max_length, 24);
  EXPECT_EQ(quick.readout, Readout::mean);
  const TaskShape paper = testing_support::make("counting", {"paper"})->shape();
  EXPECT_EQ(paper.vocabulary, 574);
  EXPECT_EQ(paper.classes, 101);
  EXPECT_EQ(paper.max_length, 120);
}

TEST(CountingTask, CountsTriggersWhereverTheyStand) {
  const auto task = testing_support::make("counting", {"triggers=2", "length=5", "most=5"});
  EXPECT_EQ(task->solve({9, 0, 5, 1, 0}), std::vector<int32_t>{3});
  EXPECT_EQ(task->solve({0, 0, 1, 5, 9}), std::vector<int32_t>{3});
  EXPECT_EQ(task->solve({2, 2, 2, 2, 2}), std::vector<int32_t>{0});
}

// Every count, every place of the triggers and every word of either kind is as likely.
TEST(CountingTask, NothingButTheCountIsTold) {
  constexpr int64_t kSamples = 40000;
  const auto task = testing_support::make("counting", {"vocabulary=12", "triggers=4", "length=10", "most=6"});
  std::vector<int64_t> counts(7), places(10), triggers(4), others(8);
  std::vector<int64_t> pairs(45);  // of places, when there are two triggers
  for (int64_t number = 0; number < kSamples; ++number) {
    const Sample sample = draw(*task, 0, number);
    ASSERT_EQ(sample.tokens.size(), 10u);
    ++counts[static_cast<size_t>(sample.targets[0])];
    std::vector<size_t> found;
    for (size_t t = 0; t < 10; ++t) {
      const auto token = static_cast<size_t>(sample.tokens[t]);
      if (token < 4) found.push_back(t);
      ++(token < 4 ? triggers[token] : others[token - 4]);
    }
    for (const size_t t : found) ++places[t];
    if (found.size() == 2) ++pairs[found[1] * (found[1] - 1) / 2 + found[0]];
  }
  EXPECT_TRUE(testing_support::uniform(counts));
  EXPECT_TRUE(testing_support::uniform(triggers));
  EXPECT_TRUE(testing_support::uniform(others));
  EXPECT_TRUE(testing_support::uniform(pairs));
  // Places within a sample exclude each other, which evens them out: the bound is generous.
  EXPECT_TRUE(testing_support::uniform(places));
}

TEST(CountingTask, OptionsThatDoNotFitSayWhatWould) {
  EXPECT_EQ(testing_support::refusal("counting", {"vocabulary=8"}),
            "task.triggers: 8 trigger words leave no other word in a vocabulary of 8; at most 7, or task.vocabulary at "
            "least 9");
  EXPECT_EQ(testing_support::refusal("counting", {"most=25"}),
            "task.most: 25 triggers do not fit into 24 tokens; at most 24, or task.length at least 25");
  EXPECT_EQ(testing_support::refusal("counting", {"most=24", "vocabulary=9"}), "accepted");
  EXPECT_THROW(testing_support::make("counting", {"most=2"})->solve({0, 0, 0}), Error);
}

}  // namespace counting_test
}  // namespace phasor
