// Mistakes within a formula: the column is that of the whole text, as it was written.
#include <gtest/gtest.h>

#include "phasor/encoding/encoding.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {
namespace formula_error_test {

// `^` in `marks` stands below the character that the error points at.
struct Mistake {
  std::string text;
  std::string marks;
  std::string reason;
};

const std::string kBiasNames = "known: i, n, h, l, d, H, L, pi";

const std::vector<Mistake> kMistakes = {
    {R"~(bias("d+"))~",  //
     R"~(        ^)~", "bias: formula: expected a number, a name, a function or '(' but the formula ends"},
    {R"~(bias("1.5*(d"))~",  //
     R"~(            ^)~", "bias: formula: expected ')' to close the '(' in column 5"},
    {R"~(bias("2d"))~",  //
     R"~(       ^)~", "bias: formula: expected an operator; a product is written with '*'"},
    {R"~(bias("sqr(d)"))~",  //
     R"~(      ^)~", "bias: formula: unknown function 'sqr'; did you mean 'sqrt'?"},
    {R"~(bias(formula = "min(d)"))~",  //
     R"~(                ^)~", "bias: formula: min takes 2 arguments, not 1"},
    {R"~(bias("d**2"))~",  //
     R"~(       ^)~", "bias: formula: a power is written '^', not '**'"},
    {R"~(bias(""))~",  //
     R"~(      ^)~", "bias: formula: empty; a formula reads like -0.5*abs(d)"},
    {R"~(bias("distance"))~",  //
     R"~(      ^)~", "unknown name 'distance'; " + kBiasNames},
    // Blanks that the canonical form does not have
    {R"~( rope  +  bias (  "1  +  2 * distance" , a = 1 ))~",  //
     R"~(                                         ^)~", "the formula does not use 'a'"},
    {R"~( rope  +  bias (  "1  +  2 * distance" ))~",  //
     R"~(                             ^)~", "unknown name 'distance'; " + kBiasNames},
    {R"~(bias("(((d)))   +   width"))~",  //
     R"~(                    ^)~", "unknown name 'width'; " + kBiasNames},
    // Numbers that the canonical form writes shorter
    {R"~(bias("1000e-3*d+1.000+width"))~",  //
     R"~(                      ^)~", "unknown name 'width'; " + kBiasNames},
    // Within another term
    {R"~(alibi+randomized( bias( "d + width" ), max = 99))~",  //
     R"~(                             ^)~", "unknown name 'width'; " + kBiasNames},
    {R"~(concat(input("sin( i * w )"),width=4))~",  //
     R"~(                       ^)~", "unknown name 'w'; did you mean 'i'? Known: i, n, c, C, pi"},
    {R"~(concat(input("sin( i * )"),width=4))~",  //
     R"~(                       ^)~", "input: formula: expected a number, a name, a function or '('"},
    // Frequencies
    {R"~(rope(frequencies="base ^ (-2 * c / width)"))~",  //
     R"~(                                   ^)~", "unknown name 'width'; known: h, l, c, base, C, H, L, pi"},
    {R"~(rope(half,frequencies="1"))~",  //
     R"~(     ^)~", "rope: base must be a number or learned(number), not half"},
};

TEST(FormulaError, PointsIntoTheTextAsWritten) {
  for (const Mistake& mistake : kMistakes) {
    try {
      parse_encoding(mistake.text);
      ADD_FAILURE() << "no error for " << mistake.text;
    } catch (const EncodingError& error) {
      EXPECT_EQ(error.text(), mistake.text);
      EXPECT_EQ(error.reason(), mistake.reason) << mistake.text;
      EXPECT_EQ(error.column(), static_cast<int>(mistake.marks.find('^')) + 1) << mistake.text;
    }
  }
}

// What only a model's shape shows points at the term, in the canonical text.
TEST(FormulaError, ValuesThatNoModelCanHoldNameTheirPlace) {
  const EncodingShape shape{.layers = 2, .heads = 3, .head_width = 8, .width = 24, .positions = 6};
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"alibi+bias(\"log(d)\")", "column 7: the formula gives nan at d=-5"},
      {"alibi + bias(\"1/(d+i-3)\")", "column 7: the formula gives inf at d=3, i=0"},
      {"bias(\"1/(n-2)\")", "column 1: the formula gives inf at n=2"},
      {"bias(\"-1e38*(d+1)\")", "column 1: the formula gives 4e+38 at d=-5; the most is 3.403e+38"},
      {"input(\"1/0\")", "column 1: the formula gives inf at every place"},
      {"rope(frequencies=\"1/c\")", "column 1: the formula gives inf at c=0"},
      {"rope(frequencies=\"f*1e4\",f=learned(1))",
       "column 1: the formula gives 10000 at every place; the most is 1000"},
      {"rope(frequencies=\"1e308\")", "column 1: the formula gives 1e+308 at every place; the most is 1000"}};
  for (const auto& [text, expected] : cases) {
    try {
      resolve(parse_encoding(text), shape);
      ADD_FAILURE() << "no error for " << text;
    } catch (const EncodingError& error) {
      EXPECT_EQ(std::string(error.what()), "encoding '" + print(parse_encoding(text)) + "': " + expected);
    }
  }
}

}  // namespace formula_error_test
}  // namespace phasor
