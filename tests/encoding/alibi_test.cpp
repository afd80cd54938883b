#include <gtest/gtest.h>

#include <cmath>

#include "phasor/encoding/encoding.h"

namespace phasor {
namespace {

constexpr int64_t kPositions = 33;
constexpr int64_t kReach = kPositions - 1;

Table bias(const std::string& text, int64_t heads) {
  const EncodingShape shape{.layers = 1, .heads = heads, .head_width = 4, .width = 4 * heads, .positions = kPositions};
  return *resolve(parse_encoding(text), shape).layers[0].bias;
}

void expect_slopes(const std::string& text, const std::vector<double>& slopes) {
  const Table table = bias(text, static_cast<int64_t>(slopes.size()));
  ASSERT_EQ(table.rows, static_cast<int64_t>(slopes.size()));
  ASSERT_EQ(table.columns, 2 * kReach + 1);
  for (size_t head = 0; head < slopes.size(); ++head) {
    // 2^x and e^x are good to an ulp or two.
    EXPECT_NEAR(-table(static_cast<int64_t>(head), kReach + 1), slopes[head], 4e-16) << text << ", head " << head;
  }
}

constexpr double kRoot = 0.70710678118654752440;  // 2^(-1/2)

TEST(Alibi, HasTheSlopesOfThePaper) {
  expect_slopes("alibi", {0.25, 0.0625, 0.015625, 0.00390625});
  expect_slopes("alibi", {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625});
  expect_slopes("alibi", {kRoot, 0.5, kRoot / 2, 0.25, kRoot / 4, 0.125, kRoot / 8, 0.0625, kRoot / 16, 0.03125,
                          kRoot / 32, 0.015625, kRoot / 64, 0.0078125, kRoot / 128, 0.00390625});
  expect_slopes("alibi", {0.00390625});
}

TEST(Alibi, FillsUpHeadCountsThatAreNoPowerOfTwo) {
  expect_slopes("alibi", {0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125});
  expect_slopes("alibi", {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, kRoot, kRoot / 2,
                          kRoot / 4, kRoot / 8});
  expect_slopes("alibi", {0.0625, 0.00390625, 0.25});
}

TEST(Alibi, HasTheReleasedSlopesByName) {
  expect_slopes("alibi(slopes=released)",
                {1.0, 0.77880078307140486825, 0.60653065971263342360, 0.47236655274101470714});
}

// Slopes are powers of two or once-rounded numbers and distances small integers: within 1e-12 with room.
TEST(Alibi, FallsOffLinearlyAndEvenlyOnBothSides) {
  for (const std::string text : {"alibi", "alibi(slopes=released)"}) {
    const Table table = bias(text, 6);
    for (int64_t head = 0; head < table.rows; ++head) {
      EXPECT_EQ(table(head, kReach), 0.0);
      const double slope = -table(head, kReach + 1);
      for (int64_t distance = 1; distance <= kReach; ++distance) {
        EXPECT_NEAR(table(head, kReach + distance), -slope * static_cast<double>(distance), 1e-12);
        EXPECT_EQ(table(head, kReach - distance), table(head, kReach + distance));
        EXPECT_LT(table(head, kReach + distance), table(head, kReach + distance - 1));
      }
    }
  }
}

// b(p_i, p_j) = b(p_i + s, p_j + s), read through a table that was made for more positions.
TEST(Alibi, IsUnchangedWhenAllPositionsShiftOrTheTableGrows) {
  const EncodingShape longer{.layers = 1, .heads = 6, .head_width = 4, .width = 24, .positions = 100};
  const Table wide = *resolve(parse_encoding("alibi"), longer).layers[0].bias;
  const Table table = bias("alibi", 6);
  for (int64_t head = 0; head < 6; ++head) {
    for (int64_t i = 0; i < kPositions; ++i) {
      for (int64_t j = 0; j < kPositions; ++j) {
        const int64_t shift = 50;
        ASSERT_EQ(wide(head, 99 + (j + shift) - (i + shift)), table(head, kReach + j - i));
      }
    }
  }
}

TEST(Alibi, AHeadKeepsItsSlopeWhenOthersGoWithout) {
  const Table all = bias("alibi", 6);
  const Table some = bias("alibi[heads=1,4]", 6);
  for (int64_t head = 0; head < 6; ++head) {
    const bool covered = head == 1 || head == 4;
    for (int64_t column = 0; column < all.columns; ++column) {
      ASSERT_EQ(some(head, column), covered ? all(head, column) : 0.0) << head;
    }
  }
}

}  // namespace
}  // namespace phasor
