#include "phasor/base/wrapped_text.h"

#include <gtest/gtest.h>

namespace phasor {
namespace wrapped_text_test {

TEST(WrappedText, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 20), "one two three");
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrapped("one two three", 6), "one\ntwo\nthree");
  EXPECT_EQ(wrapped("unbreakable word", 5), "unbreakable\nword");
  EXPECT_EQ(wrapped("", 5), "");
}

// The first line's margin is the caller's.
TEST(WrappedText, KeepsAMargin) {
  EXPECT_EQ(wrapped("one two three", 9, 2), "one two\n  three");
  EXPECT_EQ(wrapped("one\n\ntwo three", 7, 2), "one\n\n  two\n  three");
}

TEST(WrappedText, NeverStartsAList) {
  EXPECT_EQ(wrapped("aaaa - b", 4), "aaaa -\nb");
  EXPECT_EQ(wrapped("aaaa + b", 5), "aaaa +\nb");
  EXPECT_EQ(wrapped("aaaa 12. b", 5), "aaaa 12.\nb");
  EXPECT_EQ(wrapped("aaaa #b", 5), "aaaa #b");
  EXPECT_EQ(wrapped("aaaa -b", 5), "aaaa\n-b");
}

}  // namespace wrapped_text_test
}  // namespace phasor
