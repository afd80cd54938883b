#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "formula/formula_tree.h"
#include "phasor/formula/evaluate.h"
#include "phasor/formula/formula.h"

namespace phasor {
namespace compile_test {

using testing_support::RandomFormulaTree;

const FormulaNames kNames = {
    .row_variables = {"i", "h"},
    .column_variables = {"d"},
    .parameters = {"a", "b", "slope"},
    .constants = {{"C", 64.0}, {"zero", 0.0}},
};

FormulaProgram compiled(const std::string& text) { return Formula::parse(text).compile(kNames); }

std::string error_of(const std::string& text, const FormulaNames& names = kNames) {
  try {
    Formula::parse(text).compile(names);
  } catch (const FormulaError& error) {
    return error.what();
  }
  return "";
}

TEST(FormulaCompile, NamesBecomeNumbers) {
  const std::vector<FormulaInstruction> expected = {
      {.opcode = FormulaOpcode::parameter, .a = 1},          {.opcode = FormulaOpcode::row_variable, .a = 1},
      {.opcode = FormulaOpcode::multiply, .a = 0, .b = 1},   {.opcode = FormulaOpcode::column_variable, .a = 0},
      {.opcode = FormulaOpcode::constant, .constant = 64.0}, {.opcode = FormulaOpcode::divide, .a = 3, .b = 4},
      {.opcode = FormulaOpcode::subtract, .a = 2, .b = 5},
  };
  const FormulaProgram program = compiled("b*h-d/C");
  EXPECT_EQ(program.instructions, expected);
  EXPECT_EQ(program.row_variables, 2);
  EXPECT_EQ(program.column_variables, 1);
  EXPECT_EQ(program.parameters, 3);
}

TEST(FormulaCompile, FoldsWhatIsConstant) {
  const auto folded = [](const std::string& text) {
    const FormulaProgram program = compiled(text);
    EXPECT_EQ(program.instructions.size(), 1u) << text;
    EXPECT_EQ(program.instructions.back().opcode, FormulaOpcode::constant) << text;
    return program.instructions.back().constant;
  };
  EXPECT_EQ(folded("pi"), std::numbers::pi);
  EXPECT_EQ(folded("-2^2"), -4.0);
  EXPECT_EQ(folded("2^3^2"), 512.0);
  EXPECT_EQ(folded("2^-1"), 0.5);
  EXPECT_EQ(folded("min(C,3)*2+(1<2)"), 7.0);
  EXPECT_EQ(folded("sqrt(C)/floor(2.5)"), 4.0);
  EXPECT_EQ(folded("10000^(-2*3/C)"), std::pow(10000.0, -2.0 * 3.0 / 64.0));
  EXPECT_EQ(folded("1/zero"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(folded("log(-1)")));
  // Only the numbers that are read remain.
  EXPECT_EQ(compiled("a*(2*pi/C+sqrt(4))").instructions.size(), 3u);
}

TEST(FormulaCompile, ComputesEqualPartsOnce) {
  EXPECT_EQ(compiled("log(1+d)*log(1+d)").instructions.size(), 5u);  // 1, d, +, log, *
  EXPECT_EQ(compiled("(2+1)*a+3*a").instructions.size(), 4u);        // 3, a, *, +
  EXPECT_EQ(compiled("a-b+(b-a)").instructions.size(), 5u);          // a, b, -, -, +
  EXPECT_EQ(compiled("d^2"), compiled("d*d"));
  EXPECT_EQ(compiled("d^(1+1)"), compiled("d*d"));
}

// 1 / 0 and 1 / -0 are different numbers.
TEST(FormulaCompile, KeepsZerosApart) {
  const FormulaProgram program = compiled("i/0+i/(-0)");
  const double row_values[] = {1.0, 0.0};
  double value = 0.0;
  evaluate(program, {.row_values = row_values, .columns = 1}, &value);
  EXPECT_TRUE(std::isnan(value)) << value;
}

TEST(FormulaCompile, EveryInstructionReadsEarlierOnesAndIsRead) {
  for (uint64_t sample = 0; sample < 3000; ++sample) {
    const std::string text = RandomFormulaTree(sample, {"a", "b", "d", "i", "C", "pi"}).tree(4).text();
    const std::vector<FormulaInstruction> all = compiled(text).instructions;
    std::vector<bool> read(all.size(), false);
    read.back() = true;
    for (size_t i = 0; i < all.size(); ++i) {
      for (int operand = 0; operand < operand_count(all[i].opcode); ++operand) {
        const int32_t place = operand == 0 ? all[i].a : all[i].b;
        ASSERT_GE(place, 0) << text;
        ASSERT_LT(place, static_cast<int32_t>(i)) << text;
        read[static_cast<size_t>(place)] = true;
      }
    }
    ASSERT_EQ(std::count(read.begin(), read.end(), false), 0) << text;
  }
}

TEST(FormulaCompile, UnknownNamesAreShownWithTheirPlace) {
  EXPECT_EQ(error_of("1 + solpe*d"),
            "formula '1 + solpe*d': column 5: unknown name 'solpe'; did you mean 'slope'? Known: "
            "i, h, d, a, b, slope, C, zero, pi");
  EXPECT_EQ(error_of("d*width"),
            "formula 'd*width': column 3: unknown name 'width'; known: i, h, d, a, b, slope, C, zero, pi");
  EXPECT_EQ(error_of("x+y", {}), "formula 'x+y': column 1: unknown name 'x'; known: pi");
}

TEST(FormulaCompile, ANameStandsForOneThing) {
  EXPECT_EQ(error_of("d", {.column_variables = {"d"}, .parameters = {"a", "d"}}),
            "formula 'd': the name 'd' stands for two things");
  EXPECT_EQ(error_of("d", {.column_variables = {"d"}, .constants = {{"pi", 3.0}}}),
            "formula 'd': 'pi' is a word of the language and cannot stand for anything else");
  EXPECT_EQ(error_of("d", {.column_variables = {"d"}, .parameters = {"max"}}),
            "formula 'd': 'max' is a word of the language and cannot stand for anything else");
}

}  // namespace compile_test
}  // namespace phasor
