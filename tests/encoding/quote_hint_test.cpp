#include "phasor/encoding/syntax/quote_hint.h"

#include <gtest/gtest.h>

#include "phasor/encoding/encoding.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace quote_hint_test {

std::string mistake(const std::string& text) {
  const std::string message = message_of<UsageError>([&] { parse_encoding(text); });
  return message.substr(message.find("': ") + 3);
}

TEST(QuoteHint, SingleQuotesAroundAFormula) {
  EXPECT_EQ(mistake("bias('-a*abs(d)',a=1)"),
            "column 6: a formula stands in double quotes: bias(\"-a*abs(d)\",a=1); in a shell: "
            "'bias(\"-a*abs(d)\",a=1)'");
  EXPECT_EQ(mistake("alibi+bias(`-d`)").rfind("column 12: a formula stands in double quotes: alibi+bias(\"-d\")", 0),
            0u);
  EXPECT_EQ(mistake("bias(\u201c-d\u201d)").rfind("column 6: a formula stands in double quotes: bias(\"-d\")", 0), 0u);
}

TEST(QuoteHint, WordsNeedNone) {
  EXPECT_EQ(mistake("rope(layout='half')"), "column 13: no quotes are needed: rope(layout=half)");
}

TEST(QuoteHint, AMistakeBesideThemIsNotRepaired) {
  EXPECT_EQ(mistake("roep(x='half')"),
            "column 8: a formula stands in double quotes, such as bias(\"-d\"); in a shell: 'bias(\"-d\")'");
}

// What is left of "bias("-d")" and of 'bias('-d')' behind a shell.
TEST(QuoteHint, QuotesThatAShellTook) {
  EXPECT_EQ(
      mistake("bias(-a*log(1+b*abs(d)),a=1,b=learned(0.1))"),
      "column 6: expected a value; a formula stands in double quotes, which a shell takes away unless single ones "
      "stand around it all: 'bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1))'");
  EXPECT_NE(mistake("rope(frequencies=base^(-2*c/C))").find("'rope(frequencies=\"base^(-2*c/C)\")'"),
            std::string::npos);
}

TEST(QuoteHint, OtherErrorsStayAsTheyAre) {
  EXPECT_EQ(mistake("rope(base=)"), "column 11: expected a value");
  EXPECT_EQ(mistake("bias(\"-d'\")").find("double quotes"), std::string::npos) << "within double quotes";
  EXPECT_EQ(foreign_quote("bias(\"it's\")"), 0);
  EXPECT_EQ(foreign_quote("'bias'"), 1);
}

}  // namespace quote_hint_test
}  // namespace phasor
