#include "phasor/base/display_width.h"

#include <gtest/gtest.h>

namespace phasor::display_width_test {
namespace {

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("rope"), 4u);
  EXPECT_EQ(display_width("café"), 4u);
  EXPECT_EQ(display_width("cafe\u0301"), 4u);  // a combining accent
  EXPECT_EQ(display_width("位置"), 4u);
  EXPECT_EQ(display_width("한글ｶﾅ"), 6u);  // the last two are half as wide
  EXPECT_EQ(display_width("שלום"), 4u);
  EXPECT_EQ(display_width("שָׁלוֹם"), 4u);  // with points
  EXPECT_EQ(display_width("😀"), 2u);
  EXPECT_EQ(display_width("a\u200Bb"), 2u);
  EXPECT_EQ(display_width("─│○·"), 4u);
  EXPECT_EQ(display_width("a\xFF"), 2u);
}

TEST(DisplayWidth, CutsBetweenCharacters) {
  EXPECT_EQ(first_columns("位置", 3), "位");
  EXPECT_EQ(first_columns("e\u0301e\u0301", 1), "e\u0301");
  EXPECT_EQ(first_columns("rope", 9), "rope");
  EXPECT_EQ(cut_to("rope", 4), "rope");
  EXPECT_EQ(cut_to("rotary", 5), "ro...");
  EXPECT_EQ(cut_to("ééééééé", 6), "ééé...");
  EXPECT_EQ(cut_to("位置位置", 6), "位...");
  EXPECT_EQ(cut_to("rotary", 2), "ro");
}

TEST(DisplayWidth, PadsToColumns) {
  EXPECT_EQ(padded_to("位置", 6), "位置  ");
  EXPECT_EQ(padded_to("é", 3), "é  ");
  EXPECT_EQ(padded_to("rope", 2), "rope");
}

TEST(DisplayWidth, TextFromTheRightIsKeptApart) {
  EXPECT_EQ(isolated("rope"), "rope");
  EXPECT_EQ(isolated("位置 é"), "位置 é");
  EXPECT_EQ(isolated("שלי"), "\u2068שלי\u2069");
  EXPECT_EQ(isolated("a عربي 1"), "\u2068a عربي 1\u2069");
  EXPECT_EQ(display_width(isolated("שלי")), 3u);
}

}  // namespace
}  // namespace phasor::display_width_test
