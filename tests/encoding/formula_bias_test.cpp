#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "encoding/biases.h"

namespace phasor {
namespace formula_bias_test {

using namespace testing_support;

// --- Every built-in bias that can be written down is what its formula says ------------------------

TEST(FormulaBias, CanBeAlibi) {
  const EncodingShape shape = bias_shape(8, 50);
  expect_equal_biases(start_of("bias(\"-2^(-8*(h+1)/H)*abs(d)\")", shape), start_of("alibi", shape), 1e-12);
  expect_equal_biases(start_of("bias(\"-exp(-h/H)*abs(d)\")", shape), start_of("alibi(released)", shape), 1e-12);
}

TEST(FormulaBias, CanBeKerple) {
  const EncodingShape shape = bias_shape(4, 50);
  const auto expect_kernel = [&](const std::string& built_in, const std::string& formula) {
    const ResolvedEncoding kerple = resolve_text(built_in, shape);
    const ResolvedEncoding bias = resolve_text(
        "bias(\"" + formula + "\",p=learned(1,per=head,min=0.01),q=learned(1,per=head,min=0.01,max=2))", shape);
    ASSERT_EQ(kerple.parameters.size(), bias.parameters.size());
    const ParameterValues values = initial_values(kerple, 11);  // in the order of layers, then names
    expect_equal_biases(with_values(bias, values), with_values(kerple, values), 1e-12);
  };
  expect_kernel("kerple", "-p*log(1+q*abs(d))");
  expect_kernel("kerple(power)", "-p*abs(d)^q");
}

TEST(FormulaBias, CanBeSandwich) {
  const EncodingShape shape = bias_shape(6, 50);
  const std::string formula = "H/(8*(h+1))*(cos(d)+cos(d*b^(-1/4))+cos(d*b^(-1/2))+cos(d*b^(-3/4)))";
  expect_equal_biases(start_of("bias(\"" + formula + "\",b=300)", shape),
                      start_of("sandwich(channels=8,base=300)", shape), 1e-12);
}

// --- What its names stand for ---------------------------------------------------------------------

TEST(FormulaBias, NamesStandForPlaces) {
  const EncodingShape shape = bias_shape(4, 9);
  const ResolvedEncoding resolved = start_of("bias(\"d+100*i+1e4*h+1e6*l+1e8*n+1e-2*H+1e-4*L\")", shape);
  for (const int64_t length : {3, 9}) {
    for (int64_t layer = 0; layer < 3; ++layer) {
      for (int64_t head = 0; head < 4; ++head) {
        for (int64_t i = 0; i < length; ++i) {
          for (int64_t j = 0; j < length; ++j) {
            const double expected = static_cast<double>(j - i + 100 * i + 10000 * head + 1000000 * layer) +
                                    1e8 * static_cast<double>(length) + 4e-2 + 3e-4;
            ASSERT_NEAR(bias_at(resolved, layer, head, i, j, length), expected, 1e-12 * expected);
          }
        }
      }
    }
  }
}

TEST(FormulaBias, TablesAreAsLargeAsTheFormulaNeeds) {
  const auto form = [](const std::string& text) {
    const ResolvedEncoding resolved = resolve_text(text);
    return std::pair{resolved.layers[0].bias->rows > 1, resolved.layers[0].bias->per_length};
  };
  EXPECT_EQ(form("bias(\"-abs(d)\")"), (std::pair{false, false}));
  EXPECT_EQ(form("bias(\"-abs(d)/(i+1)\")"), (std::pair{true, false}));
  EXPECT_EQ(form("bias(\"-abs(d)/n\")"), (std::pair{false, true}));
  EXPECT_EQ(form("bias(\"d*i/n\")"), (std::pair{true, true}));
}

TEST(FormulaBias, LayersShareOneTableUnlessTheFormulaTellsThemApart) {
  const ResolvedEncoding same = resolve_text("bias(\"h*d\")");
  EXPECT_EQ(same.layers[0].bias, same.layers[2].bias);
  const ResolvedEncoding apart = resolve_text("bias(\"l*d\")");
  EXPECT_NE(apart.layers[0].bias, apart.layers[2].bias);
}

TEST(FormulaBias, IsToeplitzAndAssignable) {
  for (const std::string text : {"bias(\"h*cos(d)+l\")", "bias(\"a*d*(h+1)\",a=learned(2))"}) {
    expect_toeplitz(text);
    expect_assignable(text);
  }
}

// A causal mask leaves no distances ahead, so a formula need not be defined there.
TEST(FormulaBias, NeedsValuesOnlyWhereAModelReadsThem) {
  EXPECT_EQ(mistake("bias(\"-sqrt(-d)\")", bias_shape(4, 20, true)), "no mistake");
  EXPECT_EQ(mistake("bias(\"-sqrt(-d)\")"), "column 1: the formula gives nan at d=1");
  EXPECT_EQ(mistake("bias(\"-sqrt(d+i)\")"), "no mistake");  // the key's position
}

// --- Numbers that are trained ---------------------------------------------------------------------

TEST(FormulaBias, TrainsANumberPerLayerOrPerHead) {
  const ResolvedEncoding resolved =
      resolve_text("bias(\"a*d+b*abs(d)+k\",a=learned(0.5),b=learned(-1,per=head,min=-2,max=0),k=3)[heads=1-2]");
  EXPECT_EQ(
      parameter_names(resolved),
      (std::vector<std::string>{"layers.0.encoding.bias.a", "layers.0.encoding.bias.b", "layers.1.encoding.bias.a",
                                "layers.1.encoding.bias.b", "layers.2.encoding.bias.a", "layers.2.encoding.bias.b"}));
  const LearnedParameter b = parameter_of(resolved, "layers.1.encoding.bias.b");
  EXPECT_EQ(b.shape, (std::vector<int64_t>{2}));
  EXPECT_EQ(b.least, -2.0);
  EXPECT_EQ(b.most, 0.0);
  EXPECT_EQ(parameter_of(resolved, "layers.1.encoding.bias.a").shape, (std::vector<int64_t>{1}));
  ParameterValues values = initial_values(resolved, 0);
  EXPECT_EQ(values[0], (std::vector<double>{0.5}));
  EXPECT_EQ(values[1], (std::vector<double>{-1.0, -1.0}));
  values_of(values, resolved, "layers.1.encoding.bias.a") = {0.25};
  values_of(values, resolved, "layers.1.encoding.bias.b") = {-1.5, -0.125};
  const ResolvedEncoding trained = with_values(resolved, values);
  for_each_bias(trained.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    const double d = static_cast<double>(j - i);
    const double slope = layer != 1 ? -1.0 : head == 1 ? -1.5 : -0.125;
    const double expected = (layer == 1 ? 0.25 : 0.5) * d + slope * std::abs(d) + 3.0;
    ASSERT_EQ(bias_at(trained, layer, head, i, j), head == 1 || head == 2 ? expected : 0.0);
  });
}

TEST(FormulaBias, TermsOfOneNameHaveTensorsOfTheirOwn) {
  const ResolvedEncoding resolved =
      resolve_text("bias(\"a*d\",a=learned(1))[layers=0]+bias(\"a*abs(d)\",a=learned(2))[layers=0]");
  EXPECT_EQ(parameter_names(resolved),
            (std::vector<std::string>{"layers.0.encoding.bias.a", "layers.0.encoding.bias_2.a"}));
  const ResolvedEncoding started = with_values(resolved, initial_values(resolved, 0));
  EXPECT_EQ(bias_at(started, 0, 0, 3, 0), 3.0);
  EXPECT_EQ(bias_at(started, 0, 0, 0, 3), 9.0);
}

TEST(FormulaBias, SaysWhatItIs) {
  EXPECT_TRUE(bias_traits("bias(\"d\")").exactly_relative);
  EXPECT_TRUE(bias_traits("bias(\"d\")").bidirectional);
  EXPECT_FALSE(bias_traits("bias(\"d\")").learnable || bias_traits("bias(\"d\")").depends_on_length);
  EXPECT_FALSE(bias_traits("bias(\"d*i\")").exactly_relative);
  EXPECT_TRUE(bias_traits("bias(\"d/n\")").depends_on_length);
  EXPECT_TRUE(bias_traits("bias(\"a*d\",a=learned(1))").learnable);
  EXPECT_FALSE(bias_traits("bias(\"h\")").bidirectional);
}

// --- Mistakes -------------------------------------------------------------------------------------

TEST(FormulaBias, PointsAtMistakes) {
  EXPECT_EQ(mistake("bias"), "column 1: bias needs formula: in quotes, of d, i, n, h, l, H, L and your own names");
  EXPECT_EQ(mistake("bias(abs)").rfind("column 6: bias: formula must be a formula in quotes, not abs", 0), 0u);
  EXPECT_TRUE(mistake("bias(\"d+q\")").starts_with("column 9: unknown name 'q'"));
  EXPECT_TRUE(mistake("bias(\"d+\")").starts_with("column 9: bias: formula: expected a number"));
  EXPECT_EQ(mistake("bias(\"d\",a=1)"), "column 10: the formula does not use 'a'");
  EXPECT_EQ(mistake("bias(\"d*H\",H=1)"),
            "column 12: 'H' already means something in this formula; choose another name");
  EXPECT_EQ(mistake("bias(\"a*d\",a=learned(1,min=2))"),
            "column 14: bias: a starts from 1, which is not from 2 to 1e300");
  EXPECT_EQ(mistake("bias(\"1/d\")"), "column 1: the formula gives inf at d=0");
  EXPECT_EQ(mistake("bias(\"a/(d-i)\",a=learned(1))"), "column 1: the formula gives inf at d=0, i=0");
}

}  // namespace formula_bias_test
}  // namespace phasor
