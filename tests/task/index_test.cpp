#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "task/samples.h"

namespace phasor {
namespace index_test {

using testing_support::draw;

TEST(IndexTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("index")->shape();
  EXPECT_EQ(quick.vocabulary, 64 + 16);
  EXPECT_EQ(quick.classes, 64);
  EXPECT_EQ(quick.max_length, 17);
  EXPECT_EQ(quick.readout, Readout::token);
  EXPECT_EQ(testing_support::make("index", {"paper"})->shape().max_length, 65);
}

TEST(IndexTask, CountsFromTheStartOrFromTheEnd) {
  const auto start = testing_support::make("index", {"vocabulary=10", "length=6"});
  const auto end = testing_support::make("index", {"vocabulary=10", "length=6", "from=end"});
  const std::vector<int32_t> first = {7, 3, 9, 1, 10}, second = {7, 3, 9, 1, 11};
  EXPECT_EQ(start->solve(first), std::vector<int32_t>{7});
  EXPECT_EQ(start->solve(second), std::vector<int32_t>{3});
  EXPECT_EQ(end->solve(first), std::vector<int32_t>{1});
  EXPECT_EQ(end->solve(second), std::vector<int32_t>{9});
}

TEST(IndexTask, LengthsAndPlacesAreEquallyLikelyAndWordsDifferent) {
  for (const char* from : {"from=start", "from=end"}) {
    const auto task = testing_support::make("index", {"vocabulary=12", "length=7", from});
    std::vector<int64_t> lengths(4), words(12), smallest(2);
    std::vector<std::vector<int64_t>> places(4);
    double without_order = 0.0;
    for (int64_t number = 0; number < 40000; ++number) {
      const Sample sample = draw(*task, 0, number);
      EXPECT_EQ(sample.place, -1);
      const std::vector<int32_t> content(sample.tokens.begin(), sample.tokens.end() - 1);
      const size_t length = content.size();
      ASSERT_TRUE(length >= 4 && length <= 7) << length;
      ASSERT_EQ(std::set<int32_t>(content.begin(), content.end()).size(), length);
      ++lengths[length - 4];
      places[length - 4].resize(length);
      ++places[length - 4].at(static_cast<size_t>(sample.tokens.back() - 12));
      ++words[static_cast<size_t>(sample.targets[0])];
      ++smallest[*std::min_element(content.begin(), content.end()) == sample.targets[0] ? 1 : 0];
      without_order += 1.0 / static_cast<double>(length);
    }
    EXPECT_TRUE(testing_support::uniform(lengths));
    EXPECT_TRUE(testing_support::uniform(words));
    for (const std::vector<int64_t>& asked : places) EXPECT_TRUE(testing_support::uniform(asked));
    // Without order, a word of the sample is as good as any other.
    EXPECT_NEAR(static_cast<double>(smallest[1]), without_order, 5.0 * std::sqrt(without_order));
  }
}

TEST(IndexTask, OptionsThatDoNotFitSayWhatWould) {
  EXPECT_EQ(testing_support::refusal("index", {"length=65"}),
            "task.length: 65 different words cannot come from 64; at most 64, or task.vocabulary at least 65");
  EXPECT_EQ(testing_support::refusal("index", {"length=64"}), "accepted");
  const auto task = testing_support::make("index", {"vocabulary=10", "length=6"});
  EXPECT_THROW(task->solve({}), Error);
  EXPECT_THROW(task->solve({7, 3, 9}), Error) << "no place word";
  EXPECT_THROW(task->solve({7, 3, 12}), Error) << "the third of two";
}

}  // namespace index_test
}  // namespace phasor
