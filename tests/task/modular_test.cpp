#include <gtest/gtest.h>

#include "phasor/task/floors.h"
#include "task/samples.h"

namespace phasor {
namespace modular_test {

using testing_support::draw;

constexpr int32_t kPlus = 5, kMinus = 6, kTimes = 7, kQuery = 8;  // modulo 5

TEST(ModularTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("modular")->shape();
  EXPECT_EQ(quick.vocabulary, 9);
  EXPECT_EQ(quick.classes, 5);
  EXPECT_EQ(quick.max_length, 12);
  EXPECT_EQ(quick.readout, Readout::token);
  EXPECT_FALSE(quick.causal);
  EXPECT_EQ(testing_support::make("modular", {"paper"})->shape().max_length, 40);
  EXPECT_EQ(testing_support::make("modular", {"modulus=7"})->shape().classes, 7);
}

// The first three are the examples of the released code of Ruoss et al.
TEST(ModularTask, ProductsGoBeforeSums) {
  const auto task = testing_support::make("modular");
  EXPECT_EQ(task->solve({1, kPlus, 2, kTimes, 3, kQuery}), std::vector<int32_t>{2});
  EXPECT_EQ(task->solve({1, kMinus, 1, kMinus, 1, kQuery}), std::vector<int32_t>{4});
  EXPECT_EQ(task->solve({0, kTimes, 1, kPlus, 4, kTimes, 3, kMinus, 2, kQuery}), std::vector<int32_t>{0});
  EXPECT_EQ(task->solve({3, kMinus, 2, kTimes, 4, kTimes, 3, kQuery}), std::vector<int32_t>{4});
  EXPECT_EQ(task->solve({3, kQuery}), std::vector<int32_t>{3});
  EXPECT_EQ(task->simple_rule({1, kPlus, 2, kTimes, 3, kQuery}), std::vector<int32_t>{4});
  EXPECT_EQ(task->simple_rule({1, kMinus, 3, kTimes, 4, kQuery}), std::vector<int32_t>{2});
  EXPECT_THROW(task->solve({3, kPlus, kQuery}), Error);
  EXPECT_THROW(task->solve({3, 3}), Error) << "nothing asks";
}

TEST(ModularTask, LengthsNumbersAndOperatorsAreEquallyLikely) {
  for (const bool all : {true, false}) {
    const auto task = testing_support::make("modular", {"numbers=4", all ? "operators=all" : "operators=signs"});
    std::vector<int64_t> lengths(4), numbers(5), operators(all ? 3 : 2), answers(5);
    for (int64_t number = 0; number < 20000; ++number) {
      const Sample sample = draw(*task, 0, number);
      ++lengths.at(sample.tokens.size() / 2 - 1);
      for (size_t place = 0; place + 1 < sample.tokens.size(); place += 2) {
        ++numbers.at(static_cast<size_t>(sample.tokens[place]));
        if (place > 0) ++operators.at(static_cast<size_t>(sample.tokens[place - 1] - kPlus));
      }
      ++answers.at(static_cast<size_t>(sample.targets[0]));
      ASSERT_TRUE(all || task->simple_rule(sample.tokens) == sample.targets);
    }
    EXPECT_TRUE(testing_support::uniform(lengths));
    EXPECT_TRUE(testing_support::uniform(numbers));
    EXPECT_TRUE(testing_support::uniform(operators));
    EXPECT_EQ(bool{testing_support::uniform(answers)}, !all) << "products make 0 commoner";
  }
}

// One number, or two with any operator: a product is 0 in 9 of 25 cases, all else in one of 5.
TEST(ModularTask, ZeroIsTheCommonestAnswer) {
  const TaskFloors floors = measure_floors(*testing_support::make("modular", {"numbers=2"}), 40000);
  EXPECT_NEAR(floors.constant, 0.2 + 0.5 / 3.0 * (0.36 - 0.2), 5.0 * floors.error);
  EXPECT_EQ(floors.rule, 1.0) << "two numbers have one order";
}

}  // namespace modular_test
}  // namespace phasor
