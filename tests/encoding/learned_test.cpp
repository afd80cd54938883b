#include <gtest/gtest.h>

#include "phasor/encoding/encoding.h"

namespace phasor {
namespace {

LearnedTable learned(const std::string& text) {
  const EncodingShape shape{.layers = 2, .heads = 4, .head_width = 8, .width = 32, .positions = 57};
  return *resolve(parse_encoding(text), shape).learned_input;
}

TEST(Learned, IsAParameterOfTheModelsShape) {
  const LearnedTable table = learned("learned");
  EXPECT_EQ(table.parameter, "encoding.learned");
  EXPECT_EQ(table.rows, 57);
  EXPECT_EQ(table.columns, 32);
  EXPECT_EQ(table.deviation, 0.02);
}

TEST(Learned, TakesTheDeviationItStartsWith) {
  EXPECT_EQ(learned("learned(init=1)").deviation, 1.0);
  EXPECT_EQ(learned("learned(0)+rope").deviation, 0.0);
}

TEST(Learned, StandsBesideFixedInputTerms) {
  const EncodingShape shape{.layers = 1, .heads = 1, .head_width = 4, .width = 4, .positions = 3};
  const ResolvedEncoding both = resolve(parse_encoding("learned+sinusoidal"), shape);
  EXPECT_TRUE(both.fixed_input);
  EXPECT_TRUE(both.learned_input);
}

}  // namespace
}  // namespace phasor
