#include "phasor/encoding/syntax/name_hint.h"

#include <gtest/gtest.h>

#include "phasor/encoding/encoding.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor::name_hint_test {
namespace {

std::string mistake(const std::string& text) {
  try {
    parse_encoding(text);
  } catch (const EncodingError& error) {
    return error.reason();
  }
  return "none";
}

TEST(NameHint, NamesBelongToStudies) {
  EXPECT_EQ(mistake("mine=rope(base=5)"),
            "expected '+' or the end; names belong to 'phasor study' and 'phasor compare'; the encoding alone is: "
            "rope(base=5)");
  EXPECT_NE(mistake("it's=rope").find("the encoding alone is: rope"), std::string::npos) << "a quote of the name's";
}

TEST(NameHint, BracketsAndQuotesHideTheSign) {
  for (const char* text : {"a\"q=rope", "a(q=rope", "a[q=rope(base=5)"}) {
    EXPECT_NE(mistake(text).find("a study file, as {\"name\": ..., \"expression\": ...}"), std::string::npos) << text;
  }
}

TEST(NameHint, OtherErrorsStayAsTheyAre) {
  for (const char* text : {"rope(base=)", "rope(base=learned(5)", "mine=roep", "roep", "="}) {
    for (const char* hint : {"names belong", "study file"}) {
      EXPECT_EQ(mistake(text).find(hint), std::string::npos) << mistake(text);
    }
  }
}

}  // namespace
}  // namespace phasor::name_hint_test
