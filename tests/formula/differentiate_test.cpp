#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "formula/derivative_bound.h"
#include "formula/formula_tree.h"
#include "phasor/formula/evaluate.h"
#include "phasor/formula/formula.h"

namespace phasor {
namespace differentiate_test {

using testing_support::DerivativeTrace;
using testing_support::FormulaTree;
using testing_support::kUnit;
using testing_support::RandomFormulaTree;
using testing_support::Traced;
using testing_support::Wide;
using testing_support::WideComplex;

// d text / d a and d text / d b with dvalue = 1, for one column d.
std::vector<double> derivatives(const std::string& text, double a, double b, double d = 0.0, double dvalue = 1.0) {
  const double parameters[] = {a, b};
  const double* columns[] = {&d};
  std::vector<double> result(2, 0.0);
  const FormulaProgram program = Formula::parse(text).compile({.column_variables = {"d"}, .parameters = {"a", "b"}});
  differentiate(program, {.column_values = columns, .parameters = parameters, .columns = 1}, &dvalue, result.data());
  return result;
}

// Each operation alone, by complex step. The bound: six roundings, the argument y - 1 of a power, 1 - z^2 of tanh.
TEST(FormulaDifferentiate, EveryOperationHasTheDerivativeOfAComplexStep) {
  std::mt19937_64 random(3);
  const auto draw = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const std::vector<std::string> texts = {"a+b",    "a-b",    "a*b",     "a/b",      "a^b",
                                          "-a",     "abs(a)", "log(a)",  "exp(a)",   "sqrt(a)",
                                          "sin(a)", "cos(a)", "tanh(a)", "min(a,b)", "max(a,b)"};
  for (const std::string& text : texts) {
    const FormulaProgram program = Formula::parse(text).compile({.parameters = {"a", "b"}});
    const FormulaOpcode opcode = program.instructions.back().opcode;
    const bool positive = text == "a^b" || text == "log(a)" || text == "sqrt(a)";
    for (int i = 0; i < 500; ++i) {
      const double a = draw(positive ? 0.01 : -8.0, 8.0), b = draw(-8.0, 8.0);
      const std::vector<double> found = derivatives(text, a, b);
      for (int operand = 0; operand < operand_count(opcode); ++operand) {
        const Wide expected = testing_support::local_derivative(opcode, operand, a, b);
        Wide bound = 6 * kUnit * std::abs(expected);
        if (text == "a^b") bound *= 1 + std::abs((b - 1) * std::log(a));
        if (text == "tanh(a)") bound += 4 * kUnit;
        ASSERT_NEAR(found[static_cast<size_t>(operand)], static_cast<double>(expected), static_cast<double>(bound))
            << text << " at " << a << ", " << b;
      }
    }
  }
}

// A power of a negative number has a derivative by its base where the exponent is whole, and none by the exponent.
TEST(FormulaDifferentiate, PowersOfNegativeNumbers) {
  for (const double a : {-2.5, -1.0, -0.3}) {
    EXPECT_NEAR(derivatives("a^3", a, 0)[0], 3 * a * a, 4e-16 * 3 * a * a);
    EXPECT_NEAR(derivatives("a^b", a, -2.0)[0], -2 / (a * a * a), std::abs(8e-16 / (a * a * a)));
    EXPECT_EQ(derivatives("a^b", a, 3.0)[1], 0.0);
    EXPECT_EQ(derivatives("a^2", a, 0)[0], 2 * a);
  }
}

TEST(FormulaDifferentiate, StepsHaveNone) {
  for (const std::string text :
       {"sign(a)", "floor(a)", "a<b", "a<=b", "a>b", "a>=b", "a==b", "a!=b", "floor(a*d)+b-b"}) {
    for (const double a : {-1.0, 0.0, 1.0, 1.5})
      EXPECT_EQ(derivatives(text, a, 1.0), std::vector<double>(2, 0.0)) << text;
  }
}

TEST(FormulaDifferentiate, ZerosAndTies) {
  struct Case {
    std::string text;
    double a, b, by_a, by_b;
  };
  const std::vector<Case> cases = {
      {"abs(a)", 0, 0, 0, 0},
      {"abs(a)", -0.0, 0, 0, 0},
      {"min(a,b)", 2, 2, 0.5, 0.5},
      {"max(a,b)", 2, 2, 0.5, 0.5},
      {"max(a,-a)", 0, 0, 0, 0},
      {"min(a,b)", 1, 2, 1, 0},
      {"max(a,b)", 1, 2, 0, 1},
      {"log(a)", 0, 0, 0, 0},
      {"sqrt(a)", 0, 0, 0, 0},
      {"a/b", 3, 0, 0, 0},
      {"a/b", 0, 2, 0.5, 0},
      {"a^b", 0, 2, 0, 0},
      {"a^b", 0, 1, 1, 0},
      {"a^b", 0, 0.5, 0, 0},  // the slope is infinite
      {"a^b", 0, 0, 0, 0},
      {"a^b", 0, -1, 0, 0},
      {"a^b", 1, 0, 0, 0},
      {"a^b", 2, 0, 0, std::numbers::ln2},
      {"a^2", 0, 0, 0, 0},
      {"a^1", 0, 0, 1, 0},
      {"a^0", 0, 0, 0, 0},
      {"sqrt(a*d)", 5, 0, 0, 0},       // d = 0: constant in a
      {"(a*abs(d))^b", 5, 0.5, 0, 0},  // 0 for every a and every b > 0
      {"a*abs(d)^b", 5, 0.5, 0, 0},
      {"a-a", 3, 0, 0, 0},
      {"a*a", 3, 0, 6, 0},
      {"a+b", 3, 0, 1, 1},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(derivatives(one.text, one.a, one.b), (std::vector<double>{one.by_a, one.by_b}))
        << one.text << " at " << one.a << ", " << one.b;
  }
}

// An infinite value that nothing looks at must not turn the sum into NaN.
TEST(FormulaDifferentiate, WhatHasNoWeightHasNoSay) {
  EXPECT_EQ(derivatives("log(a*d)", 2, 0, 0.0, 0.0), std::vector<double>(2, 0.0));       // -inf, of weight 0
  EXPECT_EQ(derivatives("sqrt(a*d)", 2, 0, -1.0, 0.0), std::vector<double>(2, 0.0));     // NaN, of weight 0
  EXPECT_EQ(derivatives("a/d", 2, 0, 0.0, 0.0), std::vector<double>(2, 0.0));            // inf, of weight 0
  EXPECT_EQ(derivatives("min(exp(a*d),b)", 1, 3, 1000.0), (std::vector<double>{0, 1}));  // inf, and not the smaller
  EXPECT_EQ(derivatives("min(a^d,b)", 10, 3, 400.0), (std::vector<double>{0, 1}));
  EXPECT_EQ(derivatives("max(exp(a*d),b)", 1, 3, -1e6), (std::vector<double>{0, 1}));
}

// Published formulas and their like over 200 columns. Oracle: the formula in C++, by complex step in long double.
// The bound: each instruction rounds its derivative six times at most, and an error on the way grows at most by
// `growth` (an argument of exp, an exponent times a logarithm); the sum over columns rounds once per column, which
// the size of its terms covers.
TEST(FormulaDifferentiate, WholeFormulasHaveTheDerivativesOfAComplexStep) {
  using C = WideComplex;
  struct Case {
    std::string text;
    std::function<C(C a, C b, Wide d)> code;
    Wide growth;
  };
  const auto size = [](Wide d) { return std::abs(d); };
  const std::vector<Case> cases = {
      {"-a*abs(d)", [&](C a, C, Wide d) { return -a * size(d); }, 1},
      {"-a*log(1+b*abs(d))", [&](C a, C b, Wide d) { return -a * std::log(Wide(1) + b * size(d)); }, 4},
      {"-a*(1+abs(d))^b", [&](C a, C b, Wide d) { return -a * std::pow(C(1 + size(d)), b); }, 8},
      {"a*exp(-(b*d)^2/100)", [&](C a, C b, Wide d) { return a * std::exp(-b * b * d * d / Wide(100)); }, 64},
      {"a*cos(b*d)+b*sin(a*d)", [&](C a, C b, Wide d) { return a * std::cos(b * d) + b * std::sin(a * d); }, 128},
      {"tanh(a*d/50)/(1+exp(-b*d/50))",
       [&](C a, C b, Wide d) { return std::tanh(a * d / Wide(50)) / (Wide(1) + std::exp(-b * d / Wide(50))); }, 8},
      {"sqrt(1+a*d^2)-b/sqrt(2+d^2)",
       [&](C a, C b, Wide d) { return std::sqrt(Wide(1) + a * d * d) - b / std::sqrt(2 + d * d); }, 4},
      {"(d<0)*a+(d>=0)*b*a", [&](C a, C b, Wide d) { return d < 0 ? a : b * a; }, 1},
      {"log(1+a*abs(d))/log(1+a*max(abs(d),20.5))+b",
       [&](C a, C b, Wide d) {
         return std::log(Wide(1) + a * size(d)) / std::log(Wide(1) + a * std::max(size(d), Wide(20.5))) + b;
       },
       16},
      {"exp(a)*sin(b)", [&](C a, C b, Wide) { return std::exp(a) * std::sin(b); }, 1},  // the same for all columns
  };
  constexpr int64_t kColumns = 200;
  constexpr Wide kStep = 1e-100L;
  std::vector<double> d, dvalues;
  for (int64_t c = 0; c < kColumns; ++c) {
    d.push_back(static_cast<double>(c) - 100.25);
    dvalues.push_back(std::sin(static_cast<double>(c)));
  }
  const double* columns[] = {d.data()};
  const double parameters[] = {0.7, 0.3};
  for (const Case& one : cases) {
    const FormulaProgram program =
        Formula::parse(one.text).compile({.column_variables = {"d"}, .parameters = {"a", "b"}});
    double found[2] = {0.0, 0.0};
    differentiate(program, {.column_values = columns, .parameters = parameters, .columns = kColumns}, dvalues.data(),
                  found);
    Wide expected[2] = {0, 0}, sizes[2] = {0, 0};
    for (size_t c = 0; c < d.size(); ++c) {
      const Wide by[2] = {one.code(C(parameters[0], kStep), C(parameters[1]), d[c]).imag() / kStep,
                          one.code(C(parameters[0]), C(parameters[1], kStep), d[c]).imag() / kStep};
      for (int k = 0; k < 2; ++k) {
        expected[k] += dvalues[c] * by[k];
        sizes[k] += std::abs(dvalues[c] * by[k]);
      }
    }
    for (int k = 0; k < 2; ++k) {
      const Wide roundings = 6 * static_cast<Wide>(program.instructions.size()) * one.growth + kColumns;
      EXPECT_NEAR(found[k], static_cast<double>(expected[k]), static_cast<double>(kUnit * roundings * sizes[k]))
          << one.text << " by " << (k == 0 ? "a" : "b");
    }
  }
}

// Any formula at all: three columns, against operation-wise complex steps and their rounding errors.
TEST(FormulaDifferentiate, RandomFormulasStayWithinTheirRoundingErrors) {
  constexpr size_t kColumns = 3;
  size_t compared = 0, above_zero = 0;
  Wide worst = 0;
  for (uint64_t sample = 0; sample < 40000; ++sample) {
    RandomFormulaTree random(sample, {"a", "a", "b", "b", "d", "j", "i"});
    const FormulaTree tree = random.tree(4);
    const std::string text = tree.text();
    const FormulaProgram program = Formula::parse(text).compile(
        {.row_variables = {"i"}, .column_variables = {"d", "j"}, .parameters = {"a", "b"}});
    double values[3], d[kColumns], j[kColumns], dvalues[kColumns];  // a, b, i
    for (double& value : values) value = random.signed_number();
    Wide expected[2] = {0, 0}, bound[2] = {1e-250L, 1e-250L};
    bool usable = true;
    for (size_t c = 0; c < kColumns; ++c) {
      d[c] = random.signed_number();
      j[c] = random.signed_number();
      dvalues[c] = random.signed_number();
      const DerivativeTrace trace({{"a", values[0]}, {"b", values[1]}, {"i", values[2]}, {"d", d[c]}, {"j", j[c]}},
                                  {"a", "b"});
      const Traced traced = trace.trace(tree);
      usable = usable && traced.usable;
      for (size_t k = 0; k < 2 && usable; ++k) {
        expected[k] += dvalues[c] * traced.derivative[k];
        // Twice the first order; then the product with dvalue and the sum over columns.
        bound[k] += std::abs(dvalues[c]) * (2 * traced.error[k] + 4 * kUnit * traced.size[k]);
      }
    }
    if (!usable) continue;
    const double* columns[] = {d, j};
    double found[2] = {0.0, 0.0};
    differentiate(program, {&values[2], columns, values, kColumns}, dvalues, found);
    for (size_t k = 0; k < 2; ++k) {
      const Wide miss = std::abs(found[k] - expected[k]);
      ASSERT_LE(miss, bound[k]) << text << " by " << (k == 0 ? "a" : "b") << ": " << found[k] << " not "
                                << static_cast<double>(expected[k]);
      worst = std::max(worst, miss / bound[k]);
      ++compared;
      above_zero += expected[k] != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 10000u);
  EXPECT_GT(above_zero, 5000u) << "too many formulas without a parameter";
  EXPECT_GT(worst, 0.02L) << "the bound is so wide that it says nothing";
}

// The order of the sum is that of the columns, whatever the blocks.
TEST(FormulaDifferentiate, SumsInTheOrderOfTheColumns) {
  std::vector<double> d(200), dvalues(200);
  for (size_t c = 0; c < d.size(); ++c) {
    d[c] = std::exp(std::sin(static_cast<double>(7 * c)));
    dvalues[c] = std::cos(static_cast<double>(3 * c));
  }
  const double* columns[] = {d.data()};
  const double parameters[] = {2.0, 3.0};
  const FormulaProgram program = Formula::parse("a*d+b").compile({.column_variables = {"d"}, .parameters = {"a", "b"}});
  for (const size_t count : {0, 1, 63, 64, 65, 128, 129, 200}) {
    volatile double by_a = 0.0, by_b = 0.0;  // volatile: the compiler fuses no product with a sum
    for (size_t c = 0; c < count; ++c) {
      volatile const double term = dvalues[c] * d[c];
      by_a = by_a + term;
      by_b = by_b + dvalues[c];
    }
    double found[2] = {0.0, 0.0};
    differentiate(program, {.column_values = columns, .parameters = parameters, .columns = static_cast<int64_t>(count)},
                  dvalues.data(), found);
    EXPECT_EQ(found[0], by_a) << count;
    EXPECT_EQ(found[1], by_b) << count;
  }
}

TEST(FormulaDifferentiate, AddsToWhatIsThere) {
  const double parameters[] = {2.0, 3.0}, dvalues[] = {1.0, 10.0};
  const FormulaProgram program = Formula::parse("a*a").compile({.parameters = {"a", "b"}});
  double found[2] = {100.0, 200.0};
  differentiate(program, {.parameters = parameters, .columns = 2}, dvalues, found);
  EXPECT_EQ(found[0], 144.0);
  EXPECT_EQ(found[1], 200.0);
}

}  // namespace differentiate_test
}  // namespace phasor
