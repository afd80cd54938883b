#include "phasor/formula/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <thread>

#include "formula/formula_tree.h"
#include "phasor/formula/formula.h"

namespace phasor {
namespace evaluate_test {

using testing_support::RandomFormulaTree;

const FormulaNames kNames = {
    .row_variables = {"i", "h"}, .column_variables = {"d", "j"}, .parameters = {"a", "b"}, .constants = {{"C", 8.0}}};

FormulaProgram compiled(const std::string& text) { return Formula::parse(text).compile(kNames); }

// A row with room behind the values that nobody may touch.
struct Row {
  static constexpr double kUntouched = -12345.0;

  double row_values[2] = {5.0, 3.0};
  double parameters[2] = {0.75, 0.25};
  std::vector<double> d, j;
  const double* columns[2] = {nullptr, nullptr};

  explicit Row(int64_t count) {
    for (int64_t c = 0; c < count; ++c) {
      d.push_back(static_cast<double>(c) - 20.0);
      j.push_back(0.125 * static_cast<double>(c + 1));
    }
    columns[0] = d.data();
    columns[1] = j.data();
  }

  FormulaRow view() const { return {row_values, columns, parameters, static_cast<int64_t>(d.size())}; }

  std::vector<double> values(const FormulaProgram& program) const {
    std::vector<double> result(d.size() + 1, kUntouched);
    evaluate(program, view(), result.data());
    EXPECT_EQ(result.back(), kUntouched) << "written past the end";
    result.pop_back();
    return result;
  }
};

bool same_bits(double one, double two) {
  return std::bit_cast<uint64_t>(one) == std::bit_cast<uint64_t>(two) || (std::isnan(one) && std::isnan(two));
}

// The formulas of published encodings, written out in C++. Each instruction rounds once (a call of libm twice), and
// an error on the way grows at most by `growth`, relative to the value or, where terms can cancel, to 1 + the value.
TEST(FormulaEvaluate, PublishedFormulasHaveTheValuesOfTheirCode) {
  struct Case {
    std::string text;
    std::function<double(double i, double h, double d, double j, double a, double b)> code;
    double growth;
    bool cancels = false;
  };
  const std::vector<Case> cases = {
      {"-2^(-8*(h+1)/C)*abs(d)",
       [](double, double h, double d, double, double, double) { return -std::pow(2, -8 * (h + 1) / 8) * std::abs(d); },
       8},
      {"-a*log(1+b*abs(d))",
       [](double, double, double d, double, double a, double b) { return -a * std::log(1 + b * std::abs(d)); }, 1},
      {"-a*abs(d)^b",
       [](double, double, double d, double, double a, double b) { return -a * std::pow(std::abs(d), b); }, 1},
      {"exp(-(d*b)^2/8)",
       [](double, double, double d, double, double, double b) { return std::exp(-d * b * d * b / 8); },
       256},  // the largest argument of exp
      {"log(1+a*j)/log(1+a*max(b,i))",
       [](double i, double, double, double j, double a, double b) {
         return std::log1p(a * j) / std::log1p(a * std::max(b, i));
       },
       11},  // 1 / log(1 + x): the formula rounds 1 + x before the logarithm
      {"cos(pi*d/C)*(d>=0)+(d<0)",
       [](double, double, double d, double, double, double) {
         return d >= 0 ? std::cos(std::numbers::pi * d / 8) : 1.0;
       },
       80, true},  // the largest argument of cos
      {"min(floor(j/a),i)",
       [](double i, double, double, double j, double a, double) { return std::min(std::floor(j / a), i); }, 1},
      {"tanh(sqrt(j))*sign(d)-(d!=0)*(d==3)",
       [](double, double, double d, double j, double, double) {
         return std::tanh(std::sqrt(j)) * (d > 0 ? 1 : d < 0 ? -1 : 0) - (d == 3 ? 1 : 0);
       },
       1, true},
  };
  const Row row(200);
  for (const Case& one : cases) {
    const FormulaProgram program = compiled(one.text);
    const double unit =
        std::numeric_limits<double>::epsilon() * static_cast<double>(program.instructions.size()) * one.growth;
    const std::vector<double> values = row.values(program);
    for (size_t c = 0; c < values.size(); ++c) {
      const double expected = one.code(5.0, 3.0, row.d[c], row.j[c], 0.75, 0.25);
      ASSERT_NEAR(values[c], expected, unit * (std::abs(expected) + (one.cancels ? 1.0 : 0.0)))
          << one.text << " at " << row.d[c];
    }
  }
}

// Folding, sharing, blocks and values that are computed once change no bit of what one operation after the other gives.
TEST(FormulaEvaluate, RandomFormulasHaveTheBitsOfAWalkOverTheTree) {
  size_t finite = 0, all = 0;
  for (uint64_t sample = 0; sample < 3000; ++sample) {
    RandomFormulaTree random(sample, {"i", "h", "d", "j", "a", "b", "C"});
    const testing_support::FormulaTree tree = random.tree(4);
    Row row(70);
    for (double& value : row.row_values) value = random.signed_number();
    for (double& value : row.parameters) value = random.signed_number();
    for (double& value : row.d) value = random.signed_number();
    for (double& value : row.j) value = random.signed_number();
    const std::vector<double> values = row.values(compiled(tree.text()));
    for (size_t c = 0; c < values.size(); ++c) {
      const double expected = tree.value({{"i", row.row_values[0]},
                                          {"h", row.row_values[1]},
                                          {"d", row.d[c]},
                                          {"j", row.j[c]},
                                          {"a", row.parameters[0]},
                                          {"b", row.parameters[1]},
                                          {"C", 8.0}});
      ASSERT_TRUE(same_bits(values[c], expected)) << tree.text() << ": " << values[c] << " not " << expected;
      finite += std::isfinite(expected) ? 1 : 0;
      ++all;
    }
  }
  EXPECT_GT(finite, all / 2) << "too many formulas say nothing";
}

TEST(FormulaEvaluate, ZerosTiesAndWhatIsNoNumber) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  struct Case {
    std::string text;
    double a, b, expected;
  };
  const std::vector<Case> cases = {
      {"sign(a)", 0.0, 0, 0.0},      {"sign(a)", -0.0, 0, 0.0},        {"sign(a)", -kInfinity, 0, -1.0},
      {"sign(a)", kNan, 0, kNan},    {"abs(a)", -0.0, 0, 0.0},         {"floor(a)", -0.5, 0, -1.0},
      {"floor(a)", 3.0, 0, 3.0},     {"log(a)", 0.0, 0, -kInfinity},   {"log(a)", -1.0, 0, kNan},
      {"sqrt(a)", -1.0, 0, kNan},    {"exp(a)", 1000.0, 0, kInfinity}, {"tanh(a)", kInfinity, 0, 1.0},
      {"a/b", 1.0, 0.0, kInfinity},  {"a/b", 0.0, 0.0, kNan},          {"a^b", 0.0, 0.0, 1.0},
      {"a^b", 0.0, -1.0, kInfinity}, {"a^b", -2.0, 3.0, -8.0},         {"a^b", -2.0, 0.5, kNan},
      {"min(a,b)", 2.0, 2.0, 2.0},   {"min(a,b)", kNan, 1.0, kNan},    {"min(a,b)", 1.0, kNan, kNan},
      {"max(a,b)", kNan, 1.0, kNan}, {"max(a,b)", 1.0, kNan, kNan},    {"max(a,b)", -kInfinity, 1.0, 1.0},
      {"a<b", 1.0, 1.0, 0.0},        {"a<=b", 1.0, 1.0, 1.0},          {"a>b", 1.0, 1.0, 0.0},
      {"a>=b", 1.0, 1.0, 1.0},       {"a==b", 0.0, -0.0, 1.0},         {"a!=b", 0.0, -0.0, 0.0},
      {"a==b", kNan, kNan, 0.0},     {"a!=b", kNan, kNan, 1.0},        {"a<=b", kNan, 1.0, 0.0},
  };
  for (const Case& one : cases) {
    // As parameters, where one value serves all columns, and as columns.
    const double parameters[] = {one.a, one.b};
    const double* columns[] = {&one.a, &one.b};
    double by_parameters = 0.0, by_columns = 0.0;
    const Formula formula = Formula::parse(one.text);
    evaluate(formula.compile({.parameters = {"a", "b"}}), {.parameters = parameters, .columns = 1}, &by_parameters);
    evaluate(formula.compile({.column_variables = {"a", "b"}}), {.column_values = columns, .columns = 1}, &by_columns);
    EXPECT_TRUE(same_bits(by_parameters, one.expected)) << one.text << " is " << by_parameters;
    EXPECT_TRUE(same_bits(by_columns, one.expected)) << one.text << " is " << by_columns;
  }
}

// A column's value depends neither on how many there are nor on its place in a block.
TEST(FormulaEvaluate, EveryCountOfColumnsGivesTheSameBits) {
  const std::vector<std::string> texts = {"-a*log(1+b*abs(d))", "d", "j*i+sin(d)^a-min(d,j)/h", "a*i", "7"};
  const Row longest(200);
  for (const std::string& text : texts) {
    const FormulaProgram program = compiled(text);
    const std::vector<double> all = longest.values(program);
    for (const int64_t count : {0, 1, 63, 64, 65, 128, 129, 200}) {
      const std::vector<double> some = Row(count).values(program);
      for (size_t c = 0; c < some.size(); ++c) ASSERT_TRUE(same_bits(some[c], all[c])) << text << ", " << count;
    }
    for (size_t c = 0; c < all.size(); ++c) {
      const double* columns[] = {&longest.d[c], &longest.j[c]};
      double value = 0.0;
      evaluate(program, {longest.row_values, columns, longest.parameters, 1}, &value);
      ASSERT_TRUE(same_bits(value, all[c])) << text << ", column " << c;
    }
  }
}

// What a thread keeps from the last call is no part of the next.
TEST(FormulaEvaluate, CallsDoNotDisturbEachOther) {
  const Row row(130);
  const FormulaProgram small = compiled("a*d");
  const FormulaProgram large = compiled("a*d+b*j+sin(d)*cos(j)-exp(-abs(d))*tanh(j)+log(j)*sqrt(j)-max(d,j)+i");
  const std::vector<double> small_values = row.values(small), large_values = row.values(large);
  std::vector<std::thread> threads;
  std::vector<char> equal(4, 0);
  for (size_t t = 0; t < equal.size(); ++t) {
    threads.emplace_back([&, t] {
      bool all = true;
      for (int repeat = 0; repeat < 2000; ++repeat) {
        all = all && row.values(small) == small_values && row.values(large) == large_values;
      }
      equal[t] = all ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<char>(4, 1));
}

}  // namespace evaluate_test
}  // namespace phasor
