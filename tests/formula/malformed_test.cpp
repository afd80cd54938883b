#include <gtest/gtest.h>

#include "phasor/formula/formula.h"

namespace phasor {
namespace malformed_test {

struct Malformed {
  std::string text;
  std::string error;  // after "formula '<text>': "
};

const std::vector<Malformed> kMalformed = {
    {"", "column 1: empty; a formula reads like -0.5*abs(d)"},
    {"  ", "column 3: empty; a formula reads like -0.5*abs(d)"},
    {"a+", "column 3: expected a number, a name, a function or '(' but the formula ends"},
    {"-", "column 2: expected a number, a name, a function or '(' but the formula ends"},
    {"2*(", "column 4: expected a number, a name, a function or '(' but the formula ends"},
    {"a*/b", "column 3: expected a number, a name, a function or '('"},
    {"*a", "column 1: expected a number, a name, a function or '('"},
    {"a<>b", "column 3: expected a number, a name, a function or '('"},
    {"()", "column 2: expected a number, a name, a function or '('"},
    {"max(a,)", "column 7: expected a number, a name, a function or '('"},
    {"+a", "column 1: a value has no sign '+'; leave it out"},
    {"2*.5", "column 3: a number starts with a digit: write 0.5, not .5"},
    {"1.", "column 3: expected a digit after '.'"},
    {"1.e5", "column 3: expected a digit after '.'"},
    {"1.2.3", "column 4: expected an operator or the end"},
    {"1e999*d", "column 1: this number does not fit a double"},
    {"2+1e-999", "column 3: this number does not fit a double"},
    {"2a", "column 2: expected an operator; a product is written with '*'"},
    {"1e+", "column 2: expected an operator; a product is written with '*'"},
    {"0x10", "column 2: expected an operator; a product is written with '*'"},
    {"a b", "column 3: expected an operator; a product is written with '*'"},
    {"(a)(b)", "column 4: expected an operator; a product is written with '*'"},
    {"2(a+1)", "column 2: expected an operator; a product is written with '*'"},
    {"(a+b", "column 5: expected ')' to close the '(' in column 1"},
    {"a*log(1+(b*2)", "column 14: expected ')' to close the '(' in column 6"},
    {"(a b)", "column 4: expected an operator; a product is written with '*'"},
    {"a)", "column 2: this ')' closes nothing"},
    {"a,b", "column 2: a ',' stands only between the arguments of min and max"},
    {"(a,b)", "column 3: a ',' stands only between the arguments of min and max"},
    {"a<b<c", "column 4: comparisons cannot be chained; write (a<b)*(b<c) instead of a<b<c"},
    {"(a == b) + (a >= b != c)", "column 20: comparisons cannot be chained; write (a<b)*(b<c) instead of a<b<c"},
    {"a=b", "column 2: '=' is no operator; equality is written '=='"},
    {"!a", "column 1: expected a number, a name, a function or '('"},
    {"a!b", "column 2: '!' is no operator; inequality is written '!='"},
    {"a**2", "column 2: a power is written '^', not '**'"},
    {"a%b", "column 2: '%' has no meaning in a formula"},
    {"a&&b", "column 2: '&' has no meaning in a formula"},
    {"[a]", "column 1: '[' has no meaning in a formula"},
    {"$a", "column 1: '$' has no meaning in a formula"},
    {"lgo(d)", "column 1: unknown function 'lgo'; did you mean 'log'?"},
    {"1+ABS(d)", "column 3: unknown function 'ABS'; known: abs, sign, log, exp, sqrt, sin, cos, tanh, floor, min, max"},
    {"a(2)", "column 1: unknown function 'a'; known: abs, sign, log, exp, sqrt, sin, cos, tanh, floor, min, max"},
    {"pi(2)", "column 1: unknown function 'pi'; known: abs, sign, log, exp, sqrt, sin, cos, tanh, floor, min, max"},
    {"log d", "column 5: expected '(' after the function 'log'"},
    {"2*max", "column 6: expected '(' after the function 'max'"},
    {"log()", "column 1: log takes 1 argument, not 0"},
    {"2+log(a,b)", "column 3: log takes 1 argument, not 2"},
    {"min(a)", "column 1: min takes 2 arguments, not 1"},
    {"max(a,b,c)", "column 1: max takes 2 arguments, not 3"},
};

TEST(MalformedFormula, SaysWhereAndWhatWouldBeRight) {
  for (const Malformed& malformed : kMalformed) {
    try {
      Formula::parse(malformed.text);
      ADD_FAILURE() << "no error for " << malformed.text;
    } catch (const FormulaError& error) {
      EXPECT_EQ(error.what(), fmt::format("formula '{}': {}", malformed.text, malformed.error));
      EXPECT_EQ(fmt::format("column {}: {}", error.column(), error.reason()), malformed.error);
    }
  }
}

std::string error_of(const std::string& text) {
  try {
    Formula::parse(text);
  } catch (const FormulaError& error) {
    return error.what();
  }
  return "";
}

TEST(MalformedFormula, ShowsBytesThatCannotBePrinted) {
  EXPECT_EQ(error_of("a\n+b"), "formula 'a?+b': column 2: the byte 0x0a has no meaning in a formula");
  EXPECT_EQ(error_of("\xe2\x88\x92"
                     "a"),
            "formula '???a': column 1: the byte 0xe2 has no meaning in a formula");
  EXPECT_EQ(error_of(std::string("a\0", 2)), "formula 'a?': column 2: the byte 0x00 has no meaning in a formula");
}

TEST(MalformedFormula, AnErrorIsAUsageError) { EXPECT_THROW(Formula::parse("a+"), UsageError); }

TEST(FormulaLimits, Length) {
  EXPECT_NO_THROW(Formula::parse(std::string(kLongestFormula, 'a')));
  EXPECT_EQ(error_of(std::string(kLongestFormula + 1, 'a')),
            fmt::format("formula '{}...': 1025 characters; the most is 1024", std::string(200, 'a')));
}

// 128 numbers of three characters are short, and written out they are not.
TEST(FormulaLimits, LengthOfTheCanonicalText) {
  std::string text = "1e8";
  for (int i = 1; i < 128; ++i) text += "+1e8";
  const std::string error = error_of(text);
  EXPECT_NE(error.find("1279 characters with its numbers written out; the most is 1024"), std::string::npos) << error;
}

TEST(FormulaLimits, Depth) {
  const auto nested = [](const std::string& open, int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += open;
    return text + "a" + std::string(static_cast<size_t>(depth), ')');
  };
  for (const std::string open : {"(", "abs("}) {
    EXPECT_NO_THROW(Formula::parse(nested(open, kDeepestFormula)));
    EXPECT_NE(error_of(nested(open, kDeepestFormula + 1)).find("more than 32 parentheses within each other"),
              std::string::npos);
  }
  std::string side_by_side = "(a)";
  for (int i = 0; i < kDeepestFormula; ++i) side_by_side += "+(a)";
  EXPECT_NO_THROW(Formula::parse(side_by_side));
  EXPECT_EQ(error_of(std::string(33, '(')),
            fmt::format("formula '{}': column 33: more than 32 parentheses within each other", std::string(33, '(')));
}

// However it is nested: to the left, to the right, by signs, by powers.
TEST(FormulaLimits, Size) {
  const auto repeated = [](const std::string& part, size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i) text += part;
    return text + "a";
  };
  const std::string reason = "more than 256 numbers, names, operators and functions";
  for (const std::string part : {"a+", "a^", "b*a-"}) {
    EXPECT_NE(error_of(repeated(part, 150)).find(reason), std::string::npos) << part;
  }
  EXPECT_NO_THROW(Formula::parse(repeated("a^", 127)));
  EXPECT_NE(error_of(repeated("a^", 128)).find(fmt::format("column 257: {}", reason)), std::string::npos);
  EXPECT_NO_THROW(Formula::parse(repeated("-", 255)));
  EXPECT_NE(error_of(repeated("-", 256)).find(fmt::format("column 257: {}", reason)), std::string::npos);
  EXPECT_NE(error_of(repeated("-", 1023)).find(reason), std::string::npos);
}

}  // namespace malformed_test
}  // namespace phasor
