#include <gtest/gtest.h>

#include <algorithm>

#include "task/samples.h"

namespace phasor {
namespace stack_test {

using testing_support::draw;

constexpr int32_t kPop = 2, kPush0 = 3, kPush1 = 4, kAnswer = 5;

// The tokens with as many places for the answer, and one more.
std::vector<int32_t> asked(std::vector<int32_t> tokens) {
  tokens.resize(2 * tokens.size() + 1, kAnswer);
  return tokens;
}

TEST(StackTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("stack")->shape();
  EXPECT_EQ(quick.vocabulary, 6);
  EXPECT_EQ(quick.classes, 3);
  EXPECT_EQ(quick.max_length, 33);
  EXPECT_EQ(quick.readout, Readout::every);
  EXPECT_FALSE(quick.causal);
  EXPECT_EQ(testing_support::make("stack", {"paper"})->shape().max_length, 81);
}

// The first two are the examples of the released code of Ruoss et al.
TEST(StackTask, TheStackIsReadFromTheTop) {
  const auto task = testing_support::make("stack");
  EXPECT_EQ(task->solve(asked({0, 1, 1, 0, kPush1, kPop, kPop})),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, -1, 1, 1, 0, 2, -1, -1, -1, -1}));
  EXPECT_EQ(task->solve(asked({1, 1, 0, kPop, kPop, kPop})),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, 2, -1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(task->solve(asked({1})), (std::vector<int32_t>{-1, 1, 2}));
}

TEST(StackTask, PopsOfAnEmptyStackAreIgnored) {
  const auto task = testing_support::make("stack");
  EXPECT_EQ(task->solve(asked({1, kPop, kPop, kPush0})), (std::vector<int32_t>{-1, -1, -1, -1, 0, 2, -1, -1, -1}));
  EXPECT_EQ(task->solve(asked({1, kPop, kPop, kPush0, kPush1, kPop})),
            (std::vector<int32_t>{-1, -1, -1, -1, -1, -1, 0, 2, -1, -1, -1, -1, -1}));
  EXPECT_THROW(task->solve({1, kPop, kAnswer}), Error);
}

TEST(StackTask, LengthsItemsAndInstructionsAreEquallyLikely) {
  const auto task = testing_support::make("stack", {"length=5"});
  std::vector<int64_t> lengths(5), items(4), bits(2), instructions(3);
  for (int64_t number = 0; number < 30000; ++number) {
    const Sample sample = draw(*task, 0, number);
    const size_t length = sample.tokens.size() / 2;
    ++lengths.at(length - 1);
    const auto begin = sample.tokens.begin(), end = begin + static_cast<int64_t>(length);
    const auto first = std::find_if(begin, end, [](int32_t token) { return token >= kPop; });
    ASSERT_TRUE(std::all_of(first, end, [](int32_t token) { return token >= kPop && token < kAnswer; }));
    if (length == 5) ++items.at(static_cast<size_t>(first - begin - 1));
    for (auto item = begin; item != first; ++item) ++bits.at(static_cast<size_t>(*item));
    for (auto instruction = first; instruction != end; ++instruction) {
      ++instructions.at(static_cast<size_t>(*instruction - kPop));
    }
  }
  EXPECT_TRUE(testing_support::uniform(lengths));
  EXPECT_TRUE(testing_support::uniform(items));
  EXPECT_TRUE(testing_support::uniform(bits));
  EXPECT_TRUE(testing_support::uniform(instructions));
}

}  // namespace stack_test
}  // namespace phasor
