#include <gtest/gtest.h>

#include "encoding/input_terms.h"

namespace phasor {
namespace learned_test {

using testing_support::input_at;
using testing_support::input_shape;
using testing_support::resolve_text;
using testing_support::start_of;

TEST(Learned, IsATensorOfTheModelsShape) {
  const ResolvedEncoding encoding = resolve_text("learned", input_shape());
  ASSERT_EQ(encoding.parameters.size(), 1u);
  const LearnedParameter& table = encoding.parameters[0];
  EXPECT_EQ(table.name, "encoding.learned");
  EXPECT_EQ(table.shape, (std::vector<int64_t>{input_shape().positions, input_shape().width}));
  EXPECT_EQ(table.initial.kind, InitialValues::Kind::normal);
  EXPECT_EQ(table.initial.centre, 0.0);
  EXPECT_EQ(table.initial.size, 0.02);
  EXPECT_EQ(table.least, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(table.most, std::numeric_limits<double>::infinity());
}

TEST(Learned, TakesTheDeviationItStartsWith) {
  EXPECT_EQ(resolve_text("learned(init=1)", input_shape()).parameters[0].initial.size, 1.0);
  EXPECT_EQ(resolve_text("learned(0)+rope", input_shape()).parameters[0].initial.size, 0.0);
}

TEST(Learned, RowsOfTheTensorAreThePositionsVectors) {
  const ResolvedEncoding encoding = resolve_text("learned(init=1)", input_shape());
  const ParameterValues values = initial_values(encoding, 3);
  const ResolvedEncoding started = with_values(encoding, values);
  for (int64_t p = 0; p < input_shape().positions; ++p) {
    for (int64_t c = 0; c < input_shape().width; ++c) {
      const double expected = values[0][static_cast<size_t>(p * input_shape().width + c)];
      ASSERT_EQ(input_at(started, p, c), expected) << p << ", " << c;
    }
  }
}

TEST(Learned, AddsToFixedAndOtherLearnedTerms) {
  const ResolvedEncoding encoding = resolve_text("learned+learned(init=1)+sinusoidal", input_shape());
  ASSERT_EQ(encoding.parameters.size(), 2u);
  EXPECT_EQ(encoding.parameters[0].name, "encoding.learned");
  EXPECT_EQ(encoding.parameters[1].name, "encoding.learned_2");
  const ParameterValues values = initial_values(encoding, 3);
  const ResolvedEncoding sum = with_values(encoding, values);
  const ResolvedEncoding sinusoidal = start_of("sinusoidal", input_shape());
  for (size_t e = 0; e < sum.input->fixed.values.size(); ++e) {
    ASSERT_EQ(sum.input->fixed.values[e], sinusoidal.input->fixed.values[e] + values[0][e] + values[1][e]) << e;
  }
}

}  // namespace learned_test
}  // namespace phasor
