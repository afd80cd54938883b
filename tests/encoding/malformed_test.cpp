#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/syntax/encoding_error.h"

namespace phasor {
namespace malformed_test {

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
    {"rope[", "column 6: expected 'heads', 'layers', 'window' or 'chunk'"},
    {"rope[]", "column 6: expected 'heads', 'layers', 'window' or 'chunk'"},
    {"rope[head=0]", "column 6: brackets take heads, layers, window or chunk, not 'head'; did you mean 'heads'?"},
    {"rope[windows=4]",
     "column 6: brackets take heads, layers, window or chunk, not 'windows'; did you mean 'window'?"},
    {"rope[window]", "column 12: expected '='"},
    {"rope[window=]", "column 13: expected a number of tokens"},
    {"rope[window=-1]", "column 13: expected a number of tokens"},
    {"rope[window=none]", "column 13: expected a number of tokens"},
    {"rope[window=0]", "column 13: a query sees itself: the least is 1"},
    {"rope[heads=0,chunk=0]", "column 20: a query sees itself: the least is 1"},
    {"rope[window=1048577]", "column 13: numbers here go up to 1048576"},
    {"rope[window=4,window=4]", "column 15: window is given twice"},
    {"rope[chunk=4][chunk=8]", "column 15: chunk is given twice"},
    {"rope[window=1-4]", "column 14: expected ',' or ']'"},
    {"rope[window=4.5]", "column 14: expected ',' or ']'"},
    {"rope(base=learned(5)[window=3])",
     "column 11: rope: base must be a number or learned(number), not "
     "learned(5)[window=3]"},
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
    {"rope(bse=100)", "column 6: rope has no argument 'bse'; did you mean 'base'?"},
    {"rope(theta=100)", "column 6: rope has no argument 'theta'; theta is 'base' here: rope(base=500000)"},
    {"rope(turns=100)",
     "column 6: rope has no argument 'turns'; known: base, layout, fraction, frequencies, scaling, factor, "
     "original, beta_fast, beta_slow, truncate, low, high, attention, attention_on, mscale, mscale_all_dim, short, "
     "long, axes, map, "
     "sections"},
    {"nope(1)", "column 6: nope takes no arguments"},
    {"nope(base=1)", "column 6: nope takes no arguments"},
    {"learned(1,clamp,2)", "column 17: learned takes no more than 2 arguments"},
    {"rope(base=100,base=200)", "column 15: argument 'base' is given twice"},
    {"rope(100,base=200)", "column 10: argument 'base' is given twice"},
    {"rope(base=100,half)", "column 15: an argument without a name cannot follow one with a name"},
    {"rope(base=big)", "column 11: rope: base must be a number or learned(number), not big"},
    {"rope(base=\"1\")", "column 11: rope: base must be a number or learned(number), not \"1\""},
    {"rope(base=0.5)", "column 11: rope: base must be from 1 to 1e12, not 0.5"},
    {"rope(fraction=1.5)", "column 15: rope: fraction must be from 0 to 1, not 1.5"},
    {"learned(init=-1)", "column 14: learned: init must be from 0 to 100, not -1"},
    {"rope(layout=hafl)", "column 13: rope: unknown layout 'hafl'; did you mean 'half'?"},
    {"rope(layout=2)", "column 13: rope: layout must be a word, not 2; known: interleaved, half"},
    {"rope+nope[heads=0]",
     "column 11: nope fills no place, so it cannot take heads or layers from other terms; assign those terms instead"},
    // Formulas and their variables; formula_error_test.cpp has what is wrong within one
    {R"~(bias())~", "column 1: bias needs formula: in quotes, of d, i, n, h, l, H, L and your own names"},
    {R"~(bias(d))~",
     "column 6: bias: formula must be a formula in quotes, not d; a formula stands in double quotes, which a shell "
     "takes "
     "away unless single ones stand around it all: 'bias(\"d\")'"},
    {R"~(bias(3))~",
     "column 6: bias: formula must be a formula in quotes, not 3; a formula stands in double quotes, which a shell "
     "takes "
     "away unless single ones stand around it all: 'bias(\"3\")'"},
    {R"~(bias("d",1))~", "column 10: bias takes no more than 1 arguments"},
    {R"~(bias("d" "e"))~", "column 10: expected ',' or ')'"},
    {R"~(bias("d;e"))~", "column 8: bias: formula: ';' has no meaning in a formula"},
    {R"~(bias("1e999*d"))~", "column 7: bias: formula: this number does not fit a double"},
    {R"~(bias(formula="d",formula="d"))~", "column 18: argument 'formula' is given twice"},
    {R"~(bias("a*d",a=2,a=3))~", "column 16: argument 'a' is given twice"},
    {R"~(bias("a*d",a="1"))~", "column 14: bias: a must be a number or learned(number), not \"1\""},
    {R"~(bias("a*d",a=rope))~", "column 14: bias: a must be a number or learned(number), not rope"},
    {R"~(bias("a*d",b=1))~", "column 12: the formula does not use 'b'"},
    {R"~(bias("d",pi=3))~", "column 10: 'pi' already means something in this formula; choose another name"},
    {R"~(bias("d*h",h=3))~", "column 12: 'h' already means something in this formula; choose another name"},
    {R"~(input(learned))~", "column 7: input: formula must be a formula in quotes, not learned"},
    {R"~(input("i",C=2))~", "column 11: 'C' already means something in this formula; choose another name"},
    {R"~(alibi("-d"))~", "column 7: alibi: slopes must be a word, not \"-d\"; known: standard, released, learned"},
    {R"~(rope(frequencies=fast))~", "column 18: rope: unknown frequencies 'fast'; known: fixed, learned"},
    {R"~(rope(frequencies="c",base=5))~", "column 18: the formula does not use 'base'"},
    {R"~(rope(frequencies="c",axes=2))~", "column 27: rope: a formula gives the frequencies of one axis only"},
    {R"~(rope(scaling=longrope,original=8,short="1,2",long="1,2",w=3))~",
     "column 57: rope has no argument 'w'; known: base, layout, fraction, frequencies, scaling, factor, "
     "original, beta_fast, beta_slow, truncate, low, high, attention, attention_on, mscale, mscale_all_dim, short, "
     "long, axes, map, "
     "sections"},
    // Numbers that are learned; learned_number_test.cpp has their bounds
    {R"~(bias("a*d",a=learned(per=0)))~", "column 26: learned: per must be a word, not 0; known: all, head"},
    {R"~(bias("a*d",a=learned(1,head,0,2,5)))~", "column 33: learned takes no more than 4 arguments"},
    {R"~(bias("a*d",a=learned(1)+1))~", "column 25: expected the name of an encoding"},
    {R"~(bias("a*d",a=learned(1)[layers=0]))~",
     "column 14: bias: a must be a number or learned(number), not learned(1)[layers=0]"},
    {R"~(sinusoidal(scale=learn(1)))~",
     "column 18: sinusoidal: scale must be a number or learned(number), not learn(1)"},
    {R"~(rope(base=learned(100)))~",
     "column 11: rope: base can be learned only in a formula, such as frequencies=\"base^(-2*c/C)\"; "
     "frequencies=learned trains each of them"},
    // Lists of numbers
    {R"~(rope(short="1,x"))~", "column 12: rope: short must be numbers in quotes, such as \"1,1.5,2\", not \"1,x\""},
    {R"~(rope(short=1))~", "column 12: rope: short must be numbers in quotes, such as \"1,1.5,2\", not 1"},
    {R"~(rope(long="0,1"))~", "column 11: rope: long must be from 1e-6 to 1e9, not 0"},
    {R"~(rope(short="1,2"))~", "column 12: rope: short belongs to scaling=longrope, not to scaling=none"},
    {R"~(rope(axes=2,map=sections,sections="0.5,1.5"))~",
     "column 35: rope: sections must be 2 whole numbers, one per axis"},
    // Encodings within others
    {R"~(randomized())~", "column 1: randomized needs encoding: the encoding that reads the positions"},
    {R"~(randomized(3))~", "column 12: randomized: encoding must be an encoding, not 3"},
    {R"~(randomized("rope"))~", "column 12: randomized: encoding must be an encoding, not \"rope\""},
    {R"~(randomized(roep))~", "column 12: unknown encoding 'roep'; did you mean 'rope'?"},
    {R"~(randomized(alibi+rope(bse=3),max=9))~", "column 23: rope has no argument 'bse'; did you mean 'base'?"},
    {R"~(randomized(rope+))~", "column 17: expected the name of an encoding"},
    {R"~(randomized(rope alibi))~", "column 17: expected ',' or ')'"},
    {R"~(randomized(rope,alibi))~", "column 17: randomized: max must be a whole number, not alibi"},
    {R"~(randomized(rope,max=0))~", "column 21: randomized: max must be from 1 to 1048576, not 0"},
    {R"~(randomized(rope,max=2.5))~", "column 21: randomized: max must be a whole number, not 2.5"},
    {R"~(randomized(rope[heads=2-1]))~", "column 23: the range 2-1 runs backwards"},
    {R"~(randomized(randomized(rope)))~", "column 12: randomized cannot stand within randomized"},
    {R"~(randomized(nope)[heads=1])~",
     "column 18: randomized fills no place, so it cannot take heads or layers from other terms; assign those terms "
     "instead"},
    {R"~(concat(max=3,learned))~", "column 8: concat has no argument 'max'; known: encoding, width"},
    {R"~(concat(width=3,learned))~", "column 16: an argument without a name cannot follow one with a name"},
    {R"~(concat(encoding=learned,encoding=rope))~", "column 25: argument 'encoding' is given twice"},
    // Arguments that do not go together
    {R"~(mla(rope=3))~", "column 10: mla: rope must be even, as pairs of channels turn, not 3"},
    {R"~(mla(rope=0,base=5))~", "column 17: mla: base is about rotary channels, and rope=0 has none"},
    {R"~(rope(map=mixed))~", "column 10: rope: map=mixed needs axes=2 or more"},
    {R"~(rope(scaling=yarn))~",
     "column 14: rope: scaling=yarn needs original: the length that the frequencies were meant for"},
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

// Where nothing is near, the whole catalogue is shown.
TEST(Malformed, AnUnknownNameShowsTheKnownOnes) {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue()) names.push_back(entry.name);
  try {
    parse_encoding("sinusoidal + wavelet");
    ADD_FAILURE() << "no error";
  } catch (const EncodingError& error) {
    EXPECT_EQ(error.column(), 14);
    EXPECT_EQ(error.reason(), fmt::format("unknown encoding 'wavelet'; known: {}", fmt::join(names, ", ")));
  }
}

}  // namespace malformed_test
}  // namespace phasor
