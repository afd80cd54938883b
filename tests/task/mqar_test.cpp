#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "task/samples.h"

namespace phasor {
namespace mqar_test {

using testing_support::draw;

TEST(MqarTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("mqar")->shape();
  EXPECT_EQ(quick.vocabulary, 64);
  EXPECT_EQ(quick.classes, 32);
  EXPECT_EQ(quick.max_length, 64);
  EXPECT_EQ(quick.readout, Readout::every);
  EXPECT_TRUE(quick.causal);
  const TaskShape paper = testing_support::make("mqar", {"paper"})->shape();
  EXPECT_EQ(paper.vocabulary, 8192);
  EXPECT_EQ(paper.max_length, 256);
}

// The example of the released code: keys 2 and 4 with values 8 and 7, of which 6 is the first.
TEST(MqarTask, KeysThatComeAgainAreAskedForTheirValue) {
  const auto task = testing_support::make("mqar", {"vocabulary=12", "pairs=2", "length=15", "noise=blank"});
  EXPECT_EQ(task->solve({2, 8, 4, 7, 0, 0, 4, 0, 0, 0, 0, 0, 2, 0, 0}),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, 1, -1, -1, -1, -1, -1, 2, -1, -1}));
  EXPECT_THROW(task->solve({2, 8, 4}), Error);
}

TEST(MqarTask, EveryKeyIsAskedForOnceAmongOtherWords) {
  for (const bool blank : {false, true}) {
    const auto task = testing_support::make(
        "mqar", {"vocabulary=20", "pairs=3", "length=18", "power=100", blank ? "noise=blank" : "noise=random"});
    std::vector<int64_t> keys(9), values(10), places(6), noise(20);
    for (int64_t number = 0; number < 20000; ++number) {
      const Sample sample = draw(*task, 0, number);
      const std::vector<int32_t>& tokens = sample.tokens;
      ASSERT_EQ(tokens.size(), 18u);
      ASSERT_EQ(std::set<int32_t>(tokens.begin(), tokens.begin() + 6).size(), 6u);
      std::set<int32_t> asked;
      for (size_t place = 0; place < 18; ++place) {
        if (sample.targets[place] == kNotScored) {
          if (place >= 6) ++noise.at(static_cast<size_t>(tokens[place]));
          continue;
        }
        ASSERT_TRUE(place >= 6 && place % 2 == 0) << place;
        ASSERT_TRUE(asked.insert(tokens[place]).second);
        ++places[(place - 6) / 2];
      }
      ASSERT_EQ(asked, (std::set<int32_t>{tokens[0], tokens[2], tokens[4]}));
      ++keys.at(static_cast<size_t>(tokens[0] - 1));
      ++values.at(static_cast<size_t>(tokens[1] - 10));
    }
    EXPECT_TRUE(testing_support::uniform(keys));
    EXPECT_TRUE(testing_support::uniform(values));
    // Three of six places: with different ones the statistic is smaller than with independent ones.
    EXPECT_TRUE(testing_support::uniform(places));
    if (blank) {
      EXPECT_EQ(noise[0], 20000 * 9);
    } else {
      EXPECT_GT(*std::min_element(noise.begin(), noise.end()), 0);
    }
  }
}

// One query in 20 places, the i-th with a chance in proportion to i^(power - 1).
TEST(MqarTask, QueriesFollowAPowerLaw) {
  constexpr int64_t kSamples = 40000;
  for (const int64_t power : {1, 50}) {
    const auto task = testing_support::make("mqar", {"pairs=1", "length=42", "power=" + std::to_string(power)});
    std::vector<int64_t> places(20);
    for (int64_t number = 0; number < kSamples; ++number) {
      const std::vector<int32_t> targets = draw(*task, 0, number).targets;
      const auto asked = std::find_if(targets.begin(), targets.end(), [](int32_t target) { return target >= 0; });
      ++places.at(static_cast<size_t>(asked - targets.begin() - 2) / 2);
    }
    double total = 0.0;
    for (int i = 1; i <= 20; ++i) total += std::pow(i, static_cast<double>(power) / 100.0 - 1.0);
    for (int i = 1; i <= 20; ++i) {
      const double expected = kSamples * std::pow(i, static_cast<double>(power) / 100.0 - 1.0) / total;
      EXPECT_NEAR(static_cast<double>(places[static_cast<size_t>(i - 1)]), expected, 5.0 * std::sqrt(expected)) << i;
    }
  }
}

TEST(MqarTask, OptionsThatDoNotFitSayWhatWould) {
  EXPECT_EQ(testing_support::refusal("mqar", {"vocabulary=9"}),
            "task.pairs: 4 pairs take as many different keys, and 9 words make 3; at most 3, or task.vocabulary at "
            "least 10");
  EXPECT_EQ(testing_support::refusal("mqar", {"vocabulary=10"}), "accepted");
  EXPECT_EQ(testing_support::refusal("mqar", {"length=15"}),
            "task.pairs: 4 pairs and their queries, every other token behind them, do not fit into 15 tokens; at most "
            "3, or task.length at least 16");
  EXPECT_EQ(testing_support::refusal("mqar", {"length=16"}), "accepted");
}

}  // namespace mqar_test
}  // namespace phasor
