#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "phasor/task/floors.h"
#include "task/samples.h"

namespace phasor {
namespace listops_test {

using testing_support::draw;

constexpr int32_t kMin = 10, kMax = 11, kMedian = 12, kSum = 13, kClose = 14, kQuery = 15;

TEST(ListopsTask, ShapeFollowsTheOptions) {
  const TaskShape quick = testing_support::make("listops")->shape();
  EXPECT_EQ(quick.vocabulary, 16);
  EXPECT_EQ(quick.classes, 10);
  EXPECT_EQ(quick.max_length, 201);
  EXPECT_EQ(quick.readout, Readout::token);
  EXPECT_FALSE(quick.causal);
  EXPECT_EQ(testing_support::make("listops", {"paper"})->shape().max_length, 2000);
}

TEST(ListopsTask, ListsAreWorkedOutFromTheInside) {
  const auto task = testing_support::make("listops");
  EXPECT_EQ(task->solve({kMax, 2, 9, kMin, 4, 7, kClose, 0, kClose, kQuery}), std::vector<int32_t>{9});
  EXPECT_EQ(task->solve({kMin, 2, 9, kMax, 4, 7, kClose, 3, kClose, kQuery}), std::vector<int32_t>{2});
  EXPECT_EQ(task->solve({kSum, 5, 6, 7, kClose, kQuery}), std::vector<int32_t>{8});
  EXPECT_EQ(task->solve({kMedian, 9, 1, 4, kClose, kQuery}), std::vector<int32_t>{4});
  EXPECT_EQ(task->solve({kMedian, 8, 3, 1, 6, kClose, kQuery}), std::vector<int32_t>{4}) << "of 3 and 6, rounded down";
  EXPECT_EQ(task->solve({kMedian, 3, 4, kClose, kQuery}), std::vector<int32_t>{3});
  EXPECT_EQ(task->solve({kSum, kMax, 1, kMin, 8, 9, kClose, kClose, kMedian, 7, 7, kClose, kClose, kQuery}),
            std::vector<int32_t>{5});
  EXPECT_THROW(task->solve({kMax, 2, 9, kQuery}), Error) << "not closed";
  EXPECT_THROW(task->solve({kMax, kClose, kQuery}), Error) << "empty";
  EXPECT_THROW(task->solve({2, 3, kQuery}), Error) << "two expressions";
}

TEST(ListopsTask, TheSimpleRuleSkipsInnerLists) {
  const auto task = testing_support::make("listops");
  EXPECT_EQ(task->simple_rule({kSum, 1, kMax, 2, 3, kClose, 4, kClose, kQuery}), std::vector<int32_t>{5});
  EXPECT_EQ(task->simple_rule({kSum, kMax, 2, 3, kClose, kMin, 4, 5, kClose, kClose, kQuery}), std::vector<int32_t>{0});
}

// The published recipe: grow trees, and throw those away that are too short or too long.
class Recipe {
 public:
  Recipe(int depth, int arguments) : depth_(depth), arguments_(arguments) {}

  std::vector<int32_t> tokens(size_t shortest, size_t longest) {
    while (true) {
      tokens_.clear();
      grow(1, longest);
      if (tokens_.size() >= shortest && tokens_.size() <= longest) return tokens_;
    }
  }

 private:
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

  void grow(int depth, size_t longest) {
    if (tokens_.size() > longest) return;
    if (depth == depth_ || below(4) > 0) {
      tokens_.push_back(below(10));
      return;
    }
    tokens_.push_back(kMin + below(4));
    for (int left = 2 + below(arguments_ - 1); left > 0; --left) grow(depth + 1, longest);
    tokens_.push_back(kClose);
  }

  int depth_, arguments_;
  std::vector<int32_t> tokens_;
  std::mt19937 random_{7};
};

// Numbers by their mean and its standard error.
struct Mean {
  double count = 0.0, sum = 0.0, squares = 0.0;

  void add(double value) {
    count += 1.0;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  double variance() const { return (squares / count - mean() * mean()) / count; }
};

void expect_alike(const Mean& a, const Mean& b, const char* what) {
  EXPECT_NEAR(a.mean(), b.mean(), 5.0 * std::sqrt(a.variance() + b.variance())) << what;
}

// What is counted in each of the two ways.
struct Counts {
  std::vector<int64_t> answers = std::vector<int64_t>(10), lengths = std::vector<int64_t>(10),
                       operators = std::vector<int64_t>(4), depths = std::vector<int64_t>(5);
  Mean tokens_each, lists, sums, digits;  // of an expression: tokens, lists, of these sums, and the mean of its digits

  void add(const Task& task, const std::vector<int32_t>& tokens, int32_t shortest, int32_t longest) {
    ++answers.at(static_cast<size_t>(task.solve(tokens)[0]));
    ++lengths.at((tokens.size() - static_cast<size_t>(shortest)) * 10 / static_cast<size_t>(longest - shortest + 1));
    ++operators.at(static_cast<size_t>(tokens[0] - kMin));
    int depth = 0, deepest = 0;
    double all_lists = 0.0, all_sums = 0.0, all_digits = 0.0, digit_sum = 0.0;
    for (const int32_t token : tokens) {
      const bool opens = token >= kMin && token <= kSum;
      depth += opens ? 1 : token == kClose ? -1 : 0;
      deepest = std::max(deepest, depth);
      all_lists += opens ? 1.0 : 0.0;
      all_sums += token == kSum ? 1.0 : 0.0;
      all_digits += token < kMin ? 1.0 : 0.0;
      digit_sum += token < kMin ? token : 0.0;
    }
    tokens_each.add(static_cast<double>(tokens.size()));
    lists.add(all_lists);
    sums.add(all_sums / all_lists);
    digits.add(digit_sum / all_digits);
    ++depths.at(static_cast<size_t>(std::min(deepest, 5) - 1));
  }
};

// Whether as many draws of both came from one distribution.
testing::AssertionResult alike(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  double statistic = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto difference = static_cast<double>(a[i] - b[i]);
    if (a[i] + b[i] > 0) statistic += difference * difference / static_cast<double>(a[i] + b[i]);
  }
  if (statistic < testing_support::chi_squared_bound(a.size())) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "chi squared is " << statistic;
}

void expect_recipe(const std::vector<std::string>& settings, int64_t samples) {
  const TaskValues values = testing_support::values_of("listops", settings);
  const auto task = make_task("listops", values);
  const auto shortest = static_cast<int32_t>(values[0]), longest = static_cast<int32_t>(values[1]);
  Recipe recipe(static_cast<int>(values[2]), static_cast<int>(values[3]));
  Counts drawn, grown;
  for (int64_t number = 0; number < samples; ++number) {
    std::vector<int32_t> tokens = draw(*task, 0, number).tokens;
    tokens.pop_back();
    drawn.add(*task, tokens, shortest, longest);
    grown.add(*task, recipe.tokens(static_cast<size_t>(shortest), static_cast<size_t>(longest)), shortest, longest);
  }
  EXPECT_TRUE(alike(drawn.answers, grown.answers));
  EXPECT_TRUE(alike(drawn.lengths, grown.lengths));
  EXPECT_TRUE(alike(drawn.operators, grown.operators));
  EXPECT_TRUE(alike(drawn.depths, grown.depths));
  expect_alike(drawn.tokens_each, grown.tokens_each, "tokens");
  expect_alike(drawn.lists, grown.lists, "lists");
  expect_alike(drawn.sums, grown.sums, "sums");
  expect_alike(drawn.digits, grown.digits, "digits");
}

TEST(ListopsTask, ExpressionsAreThoseOfThePublishedRecipe) {
  expect_recipe({}, 10000);
  expect_recipe({"paper"}, 1000);
  expect_recipe({"shortest=4", "longest=40", "depth=3", "arguments=4"}, 10000);
}

TEST(ListopsTask, DepthAndArgumentsAreBounded) {
  const auto task = testing_support::make("listops", {"shortest=4", "longest=100", "depth=3", "arguments=3"});
  for (int64_t number = 0; number < 2000; ++number) {
    std::vector<int> arguments;  // of the lists that are open
    for (const int32_t token : draw(*task, 0, number).tokens) {
      if (token == kQuery) break;
      if (token != kClose && !arguments.empty()) ++arguments.back();
      if (token >= kMin && token <= kSum) arguments.push_back(0);
      ASSERT_LE(arguments.size(), 2u);
      if (token != kClose) continue;
      ASSERT_TRUE(arguments.back() == 2 || arguments.back() == 3);
      arguments.pop_back();
    }
    ASSERT_TRUE(arguments.empty());
  }
}

// With two arguments each, expressions have 1, 4, 7 ... tokens.
TEST(ListopsTask, LongerExpressionsHaveTheNextPossibleLength) {
  const auto task = testing_support::make("listops", {"shortest=4", "longest=4", "arguments=2"});
  EXPECT_EQ(draw(*task->longer(2), 0, 0).tokens.size(), 5u);
  EXPECT_EQ(draw(*task->longer(3), 0, 0).tokens.size(), 8u);
  EXPECT_EQ(task->longer(5)->shape().max_length, 8);
  EXPECT_THROW(testing_support::make("listops", {"paper"})->longer(20000), UsageError);
}

TEST(ListopsTask, OptionsThatDoNotFitSayWhatWould) {
  EXPECT_EQ(testing_support::refusal("listops", {"shortest=300"}),
            "task.shortest: 300 tokens are more than the longest expression has; at most 200, or task.longest at least "
            "300");
  EXPECT_EQ(testing_support::refusal("listops", {"shortest=30", "depth=2"}),
            "task.shortest: no expression of depth 2 with up to 10 arguments has 30 to 200 tokens; a smaller "
            "task.shortest, or larger task.depth and task.arguments");
}

}  // namespace listops_test
}  // namespace phasor
