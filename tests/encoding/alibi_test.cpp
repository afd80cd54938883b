#include <gtest/gtest.h>

#include <cmath>

#include "encoding/biases.h"

namespace phasor {
namespace alibi_test {

using namespace testing_support;

constexpr int64_t kPositions = 33;
constexpr int64_t kReach = kPositions - 1;
const std::string kSlopes[] = {"standard", "released", "learned"};

Table bias(const std::string& text, int64_t heads) {
  return start_of(text, bias_shape(heads, kPositions)).layers[0].bias->fixed;
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
  for (const std::string text : {"alibi", "alibi(learned)"}) {
    expect_slopes(text, {0.25, 0.0625, 0.015625, 0.00390625});
    expect_slopes(text, {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625});
    expect_slopes(text, {kRoot, 0.5, kRoot / 2, 0.25, kRoot / 4, 0.125, kRoot / 8, 0.0625, kRoot / 16, 0.03125,
                         kRoot / 32, 0.015625, kRoot / 64, 0.0078125, kRoot / 128, 0.00390625});
    expect_slopes(text, {0.00390625});
  }
}

TEST(Alibi, FillsUpHeadCountsThatAreNoPowerOfTwo) {
  for (const std::string text : {"alibi", "alibi(learned)"}) {
    expect_slopes(text, {0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125});
    expect_slopes(text, {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, kRoot, kRoot / 2,
                         kRoot / 4, kRoot / 8});
    expect_slopes(text, {0.0625, 0.00390625, 0.25});
  }
}

TEST(Alibi, HasTheReleasedSlopesByName) {
  expect_slopes("alibi(slopes=released)",
                {1.0, 0.77880078307140486825, 0.60653065971263342360, 0.47236655274101470714});
}

// Slopes are powers of two or once-rounded numbers and distances small integers: within 1e-12 with room.
TEST(Alibi, FallsOffLinearlyAndEvenlyOnBothSides) {
  for (const std::string& slopes : kSlopes) {
    const Table table = bias("alibi(" + slopes + ")", 6);
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

TEST(Alibi, IsToeplitz) {
  for (const std::string& slopes : kSlopes) expect_toeplitz("alibi(" + slopes + ")");
}

TEST(Alibi, DoesNotDependOnTheLongestSequence) {
  const ResolvedEncoding longer = start_of("alibi", bias_shape(6, 100));
  const ResolvedEncoding shorter = start_of("alibi", bias_shape(6, kPositions));
  for_each_bias(shorter.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    ASSERT_EQ(bias_at(longer, layer, head, i + 50, j + 50), bias_at(shorter, layer, head, i, j));
  });
}

TEST(Alibi, AHeadKeepsItsSlopeWhenOthersGoWithout) {
  for (const std::string& slopes : kSlopes) expect_assignable("alibi(" + slopes + ")");
}

TEST(Alibi, LearnedSlopesAreATensorPerLayer) {
  const ResolvedEncoding resolved = resolve_text("alibi(learned)[heads=1,3,layers=0,2]");
  EXPECT_EQ(parameter_names(resolved),
            (std::vector<std::string>{"layers.0.encoding.alibi.slope", "layers.2.encoding.alibi.slope"}));
  for (const LearnedParameter& parameter : resolved.parameters) {
    EXPECT_EQ(parameter.shape, (std::vector<int64_t>{2}));
    EXPECT_EQ(parameter.initial.values, (std::vector<double>{0.0625, 0.00390625}));
    EXPECT_EQ(parameter.least, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(parameter.most, std::numeric_limits<double>::infinity());
  }
}

TEST(Alibi, LearnedSlopesAreWhatTheTensorsHold) {
  const ResolvedEncoding resolved = resolve_text("alibi(learned)");
  ParameterValues values = initial_values(resolved, 0);
  values_of(values, resolved, "layers.1.encoding.alibi.slope") = {3.0, -0.5, 0.0, 0.125};
  const ResolvedEncoding trained = with_values(resolved, values);
  for (int64_t d = 0; d < 20; ++d) {
    EXPECT_EQ(bias_at(trained, 1, 0, d, 0), -3.0 * static_cast<double>(d));
    EXPECT_EQ(bias_at(trained, 1, 1, 0, d), 0.5 * static_cast<double>(d));
    EXPECT_EQ(bias_at(trained, 0, 0, d, 0), -0.25 * static_cast<double>(d));  // another layer's slopes stay
  }
}

TEST(Alibi, SaysWhatItIs) {
  EXPECT_TRUE(bias_traits("alibi").exactly_relative && bias_traits("alibi").extrapolates);
  EXPECT_FALSE(bias_traits("alibi").learnable || bias_traits("alibi(released)").learnable);
  EXPECT_TRUE(bias_traits("alibi(learned)").learnable);
}

TEST(Alibi, RefusesOtherSlopes) {
  EXPECT_EQ(mistake("alibi(slopes=learnt)"), "column 14: alibi: unknown slopes 'learnt'; did you mean 'learned'?");
}

}  // namespace alibi_test
}  // namespace phasor
