#include "phasor/encoding/syntax/parser.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace parser_test {

TEST(Parser, ReadsEveryExpressionOfTheLanguage) {
  const std::vector<std::string> texts = {
      "nope",
      "t5(buckets=32,max_distance=128)",
      "rope(base=500000)",
      "rope(fraction=0.25)",
      "rope(scaling=yarn,factor=4,original=64)",
      "rope(axes=2)",
      "sinusoidal+rope",
      "rope[heads=0-1]",
      "rope[layers=0-2]+alibi[layers=3-5]",
      "mla(kv=128,q=128,rope=16)",
      "randomized(rope,max=512)",
      "randomized(sinusoidal(base=100)+rope[heads=none],max=512)",
      "concat(sinusoidal,width=16)",
      "bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1))",
      "rope(frequencies=\"base^(-2*c/C)\",base=100)",
      "learned(init=0)+mla(query=shared,table=released)",
      "kerple(log)",
      "rope[heads=0-1,3,layers=0-2]",
  };
  for (const std::string& text : texts) EXPECT_EQ(print_expression(parse_expression(text)), text);
}

TEST(Parser, KeepsTheShapeOfATree) {
  const Encoding encoding = parse_expression(" bias( \"a (d)\" , a = -1.5e2, b=learned(0.1)) + rope [heads=2]");
  ASSERT_EQ(encoding.terms.size(), 2u);
  const Term& bias = encoding.terms[0];
  EXPECT_EQ(bias.name, "bias");
  EXPECT_EQ(bias.column.value, 2);
  ASSERT_EQ(bias.arguments.size(), 3u);
  EXPECT_EQ(bias.arguments[0].key, "");
  EXPECT_EQ(std::get<QuotedText>(bias.arguments[0].value.content).text, "a (d)");
  EXPECT_EQ(bias.arguments[1].key, "a");
  EXPECT_EQ(bias.arguments[1].column.value, 18);
  EXPECT_EQ(std::get<double>(bias.arguments[1].value.content), -150.0);
  EXPECT_EQ(bias.arguments[1].value.column.value, 22);
  const Encoding& nested = std::get<Encoding>(bias.arguments[2].value.content);
  EXPECT_EQ(nested.terms.at(0).name, "learned");
  EXPECT_EQ(bias.arguments[2].value.word(), nullptr);
  EXPECT_TRUE(encoding.terms[1].layers.everything);
  EXPECT_FALSE(encoding.terms[1].heads.everything);
  EXPECT_EQ(encoding.terms[1].heads.indices, IndexSet({{2, 2}}));
}

TEST(Parser, ComparesByMeaningAndNotByPlace) {
  EXPECT_EQ(parse_expression("rope( base=1 )"), parse_expression("rope(base=1.0)"));
  EXPECT_EQ(parse_expression("f(-0)"), parse_expression("f(0)"));
  EXPECT_EQ(parse_expression("rope()"), parse_expression("rope"));
  EXPECT_EQ(parse_expression("f(x())"), parse_expression("f(x)"));
  EXPECT_EQ(parse_expression("rope[heads=3,0-1,2]"), parse_expression("rope[heads=0-3]"));
  EXPECT_EQ(parse_expression("rope[heads=1][layers=2]"), parse_expression("rope[layers=2,heads=1]"));
  EXPECT_NE(parse_expression("rope[heads=none]"), parse_expression("rope"));
  EXPECT_NE(parse_expression("rope[heads=1]"), parse_expression("rope[layers=1]"));
  EXPECT_NE(parse_expression("f(1)"), parse_expression("f(x=1)"));
  EXPECT_NE(parse_expression("f(\"x\")"), parse_expression("f(x)"));
  EXPECT_NE(parse_expression("a+b"), parse_expression("b+a"));
}

TEST(Parser, BoundsDepthAndLength) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "f(";
    return text + "1" + std::string(static_cast<size_t>(depth), ')');
  };
  EXPECT_NO_THROW(parse_expression(nested(kDeepestExpression)));
  EXPECT_THROW(parse_expression(nested(kDeepestExpression + 1)), UsageError);
  EXPECT_THROW(parse_expression(nested(1300)), UsageError);
  EXPECT_NO_THROW(parse_expression(std::string(kLongestExpression, 'f')));
  EXPECT_THROW(parse_expression(std::string(kLongestExpression + 1, 'f')), UsageError);
}

TEST(Parser, ErrorsCarryTextColumnAndReason) {
  try {
    parse_expression("rope(base=)\x01");
    FAIL() << "no error";
  } catch (const EncodingError& error) {
    EXPECT_EQ(error.text(), "rope(base=)?");
    EXPECT_EQ(error.column(), 11);
    EXPECT_EQ(error.reason(), "expected a value");
    EXPECT_STREQ(error.what(), "encoding 'rope(base=)?': column 11: expected a value");
  }
}

TEST(Printer, WritesNumbersInTheShortestFormThatReadsBack) {
  EXPECT_EQ(print_number(10000), "10000");
  EXPECT_EQ(print_number(500000), "500000");
  EXPECT_EQ(print_number(0.25), "0.25");
  EXPECT_EQ(print_number(0.1), "0.1");
  EXPECT_EQ(print_number(1e-5), "1e-5");
  EXPECT_EQ(print_number(0.0001), "0.0001");
  EXPECT_EQ(print_number(123456789), "123456789");
  EXPECT_EQ(print_number(1e9), "1e9");
  EXPECT_EQ(print_number(1e12), "1e12");
  EXPECT_EQ(print_number(0), "0");
  EXPECT_EQ(print_number(1e100), "1e100");
  EXPECT_EQ(print_number(-1.5e-300), "-1.5e-300");
  EXPECT_EQ(print_number(1.0 / 3.0), "0.3333333333333333");
}

TEST(Printer, RefusesWhatNoTextCanSay) {
  EXPECT_THROW(print_number(std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(print_number(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(print_expression(TermValue{.content = QuotedText{"a\"b"}}), Error);
  EXPECT_THROW(print_expression(TermValue{.content = QuotedText{"a\nb"}}), Error);
}

}  // namespace parser_test
}  // namespace phasor
