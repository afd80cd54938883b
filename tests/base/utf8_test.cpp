#include "phasor/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace phasor::utf8_test {
namespace {

TEST(Utf8, ReadsCodePointsOfEveryLength) {
  EXPECT_EQ(first_code_point("a").value, U'a');
  EXPECT_EQ(first_code_point("é!").value, U'é');
  EXPECT_EQ(first_code_point("é!").bytes, 2u);
  EXPECT_EQ(first_code_point("漢").value, U'漢');
  EXPECT_EQ(first_code_point("😀").value, U'😀');
  EXPECT_EQ(first_code_point("😀").bytes, 4u);
  EXPECT_EQ(count_code_points("aé漢😀"), 4u);
  EXPECT_TRUE(is_utf8("aé漢😀"));
}

TEST(Utf8, RefusesWhatIsNone) {
  for (const char* text : {"\x80", "\xC3", "\xC3(", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80",
                           "\xF4\x90\x80\x80", "\xFF", "good \xE2\x82"}) {
    EXPECT_FALSE(is_utf8(text)) << testing::PrintToString(std::string(text));
  }
  EXPECT_EQ(first_code_point("\xE2\x82").value, char32_t{0xFFFD});
  EXPECT_EQ(first_code_point("\xE2\x82").bytes, 1u);
  EXPECT_EQ(count_code_points("\xE2\x82"), 2u);
}

TEST(Utf8, ControlsAreThoseThatMoveOrTurnText) {
  for (const char32_t control : {U'\0', U'\n', U'\x1B', U'\x7F', U'\x85', U'\u2028', U'\u202E', U'\u2066'}) {
    EXPECT_TRUE(is_control(control)) << static_cast<unsigned>(control);
  }
  for (const char32_t letter : {U' ', U'a', U'é', U'ש', U'\u200D', U'\u0301'}) {
    EXPECT_FALSE(is_control(letter)) << static_cast<unsigned>(letter);
  }
}

}  // namespace
}  // namespace phasor::utf8_test
