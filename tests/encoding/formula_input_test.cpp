#include <gtest/gtest.h>

#include <cmath>

#include "encoding/input_terms.h"

namespace phasor {
namespace formula_input_test {

using testing_support::bias_traits;
using testing_support::input_at;
using testing_support::input_shape;
using testing_support::mistake;
using testing_support::parameter_names;
using testing_support::resolve_text;
using testing_support::start_of;

TEST(FormulaInput, NamesStandForPositionChannelAndCounts) {
  const ResolvedEncoding encoding = start_of("input(\"1000*i+10*c+C/100+a\",a=0.5)", input_shape());
  EXPECT_FALSE(encoding.input->per_length);
  for (int64_t p = 0; p < input_shape().positions; ++p) {
    for (int64_t c = 0; c < input_shape().width; ++c) {
      const double width = static_cast<double>(input_shape().width);
      const double expected = 1000.0 * static_cast<double>(p) + 10.0 * static_cast<double>(c) + width / 100.0 + 0.5;
      ASSERT_EQ(input_at(encoding, p, c), expected) << p << ", " << c;
    }
  }
}

TEST(FormulaInput, HasATableForEveryLengthWhereItReadsTheLength) {
  const ResolvedEncoding encoding = start_of("input(\"i/n\")", input_shape());
  ASSERT_TRUE(encoding.input->per_length);
  for (int64_t length = 1; length <= input_shape().positions; ++length) {
    for (int64_t p = 0; p < length; ++p) {
      ASSERT_EQ(input_at(encoding, p, 5, length), static_cast<double>(p) / static_cast<double>(length));
    }
  }
}

TEST(FormulaInput, TrainsItsNumbersOnceForTheModel) {
  const ResolvedEncoding encoding =
      resolve_text("input(\"a*sin(i*b)+c0\",a=learned(2),b=learned(0.5,min=0),c0=3)", input_shape());
  EXPECT_EQ(parameter_names(encoding), (std::vector<std::string>{"encoding.input.a", "encoding.input.b"}));
  const ResolvedEncoding trained = with_values(encoding, {{-1.5}, {0.25}});
  for (int64_t p = 0; p < input_shape().positions; ++p) {
    // One product and one sum are rounded on either side.
    ASSERT_NEAR(input_at(trained, p, 7), -1.5 * std::sin(0.25 * static_cast<double>(p)) + 3.0, 1e-14);
  }
}

// Terms that do not read the length are repeated where another one does.
TEST(FormulaInput, LengthDependentAndOtherTermsAddUp) {
  const std::string by_length = "input(\"a*i/n\",a=learned(3))";
  const ResolvedEncoding encoding = resolve_text("learned(init=1)+random+" + by_length, input_shape());
  const ParameterValues values = initial_values(encoding, 5);
  const ResolvedEncoding sum = with_values(encoding, values);
  const ResolvedEncoding random = start_of("random", input_shape());
  ASSERT_EQ(parameter_names(encoding), (std::vector<std::string>{"encoding.learned", "encoding.input.a"}));
  for (int64_t length = 1; length <= input_shape().positions; ++length) {
    for (int64_t p = 0; p < length; ++p) {
      for (int64_t c = 0; c < input_shape().width; ++c) {
        const double learned = values[0][static_cast<size_t>(p * input_shape().width + c)];
        const double ratio = 3.0 * static_cast<double>(p) / static_cast<double>(length);
        ASSERT_NEAR(input_at(sum, p, c, length), random.input->fixed(p, c) + learned + ratio, 1e-14) << length;
      }
    }
  }
}

TEST(FormulaInput, SaysWhatItIs) {
  EXPECT_EQ(bias_traits("input(\"i\")").coupling, Coupling::input);
  EXPECT_FALSE(bias_traits("input(\"i\")").exactly_relative || bias_traits("input(\"i\")").learnable);
  EXPECT_TRUE(bias_traits("input(\"a*i\",a=learned(1))").learnable);
  EXPECT_TRUE(bias_traits("input(\"i/n\")").depends_on_length);
  EXPECT_FALSE(bias_traits("input(\"c\")").bidirectional) << "the same at every position";
}

TEST(FormulaInput, PointsAtMistakes) {
  const EncodingShape shape = input_shape();
  EXPECT_EQ(mistake("input", shape), "column 1: input needs formula: in quotes, of i, n, c, C and your own names");
  EXPECT_EQ(mistake("input(\"d\")", shape), "column 8: unknown name 'd'; did you mean 'i'? Known: i, n, c, C, pi");
  EXPECT_EQ(mistake("input(\"c/i\")", shape), "column 1: the formula gives nan at c=0, i=0");
  EXPECT_EQ(mistake("input(\"a*i\",a=learned(1,per=head))", shape),
            "column 1: a is part of the embeddings, which all heads share: it cannot be learned per head");
}

}  // namespace formula_input_test
}  // namespace phasor
