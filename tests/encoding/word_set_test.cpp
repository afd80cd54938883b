#include "phasor/encoding/syntax/word_set.h"

#include <gtest/gtest.h>

namespace phasor {
namespace word_set_test {

std::string printed(const std::string& text) {
  WordSet words;
  std::string reason;
  return read_words(text, words, reason) ? print(words) : reason;
}

TEST(WordSet, EqualSetsPrintAlike) {
  EXPECT_EQ(printed("0"), "0");
  EXPECT_EQ(printed("7, 3-5,separator ,4-6,3"), "separator,3-7");
  EXPECT_EQ(printed("values,keys,values,12"), "keys,values,12");
  EXPECT_EQ(printed(" 9 , 2 "), "2,9");
  EXPECT_EQ(printed("1-1"), "1");
  EXPECT_EQ(printed(printed("z_1,9,1-3")), "z_1,1-3,9");
}

TEST(WordSet, SaysWhatIsWrong) {
  EXPECT_EQ(printed(""), "a word is missing");
  EXPECT_EQ(printed("1,,2"), "a word is missing");
  EXPECT_EQ(printed("5-2"), "the range 5-2 runs backwards");
  EXPECT_EQ(printed("-1"), "'-1' is neither a name nor a number or range of numbers up to 16777215");
  EXPECT_EQ(printed("1.5"), "'1.5' is neither a name nor a number or range of numbers up to 16777215");
  EXPECT_EQ(printed("a b"), "'a b' is neither a name nor a number or range of numbers up to 16777215");
  EXPECT_EQ(printed("16777216"), "'16777216' is neither a name nor a number or range of numbers up to 16777215");
  EXPECT_EQ(printed("99999999999999999999"),
            "'99999999999999999999' is neither a name nor a number or range of numbers up to 16777215");
}

}  // namespace word_set_test
}  // namespace phasor
