#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "task/samples.h"

namespace phasor {
namespace retrieval_test {

using testing_support::draw;

TEST(RetrievalTask, ShapeFollowsTheOptions) {
  const TaskShape one = testing_support::make("retrieval")->shape();
  EXPECT_EQ(one.vocabulary, 64);
  EXPECT_EQ(one.classes, 32);
  EXPECT_EQ(one.max_length, 17);
  EXPECT_EQ(one.readout, Readout::token);
  const TaskShape several = testing_support::make("retrieval", {"queries=3"})->shape();
  EXPECT_EQ(several.max_length, 19);
  EXPECT_EQ(several.readout, Readout::every);
  EXPECT_EQ(testing_support::make("retrieval", {"paper"})->shape().vocabulary, 574);
}

TEST(RetrievalTask, FindsTheValueOfTheKey) {
  const auto one = testing_support::make("retrieval", {"keys=5", "values=5", "pairs=3"});
  EXPECT_EQ(one->solve({4, 7, 0, 5, 2, 9, 0}), std::vector<int32_t>{0});
  EXPECT_EQ(one->solve({4, 7, 0, 5, 2, 9, 2}), std::vector<int32_t>{4});
  const auto several = testing_support::make("retrieval", {"keys=5", "values=5", "pairs=3", "queries=2"});
  EXPECT_EQ(several->solve({4, 7, 0, 5, 2, 9, 4, 2}), (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, 2, 4}));
}

TEST(RetrievalTask, PairsAreEquallyLikelyAndWordsDifferent) {
  const auto task = testing_support::make("retrieval", {"keys=9", "values=7", "pairs=5", "queries=2"});
  std::vector<int64_t> keys(9), values(7), asked(25);
  for (int64_t number = 0; number < 30000; ++number) {
    const Sample sample = draw(*task, 0, number);
    const std::vector<int32_t>& tokens = sample.tokens;
    ASSERT_EQ(tokens.size(), 12u);
    const std::set<int32_t> different(tokens.begin(), tokens.begin() + 10);
    ASSERT_EQ(different.size(), 10u);
    for (size_t place = 0; place < 10; place += 2) {
      ASSERT_TRUE(tokens[place] < 9 && tokens[place + 1] >= 9);
      ASSERT_EQ(sample.targets[place], kNotScored);
      ASSERT_EQ(sample.targets[place + 1], kNotScored);
    }
    ++keys[static_cast<size_t>(tokens[10])];
    ++values[static_cast<size_t>(sample.targets[10])];
    const auto pair_of = [&](size_t query) {
      return static_cast<size_t>(std::find(tokens.begin(), tokens.begin() + 10, tokens[query]) - tokens.begin()) / 2;
    };
    ++asked[pair_of(10) * 5 + pair_of(11)];
  }
  EXPECT_TRUE(testing_support::uniform(keys));
  EXPECT_TRUE(testing_support::uniform(values));
  // Any two different pairs are asked for, in any order.
  std::vector<int64_t> different;
  for (size_t first = 0; first < 5; ++first) {
    EXPECT_EQ(asked[first * 6], 0);
    for (size_t second = 0; second < 5; ++second)
      if (first != second) different.push_back(asked[first * 5 + second]);
  }
  EXPECT_TRUE(testing_support::uniform(different));
}

TEST(RetrievalTask, OptionsThatDoNotFitSayWhatWould) {
  EXPECT_EQ(testing_support::refusal("retrieval", {"pairs=33"}),
            "task.pairs: 33 pairs take as many different keys, and there are 32; at most 32, or task.keys at least 33");
  EXPECT_EQ(testing_support::refusal("retrieval", {"values=7"}),
            "task.pairs: 8 pairs take as many different values, and there are 7; at most 7, or task.values at least 8");
  EXPECT_EQ(testing_support::refusal("retrieval", {"queries=9"}),
            "task.queries: 9 different keys cannot be asked for out of 8 pairs; at most 8");
  const auto task = testing_support::make("retrieval", {"keys=5", "values=5", "pairs=2"});
  EXPECT_THROW(task->solve({4, 7, 0, 5}), Error) << "no query";
  EXPECT_THROW(task->solve({4, 7, 0, 5, 3}), Error) << "a key that is not there";
}

}  // namespace retrieval_test
}  // namespace phasor
