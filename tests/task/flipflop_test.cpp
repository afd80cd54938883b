#include <gtest/gtest.h>

#include <cmath>

#include "phasor/task/floors.h"
#include "task/samples.h"

namespace phasor {
namespace flipflop_test {

using testing_support::draw;

TEST(FlipflopTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("flipflop")->shape();
  EXPECT_EQ(quick.vocabulary, 5);
  EXPECT_EQ(quick.classes, 2);
  EXPECT_EQ(quick.max_length, 64);
  EXPECT_EQ(quick.readout, Readout::every);
  EXPECT_TRUE(quick.causal);
  EXPECT_EQ(testing_support::make("flipflop", {"paper"})->shape().max_length, 512);
}

TEST(FlipflopTask, AReadGivesTheBitOfTheLastWrite) {
  const auto task = testing_support::make("flipflop");
  EXPECT_EQ(task->solve({2, 1, 3, 0, 4, 1, 2, 0, 4, 0}), (std::vector<int32_t>{-1, -1, -1, -1, 1, -1, -1, -1, 0, -1}));
  EXPECT_EQ(task->solve({2, 0, 4, 0, 3, 1, 3, 1, 4, 0}), (std::vector<int32_t>{-1, -1, 0, -1, -1, -1, -1, -1, 0, -1}));
  EXPECT_EQ(task->simple_rule({2, 1, 3, 0, 4, 1, 2, 0, 4, 0}),
            (std::vector<int32_t>{-1, -1, -1, -1, 0, -1, -1, -1, 0, -1}));
  EXPECT_THROW(task->solve({3, 1, 4, 1}), Error) << "nothing was written";
}

// Between the first and the last, instructions have their shares; bits that are not read are equally likely.
TEST(FlipflopTask, InstructionsHaveTheirShares) {
  const auto task = testing_support::make("flipflop", {"instructions=12", "ignore=35"});
  constexpr int64_t kSamples = 5000;
  std::vector<int64_t> instructions(3), bits(2);
  for (int64_t number = 0; number < kSamples; ++number) {
    const Sample sample = draw(*task, 0, number);
    ASSERT_EQ(sample.tokens.size(), 24u);
    ASSERT_EQ(sample.tokens[0], 2);
    ASSERT_EQ(sample.tokens[22], 4);
    for (size_t place = 0; place < 24; place += 2) {
      const int32_t instruction = sample.tokens[place];
      ASSERT_TRUE(instruction >= 2 && instruction < 5);
      ASSERT_EQ(sample.targets[place], instruction == 4 ? sample.tokens[place + 1] : kNotScored);
      ASSERT_EQ(sample.targets[place + 1], kNotScored);
      if (place > 0 && place < 22) ++instructions[static_cast<size_t>(instruction - 2)];
      if (instruction != 4) ++bits[static_cast<size_t>(sample.tokens[place + 1])];
    }
  }
  EXPECT_TRUE(testing_support::uniform(bits));
  const std::vector<double> shares = {0.325, 0.35, 0.325};
  for (size_t i = 0; i < 3; ++i) {
    const double all = 10.0 * kSamples;
    EXPECT_NEAR(static_cast<double>(instructions[i]), all * shares[i], 5.0 * std::sqrt(all * shares[i])) << i;
  }
}

// Right behind a write or a read, which the first of the others always is, and half of the time behind an ignore.
TEST(FlipflopTask, TheSimpleRuleIsRightWhereNothingIsIgnored) {
  const TaskFloors floors = measure_floors(*testing_support::make("flipflop"), 20000);
  constexpr double kIgnored = 0.8, kReads = 0.1;
  const double reads = 30.0 * kReads + 1.0;
  const double rule = (kReads + (29.0 * kReads + 1.0) * (1.0 - 0.5 * kIgnored)) / reads;
  EXPECT_NEAR(floors.rule, rule, 5.0 * std::sqrt(0.25 / (10000.0 * reads)));
  EXPECT_NEAR(floors.length, 0.5, 0.01);
  EXPECT_EQ(floors.ceiling, 1.0);
}

TEST(FlipflopTask, LogsWithoutIgnoredBitsNeedOneStep) {
  const auto task = testing_support::make("flipflop", {"ignore=0"});
  for (int64_t number = 0; number < 200; ++number) {
    const Sample sample = draw(*task, 0, number);
    ASSERT_EQ(task->simple_rule(sample.tokens), sample.targets);
  }
  const auto quiet = testing_support::make("flipflop", {"ignore=100"});
  const Sample sample = draw(*quiet, 0, 0);
  EXPECT_EQ(sample.targets[62], sample.tokens[1]);
}

}  // namespace flipflop_test
}  // namespace phasor
