#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding.h"

namespace phasor {
namespace {

struct Malformed {
  std::string text;
  std::string error;  // after "encoding '<text>': "
};

const std::vector<Malformed> kMalformed = {
    {"", "column 1: expected the name of an encoding"},
    {"   ", "column 4: expected the name of an encoding"},
    {"rope+", "column 6: expected the name of an encoding"},
    {"+rope", "column 1: expected the name of an encoding"},
    {"rope++alibi", "column 6: expected the name of an encoding"},
    {"rope alibi", "column 6: expected '+' or the end"},
    {"rope)", "column 5: expected '+' or the end"},
    {"rope(base=)", "column 11: expected a value"},
    {"rope(base=", "column 11: expected a value"},
    {"rope(base=-)", "column 11: expected a value"},
    {"rope(=3)", "column 6: expected a value"},
    {"rope(100,)", "column 10: expected a value"},
    {"rope(base=100", "column 14: expected ',' or ')'"},
    {"rope(base=10e)", "column 13: expected ',' or ')'"},
    {"rope(base=1 2)", "column 13: expected ',' or ')'"},
    {"rope(base=1e999)", "column 11: this number does not fit a double"},
    {"rope(layout=\"half)", "column 13: this quote is not closed"},
    {"rope(layout=\"a\tb\")", "column 15: only printable ASCII characters can stand between quotes"},
    {"rope[", "column 6: expected 'heads' or 'layers'"},
    {"rope[]", "column 6: expected 'heads' or 'layers'"},
    {"rope[head=0]", "column 6: a term is assigned to heads or layers, not to 'head'; did you mean 'heads'?"},
    {"rope[heads]", "column 11: expected '='"},
    {"rope[heads=]", "column 12: expected a number, a range or 'none'"},
    {"rope[heads=all]", "column 12: expected a number, a range or 'none'"},
    {"rope[heads=1-]", "column 14: expected a number, a range or 'none'"},
    {"rope[heads=0,5-2]", "column 14: the range 5-2 runs backwards"},
    {"rope[heads=99999]", "column 12: numbers here go up to 65535"},
    {"rope[heads=0,heads=1]", "column 14: heads is given twice"},
    {"rope[heads=0", "column 13: expected ',' or ']'"},
    {"rope[heads=0](base=3)", "column 14: expected '+' or the end"},
    {"roep", "column 1: unknown encoding 'roep'; did you mean 'rope'?"},
    {"sinusoidal + wavelet", "column 14: unknown encoding 'wavelet'; known: nope, sinusoidal, learned, alibi, rope"},
    {"rope(bse=100)", "column 6: rope has no argument 'bse'; did you mean 'base'?"},
    {"rope(theta=100)", "column 6: rope has no argument 'theta'; known: base, layout, fraction"},
    {"nope(1)", "column 6: nope takes no arguments"},
    {"nope(base=1)", "column 6: nope takes no arguments"},
    {"learned(1,2)", "column 11: learned takes no more than 1 arguments"},
    {"rope(base=100,base=200)", "column 15: argument 'base' is given twice"},
    {"rope(100,base=200)", "column 10: argument 'base' is given twice"},
    {"rope(base=100,half)", "column 15: an argument without a name cannot follow one with a name"},
    {"rope(base=big)", "column 11: rope: base must be a number, not big"},
    {"rope(base=\"1\")", "column 11: rope: base must be a number, not \"1\""},
    {"rope(base=learned(1))", "column 11: rope: base must be a number, not learned(1)"},
    {"rope(base=0.5)", "column 11: rope: base must be from 1 to 1e12, not 0.5"},
    {"rope(fraction=1.5)", "column 15: rope: fraction must be from 0 to 1, not 1.5"},
    {"learned(init=-1)", "column 14: learned: init must be from 0 to 100, not -1"},
    {"rope(layout=hafl)", "column 13: rope: unknown layout 'hafl'; did you mean 'half'?"},
    {"rope(layout=2)", "column 13: rope: layout must be a word, not 2; known: interleaved, half"},
    {"rope+nope[heads=0]",
     "column 11: nope fills no place, so it cannot take heads or layers from other terms; assign those terms instead"},
};

TEST(Malformed, EveryErrorPointsAtItsColumn) {
  for (const Malformed& malformed : kMalformed) {
    std::string shown = malformed.text;
    for (char& c : shown) c = c == '\t' ? '?' : c;
    try {
      parse_encoding(malformed.text);
      ADD_FAILURE() << "no error for '" << malformed.text << "'";
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()), "encoding '" + shown + "': " + malformed.error);
    }
  }
}

TEST(Malformed, LimitsAreSaid) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_encoding(text);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string long_text = "rope" + std::string(5000, ' ');
  EXPECT_EQ(message(long_text), "encoding 'rope" + std::string(196, ' ') + "...': 5004 characters; the most is 4096");

  std::string deep = "1";
  for (int i = 0; i < 17; ++i) deep = "f(" + deep + ")";
  EXPECT_EQ(message(deep), "encoding '" + deep + "': column 35: more than 16 parentheses within each other");

  // Fits as written, but not with its arguments named.
  std::string sum = "learned(1)";
  for (int i = 0; i < 350; ++i) sum += "+learned(1)";
  EXPECT_NE(message(sum).find("5615 characters in canonical form; the most is 4096"), std::string::npos)
      << message(sum);
}

}  // namespace
}  // namespace phasor
