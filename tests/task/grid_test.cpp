#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "phasor/task/task.h"

namespace phasor {
namespace grid_test {

Sample draw(const Task& task, uint32_t number) {
  return task.sample({.seed = 4, .purpose = Purpose::data, .step = number});
}

TEST(GridTask, ShapeFollowsTheOptions) {
  const TaskShape shape = make_task("grid", {10, 3, 5})->shape();
  EXPECT_EQ(shape.vocabulary, 10);
  EXPECT_EQ(shape.classes, 5 * 9);
  EXPECT_EQ(shape.max_length, 15);
  EXPECT_EQ(shape.grid, (std::vector<int64_t>{3, 5}));
}

TEST(GridTask, SolverAgreesWithGenerator) {
  for (const TaskValues& values : {TaskValues{64, 6, 6}, TaskValues{574, 11, 11}, TaskValues{3, 2, 2}}) {
    const auto task = make_task("grid", values);
    for (uint32_t number = 0; number < 5000; ++number) {
      const Sample sample = draw(*task, number);
      ASSERT_EQ(static_cast<int64_t>(sample.tokens.size()), values[1] * values[2]);
      ASSERT_EQ(std::count(sample.tokens.begin(), sample.tokens.end(), 0), 1);
      ASSERT_EQ(std::count(sample.tokens.begin(), sample.tokens.end(), 1), 1);
      ASSERT_EQ(task->solve(sample.tokens), sample.targets) << number;
    }
  }
}

// 3 rows of 4: the first marker in cell (0, 1), the second in (2, 0): 2 down, 1 to the left.
TEST(GridTask, ClassesCountDownThenRight) {
  const auto task = make_task("grid", {5, 3, 4});
  const std::vector<int32_t> tokens = {2, 0, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2};
  EXPECT_EQ(task->solve(tokens), std::vector<int32_t>{(2 + 2) * 7 + (-1 + 3)});
}

// Every pair of different cells is as likely: a displacement as often as there are pairs that have it.
TEST(GridTask, PairsOfCellsAreEquallyLikely) {
  const auto task = make_task("grid", {5, 2, 3});
  std::vector<int64_t> counts(static_cast<size_t>(task->shape().classes));
  constexpr int kSamples = 30000;
  for (uint32_t number = 0; number < kSamples; ++number) ++counts[static_cast<size_t>(draw(*task, number).targets[0])];
  for (int down = -1; down <= 1; ++down) {
    for (int right = -2; right <= 2; ++right) {
      const double pairs = (2.0 - std::abs(down)) * (3.0 - std::abs(right));
      const double expected = down == 0 && right == 0 ? 0.0 : pairs / 30.0 * kSamples;
      const auto got = static_cast<double>(counts[static_cast<size_t>((down + 1) * 5 + right + 2)]);
      EXPECT_NEAR(got, expected, 5.0 * std::sqrt(expected)) << down << ", " << right;
    }
  }
}

TEST(GridTask, ThreeAxesShapeFollowsTheOptions) {
  const TaskShape shape = make_task("grid3", {10, 2, 3, 4})->shape();
  EXPECT_EQ(shape.classes, 3 * 5 * 7);
  EXPECT_EQ(shape.max_length, 24);
  EXPECT_EQ(shape.grid, (std::vector<int64_t>{2, 3, 4}));
}

// 2 planes of 2 rows of 3: the first marker in cell (0, 1, 2), the second in (1, 0, 1): a plane on, a row up, one left.
TEST(GridTask, ThreeAxesCountPlanesRowsColumns) {
  const auto task = make_task("grid3", {5, 2, 2, 3});
  std::vector<int32_t> tokens(12, 2);
  tokens[0 * 6 + 1 * 3 + 2] = 0;
  tokens[1 * 6 + 0 * 3 + 1] = 1;
  EXPECT_EQ(task->solve(tokens), std::vector<int32_t>{((1 + 1) * 3 + (-1 + 1)) * 5 + (-1 + 2)});
}

TEST(GridTask, SolverAgreesWithGeneratorOnThreeAxes) {
  for (const TaskValues& values : {TaskValues{64, 3, 3, 3}, TaskValues{3, 2, 2, 2}, TaskValues{9, 2, 5, 3}}) {
    const auto task = make_task("grid3", values);
    for (uint32_t number = 0; number < 5000; ++number) {
      const Sample sample = draw(*task, number);
      ASSERT_EQ(static_cast<int64_t>(sample.tokens.size()), values[1] * values[2] * values[3]);
      ASSERT_EQ(task->solve(sample.tokens), sample.targets) << number;
    }
  }
}

// A displacement is as often as there are pairs of cells that have it: counted here by trying all pairs.
TEST(GridTask, PairsOfCellsAreEquallyLikelyOnThreeAxes) {
  const int extents[] = {2, 3, 2};
  const auto task = make_task("grid3", {5, 2, 3, 2});
  std::vector<double> pairs(static_cast<size_t>(task->shape().classes));
  for (int first = 0; first < 12; ++first) {
    for (int second = 0; second < 12; ++second) {
      if (first == second) continue;
      std::vector<int32_t> tokens(12, 2);
      tokens[static_cast<size_t>(first)] = 0;
      tokens[static_cast<size_t>(second)] = 1;
      ++pairs[static_cast<size_t>(task->solve(tokens)[0])];
    }
  }
  for (int p = -1; p <= 1; ++p) {
    for (int r = -2; r <= 2; ++r) {
      for (int c = -1; c <= 1; ++c) {
        const int expected = (extents[0] - std::abs(p)) * (extents[1] - std::abs(r)) * (extents[2] - std::abs(c));
        const bool none = p == 0 && r == 0 && c == 0;
        ASSERT_EQ(pairs[static_cast<size_t>(((p + 1) * 5 + r + 2) * 3 + c + 1)], none ? 0 : expected);
      }
    }
  }
  std::vector<int64_t> counts(pairs.size());
  constexpr int kSamples = 30000;
  for (uint32_t number = 0; number < kSamples; ++number) ++counts[static_cast<size_t>(draw(*task, number).targets[0])];
  for (size_t c = 0; c < pairs.size(); ++c) {
    const double expected = pairs[c] / 132.0 * kSamples;
    EXPECT_NEAR(static_cast<double>(counts[c]), expected, 5.0 * std::sqrt(expected)) << c;
  }
}

}  // namespace grid_test
}  // namespace phasor
