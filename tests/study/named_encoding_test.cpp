#include "phasor/study/plan/named_encoding.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"

namespace phasor::named_encoding_test {
namespace {

std::string refusal(std::string_view text) {
  try {
    parse_named_encoding(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(NamedEncoding, NameAndExpressionAreSeparatedByTheFirstFreeEqualsSign) {
  const auto same = [](std::string_view text, const NamedEncoding& expected) {
    EXPECT_EQ(parse_named_encoding(text), expected) << text;
  };
  same("rope", {"", "rope"});
  same("rope(base=500)", {"", "rope(base=500)"});
  same("rope[heads=0-1]+alibi[heads=2-3]", {"", "rope[heads=0-1]+alibi[heads=2-3]"});
  same("bias(\"x=1\")", {"", "bias(\"x=1\")"});
  same("mine=bias(\"-abs(d)/8\")", {"mine", "bias(\"-abs(d)/8\")"});
  same("mine=rope(base=500)", {"mine", "rope(base=500)"});
  same("  my best one = rope ", {"my best one", "rope"});
  same("a \"b\" (c=d), \\alpha & <i>=rope", {"a \"b\" (c=d), \\alpha & <i>", "rope"});
  same("שלי=alibi", {"שלי", "alibi"});
  same("a)=rope(base=2)", {"a)", "rope(base=2)"});
}

TEST(NamedEncoding, SaysWhatIsWrong) {
  EXPECT_EQ(refusal(""), "an encoding is empty; for example rope, or mine=bias(\"-abs(d)/8\")");
  EXPECT_EQ(refusal("a=b=rope"),
            "'a=b=rope': a name with '=' goes into a study file, as {\"name\": ..., \"expression\": ...}");
  EXPECT_EQ(refusal(" =rope"), "the name of the encoding 'rope' is empty");
  EXPECT_EQ(refusal("mine= "), "'mine=' names an encoding, but none follows; for example mine=bias(\"-abs(d)/8\")");
  EXPECT_EQ(refusal("a\nb=rope"), "the name 'a?b' of the encoding 'rope' has a control character");
  EXPECT_EQ(refusal("a\u202Eb=rope"), "the name 'a???b' of the encoding 'rope' has a control character");
  EXPECT_EQ(refusal("a\xFF=rope"), "the name 'a?' of the encoding 'rope' is not UTF-8");
  EXPECT_EQ(refusal(std::string(101, 'a') + "=rope"),
            "the name of the encoding 'rope' has 101 characters; the most is 100");
  std::string longest;
  for (int i = 0; i < 100; ++i) longest += "漢";
  EXPECT_EQ(parse_named_encoding(longest + "=rope").name, longest);
}

}  // namespace
}  // namespace phasor::named_encoding_test
