#include "phasor/encoding/syntax/other_spellings.h"

#include <gtest/gtest.h>

#include <set>

#include "phasor/encoding/encoding.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace other_spellings_test {

// What is offered is right: it reads, and has the argument that it is said to have.
TEST(OtherSpellings, LeadToExpressionsThatRead) {
  std::set<std::string_view> words;
  for (const OtherSpelling& spelling : other_spellings()) {
    EXPECT_TRUE(words.insert(spelling.word).second) << spelling.word << " stands there twice";
    if (spelling.argument.empty()) continue;
    EXPECT_NO_THROW(parse_encoding(spelling.written)) << spelling.written;
    const std::string argument = std::string(spelling.argument) + "=";
    EXPECT_NE(spelling.written.find(argument), std::string_view::npos) << spelling.word << ": " << spelling.written;
  }
}

TEST(OtherSpellings, AreSaidWhereAnArgumentIsUnknown) {
  const auto message = [](const std::string& text) { return message_of<UsageError>([&] { parse_encoding(text); }); };
  EXPECT_EQ(
      message("rope(rope_theta=500000)"),
      "encoding 'rope(rope_theta=500000)': column 6: rope has no argument 'rope_theta'; rope_theta is 'base' here: "
      "rope(base=500000)");
  EXPECT_NE(message("rope(scaling=yarn,factor=4,original_max_position_embeddings=64)")
                .find("original_max_position_embeddings is 'original' here"),
            std::string::npos);
  EXPECT_NE(message("xpos(rotary_pct=0.5)").find("rotary_pct is 'fraction' here: rope(fraction=0.25)"),
            std::string::npos);
  // Lists of numbers stand in quotes, as formulas do, beside which names of one's own may stand.
  const std::string beside = message("rope(scaling=longrope,factor=4,original=64,short=\"1\",long=\"1\",rope_theta=3)");
  EXPECT_NE(beside.find("rope_theta is 'base' here"), std::string::npos) << beside;
}

TEST(OtherSpellings, OthersHaveNoHint) {
  EXPECT_EQ(argument_hint("base"), "");
  EXPECT_EQ(key_hint("model.width"), "");
  EXPECT_EQ(argument_hint("hidden_size"), "; it is a setting of a run here: model.width=64");
}

}  // namespace other_spellings_test
}  // namespace phasor
