#include <gtest/gtest.h>

#include "phasor/formula/formula.h"

namespace phasor {
namespace parser_test {

// The second text has every parenthesis; the first is what the language's rules leave of it.
TEST(FormulaParser, KnowsWhatBindsTighter) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"a+b*c", "a+(b*c)"},
      {"a*b+c", "(a*b)+c"},
      {"a-b-c", "(a-b)-c"},
      {"a-b+c", "(a-b)+c"},
      {"a/b/c", "(a/b)/c"},
      {"a/b*c", "(a/b)*c"},
      {"a^b^c", "a^(b^c)"},
      {"a*b^c", "a*(b^c)"},
      {"a^b*c", "(a^b)*c"},
      {"-a^2", "-(a^2)"},
      {"-a*b", "(-a)*b"},
      {"-a+b", "(-a)+b"},
      {"a--b", "a-(-b)"},
      {"a*-b", "a*(-b)"},
      {"--a", "-(-a)"},
      {"2^-1", "2^(-1)"},
      {"2^-a^b", "2^(-(a^b))"},
      {"2^-a*b", "(2^(-a))*b"},
      {"2^--a", "2^(-(-a))"},
      {"a+b<c*d", "(a+b)<(c*d)"},
      {"a<b+c", "a<(b+c)"},
      {"-a<=-b", "(-a)<=(-b)"},
      {"a>=b", "(a)>=(b)"},
      {"abs(a<b)", "abs((a<b))"},
      {"min(a+b,c<d)*2", "(min((a+b),(c<d)))*2"},
      {" a\t+ min ( b , 1e2 ) ", "a+min(b,100)"},
      {"1E+2*0.50", "100*0.5"},
  };
  for (const auto& [short_text, full_text] : pairs) {
    EXPECT_EQ(Formula::parse(short_text), Formula::parse(full_text)) << short_text;
  }
}

TEST(FormulaParser, DifferentTreesAreNotEqual) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"a+b", "b+a"},       {"a+b", "a-b"},     {"a", "b"},           {"a", "1"},           {"a-(b-c)", "a-b-c"},
      {"(a^b)^c", "a^b^c"}, {"pi", "p"},        {"1", "2"},           {"a<b", "a<=b"},      {"min(a,b)", "max(a,b)"},
      {"-(2)", "2"},        {"(-a)^2", "-a^2"}, {"a*(b/c)", "a*b/c"}, {"sin(a)", "cos(a)"}, {"a+b", "a+b+c"},
  };
  for (const auto& [one, two] : pairs) EXPECT_NE(Formula::parse(one), Formula::parse(two)) << one << " and " << two;
}

TEST(FormulaParser, WordsOfOtherLettersAreNames) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Formula::parse("-a*log(1+b*abs(d))/a^pi").names(), (Names{"a", "b", "d"}));
  EXPECT_EQ(Formula::parse("_x1+Pi+PI+e+logs+inf+nan").names(), (Names{"_x1", "Pi", "PI", "e", "logs", "inf", "nan"}));
  EXPECT_EQ(Formula::parse("2*pi").names(), Names{});
  EXPECT_EQ(Formula::parse("1e5+e5").names(), Names{"e5"});
}

TEST(FormulaParser, NothingParsedIsZero) {
  EXPECT_EQ(Formula(), Formula::parse("0"));
  EXPECT_EQ(Formula().print(), "0");
}

}  // namespace parser_test
}  // namespace phasor
