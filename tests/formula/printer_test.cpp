#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "formula/formula_tree.h"
#include "phasor/formula/formula.h"

namespace phasor {
namespace printer_test {

using testing_support::RandomFormulaTree;

TEST(FormulaPrinter, WritesNoBlanksAndNoNeedlessParentheses) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"((a))", "a"},         {"( - a ) * ( log( 1 + ( b * abs(d) ) ) )", "-a*log(1+b*abs(d))"},
      {"-(a*b)", "-(a*b)"},   {"a-(b+c)", "a-(b+c)"},
      {"a+(b+c)", "a+(b+c)"}, {"a*(b*c)", "a*(b*c)"},
      {"(a+b)*c", "(a+b)*c"}, {"(a^b)^c", "(a^b)^c"},
      {"a^(b^c)", "a^b^c"},   {"(-a)^2", "(-a)^2"},
      {"(-2)^2", "(-2)^2"},   {"-(2^2)", "-2^2"},
      {"2^(-1)", "2^-1"},     {"2^(a*b)", "2^(a*b)"},
      {"a-(-3)", "a--3"},     {"(a<b)+1", "(a<b)+1"},
      {"(a<b)<c", "(a<b)<c"}, {"min((a<b),(c))", "min(a<b,c)"},
      {"500000.0", "500000"}, {"1e-05", "1e-5"},
      {"1e8", "100000000"},   {"1e9", "1e9"},
      {"0.10", "0.1"},        {"pi * 2", "pi*2"},
  };
  for (const auto& [text, printed] : pairs) {
    EXPECT_EQ(Formula::parse(text).print(), printed);
    EXPECT_EQ(Formula::parse(printed), Formula::parse(text)) << text;
  }
}

TEST(FormulaPrinter, EveryNumberReadsBackAsItself) {
  std::mt19937_64 random(1);
  int finite = 0;
  for (int i = 0; i < 20000; ++i) {
    const double number = std::bit_cast<double>(random() >> 1);  // no sign
    if (!std::isfinite(number)) continue;
    ++finite;
    const std::string text = print_number(number);
    const Formula formula = Formula::parse(text);
    ASSERT_EQ(formula.print(), text);
    const FormulaProgram program = formula.compile({});
    ASSERT_EQ(program.instructions.size(), 1u);
    ASSERT_EQ(program.instructions[0].constant, number) << text;
  }
  EXPECT_GT(finite, 19000);
}

std::optional<Formula> parsed(const std::string& text) {
  try {
    return Formula::parse(text);
  } catch (const FormulaError&) {
    return std::nullopt;
  }
}

// Every text that is `text` without one pair of parentheses, those of calls apart.
std::vector<std::string> with_fewer_parentheses(const std::string& text) {
  std::vector<std::string> result;
  std::vector<size_t> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') open.push_back(i);
    if (text[i] != ')') continue;
    const size_t start = open.back();
    open.pop_back();
    if (start > 0 && std::isalpha(static_cast<unsigned char>(text[start - 1])) != 0) continue;
    std::string fewer = text;
    fewer.erase(i, 1);
    fewer.erase(start, 1);
    result.push_back(fewer);
  }
  return result;
}

TEST(FormulaPrinter, RandomTreesReadBackEqualFromTheirShortestText) {
  constexpr uint64_t kSamples = 6000;
  std::set<std::string> distinct;
  size_t pairs = 0;
  for (uint64_t sample = 0; sample < kSamples; ++sample) {
    const std::string text = RandomFormulaTree(sample, {"a", "b", "d", "pi", "x_1"}).tree(4).text();
    const Formula formula = Formula::parse(text);
    const std::string printed = formula.print();
    distinct.insert(printed);
    ASSERT_EQ(Formula::parse(printed), formula) << text << " -> " << printed;
    ASSERT_EQ(Formula::parse(printed).print(), printed) << text;
    for (const std::string& fewer : with_fewer_parentheses(printed)) {
      ++pairs;
      ASSERT_FALSE(parsed(fewer) == formula) << printed << " could be " << fewer;
    }
  }
  EXPECT_GT(distinct.size(), kSamples / 2) << "the generator repeats itself";
  EXPECT_GT(pairs, kSamples / 2) << "too few parentheses to say anything";
}

TEST(FormulaPrinter, EqualityIsEqualityOfTexts) {
  std::vector<Formula> formulas;
  for (uint64_t sample = 0; sample < 300; ++sample) {
    formulas.push_back(Formula::parse(RandomFormulaTree(sample, {"a", "b"}).tree(1).text()));
  }
  size_t equal = 0;
  for (const Formula& one : formulas) {
    for (const Formula& two : formulas) {
      ASSERT_EQ(one == two, one.print() == two.print()) << one.print() << " and " << two.print();
      equal += one == two ? 1 : 0;
    }
  }
  EXPECT_GT(equal, formulas.size());  // not only each with itself
}

}  // namespace printer_test
}  // namespace phasor
