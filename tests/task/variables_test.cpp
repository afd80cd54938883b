#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "phasor/task/noise.h"
#include "task/samples.h"

namespace phasor {
namespace variables_test {

using testing_support::draw;

TEST(VariablesTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("variables")->shape();
  EXPECT_EQ(quick.vocabulary, 32 + 16 + 2 + kNoiseWords);
  EXPECT_EQ(quick.classes, 32);
  EXPECT_EQ(quick.max_length, 2 * 3 * 3 + 16 + 2 + 3);
  EXPECT_EQ(quick.readout, Readout::every);
  EXPECT_TRUE(quick.causal);
  EXPECT_EQ(testing_support::make("variables", {"paper"})->shape().max_length, 5 * 3 + 256 + 2 + 5);
}

// Words: variables 0 to 3, values 4 and 5, = 6, the question 7, noise from 8 on.
TEST(VariablesTask, ValuesArePassedOn) {
  const auto task = testing_support::make("variables", {"names=4", "values=2", "chains=2", "hops=1"});
  const std::vector<int32_t> given = {0, 6, 4, 8, 1, 6, 5, 2, 6, 0, 9, 3, 6, 1, 7};
  const auto solve = [&](std::vector<int32_t> asked) {
    asked.insert(asked.begin(), given.begin(), given.end());
    const std::vector<int32_t> targets = task->solve(asked);
    return std::vector<int32_t>(targets.begin() + static_cast<int64_t>(given.size()), targets.end());
  };
  EXPECT_EQ(solve({4, 0, 2}), (std::vector<int32_t>{0, 2, -1}));
  EXPECT_EQ(solve({5, 1, 3}), (std::vector<int32_t>{1, 3, -1}));
  EXPECT_EQ(solve({5, 0, 0}), (std::vector<int32_t>{1, 3, -1})) << "the answer is not looked at";
  EXPECT_THROW(solve({5, 1}), Error);
  EXPECT_THROW(solve({0, 0, 2}), Error) << "no value";
}

TEST(VariablesTask, AssignmentsStandAnywhereInTheirOrder) {
  const auto task = testing_support::make("variables", {"names=9", "values=5", "chains=1", "hops=1", "length=8"});
  const int32_t assign = 14, question = 15, noise = 16;
  std::vector<int64_t> slots(45), names(9), values(5);
  for (int64_t number = 0; number < 30000; ++number) {
    const Sample sample = draw(*task, 0, number);
    std::vector<int32_t> tokens = sample.tokens;
    ASSERT_EQ(tokens.size(), 3u * 2u + 8u + 4u);
    ASSERT_EQ(tokens[14], question);
    std::vector<size_t> found;
    int32_t said = 0;
    for (size_t place = 0; place < 14; ++place) {
      if (tokens[place] >= noise) {
        ASSERT_EQ(tokens[place], noise + said++);
      } else if (tokens[place] == assign) {
        found.push_back(static_cast<size_t>(said) + found.size());
      }
    }
    ASSERT_EQ(found.size(), 2u);
    ++slots.at(found[1] * (found[1] - 1) / 2 + found[0]);
    ASSERT_NE(tokens[16], tokens[17]);
    ++names.at(static_cast<size_t>(tokens[16]));
    ++values.at(static_cast<size_t>(tokens[15] - 9));
  }
  EXPECT_TRUE(testing_support::uniform(slots));
  EXPECT_TRUE(testing_support::uniform(names));
  EXPECT_TRUE(testing_support::uniform(values));
}

// Two chains of two: six orders of their assignments, each as likely.
TEST(VariablesTask, ChainsAreInterleavedEvenly) {
  const auto task = testing_support::make("variables", {"names=9", "values=5", "chains=2", "hops=1", "length=0"});
  std::map<std::vector<bool>, int64_t> orders;
  for (int64_t number = 0; number < 20000; ++number) {
    const std::vector<int32_t> tokens = draw(*task, 0, number).tokens;
    ASSERT_EQ(tokens.size(), 4u * 3u + 4u);
    const std::set<int32_t> asked(tokens.end() - 2, tokens.end());
    std::vector<bool> order;
    std::set<int32_t> names;
    for (size_t place = 0; place < 12; place += 3) {
      order.push_back(asked.count(tokens[place]) == 1);
      names.insert(tokens[place]);
    }
    ASSERT_EQ(names.size(), 4u);
    ++orders[order];
  }
  std::vector<int64_t> counts;
  for (const auto& [order, count] : orders) counts.push_back(count);
  ASSERT_EQ(counts.size(), 6u);
  EXPECT_TRUE(testing_support::uniform(counts));
}

TEST(VariablesTask, OptionsThatDoNotFitSayWhatWould) {
  EXPECT_EQ(
      testing_support::refusal("variables", {"hops=16"}),
      "task.names: 2 chains of 17 variables take as many different names as 34, and there are 32; at least 34, or "
      "smaller task.chains and task.hops");
  EXPECT_EQ(testing_support::refusal("variables", {"values=1"}),
            "task.values: 2 chains take as many different values, and there are 1; at least 2, or task.chains at most "
            "1");
  EXPECT_EQ(testing_support::refusal("variables", {"values=1", "chains=1", "hops=31"}), "accepted");
}

}  // namespace variables_test
}  // namespace phasor
