#include <gtest/gtest.h>

#include <algorithm>

#include "task/samples.h"

namespace phasor {
namespace copy_test {

using testing_support::draw;

TEST(CopyTask, ShapeFollowsTheOptions) {
  for (const char* name : {"copy", "reverse"}) {
    const TaskShape quick = testing_support::make(name)->shape();
    EXPECT_EQ(quick.vocabulary, 65);
    EXPECT_EQ(quick.classes, 64);
    EXPECT_EQ(quick.max_length, 25);
    EXPECT_EQ(quick.readout, Readout::every);
    EXPECT_TRUE(quick.causal);
    EXPECT_EQ(testing_support::make(name, {"paper"})->shape().max_length, 41);
  }
}

TEST(CopyTask, AnswersComeWordByWordFromTheSeparatorOn) {
  const auto copy = testing_support::make("copy", {"vocabulary=9"}),
             reverse = testing_support::make("reverse", {"vocabulary=9"});
  EXPECT_EQ(copy->solve({4, 7, 4, 9, 4, 7, 4}), (std::vector<int32_t>{-1, -1, -1, 4, 7, 4, -1}));
  EXPECT_EQ(copy->solve({4, 7, 1, 9, 4, 7, 1}), (std::vector<int32_t>{-1, -1, -1, 4, 7, 1, -1}));
  EXPECT_EQ(reverse->solve({4, 7, 1, 9, 1, 7, 4}), (std::vector<int32_t>{-1, -1, -1, 1, 7, 4, -1}));
  EXPECT_EQ(reverse->solve({4, 9, 4}), (std::vector<int32_t>{-1, 4, -1}));
}

// A causal model is asked for what it has not seen: each target is the next token.
TEST(CopyTask, TargetsAreTheNextTokensOfTheAnswer) {
  for (const char* name : {"copy", "reverse"}) {
    const auto task = testing_support::make(name, {"vocabulary=6", "length=5"});
    std::vector<int64_t> lengths(5), words(6);
    for (int64_t number = 0; number < 20000; ++number) {
      const Sample sample = draw(*task, 0, number);
      const auto separator =
          static_cast<size_t>(std::find(sample.tokens.begin(), sample.tokens.end(), 6) - sample.tokens.begin());
      ASSERT_TRUE(separator >= 1 && separator <= 5) << separator;
      ASSERT_EQ(sample.tokens.size(), 2 * separator + 1);
      for (size_t t = 0; t < sample.tokens.size(); ++t) {
        const bool scored = t >= separator && t + 1 < sample.tokens.size();
        ASSERT_EQ(sample.targets[t], scored ? sample.tokens[t + 1] : kNotScored) << t;
      }
      ++lengths[separator - 1];
      for (size_t t = 0; t < separator; ++t) ++words[static_cast<size_t>(sample.tokens[t])];
    }
    EXPECT_TRUE(testing_support::uniform(lengths));
    EXPECT_TRUE(testing_support::uniform(words));
  }
}

TEST(CopyTask, TheSolverReadsTheStringAlone) {
  for (const char* name : {"copy", "reverse"}) {
    const auto task = testing_support::make(name);
    for (int64_t number = 0; number < 100; ++number) {
      const Sample sample = draw(*task, 0, number);
      std::vector<int32_t> hidden = sample.tokens;
      std::fill(std::find(hidden.begin(), hidden.end(), 64) + 1, hidden.end(), 0);
      ASSERT_EQ(task->solve(hidden), sample.targets);
    }
  }
}

TEST(CopyTask, SolverRefusesOtherTokens) {
  const auto task = testing_support::make("copy", {"vocabulary=9"});
  EXPECT_THROW(task->solve({4, 7}), Error) << "no separator";
  EXPECT_THROW(task->solve({4, 7, 9, 4}), Error) << "half an answer";
}

}  // namespace copy_test
}  // namespace phasor
