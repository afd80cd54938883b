// Texts for a terminal: tables, and commands as one would type them.
#include <gtest/gtest.h>

#include "phasor/base/shell_text.h"
#include "phasor/base/text_table.h"

namespace phasor {
namespace text_test {

TEST(ShellText, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(shell_text({}), "phasor");
  EXPECT_EQ(shell_text({"train", "--set", "train.lr=1e-3", "runs/a_b"}), "phasor train --set train.lr=1e-3 runs/a_b");
  EXPECT_EQ(shell_text({"encodings", "rope(base=500)"}), "phasor encodings 'rope(base=500)'");
  EXPECT_EQ(shell_text({"it's", "$HOME", "", "a b"}), "phasor 'it'\\''s' '$HOME' '' 'a b'");
}

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  const TextTable table{.titles = {"encoding", "accuracy"}, .rows = {{"rope", "100.0"}, {"sinusoidal", "9"}}};
  EXPECT_EQ(to_text(table, TableFormat::terminal),
            "encoding    accuracy\n"
            "rope        100.0\n"
            "sinusoidal  9\n");
  EXPECT_EQ(to_text(table, TableFormat::markdown),
            "| encoding | accuracy |\n"
            "| --- | --- |\n"
            "| rope | 100.0 |\n"
            "| sinusoidal | 9 |\n");
}

TEST(TextTable, CharactersCountAndNotBytes) {
  const TextTable table{.titles = {"x", "y"}, .rows = {{"\xc3\xa9\xc3\xa9", "1"}, {"abc", "2"}}};
  EXPECT_EQ(to_text(table, TableFormat::terminal),
            "x    y\n"
            "\xc3\xa9\xc3\xa9   1\n"
            "abc  2\n");
}

// 8 characters at least are left to names, and 100 in all.
TEST(TextTable, ANameWithoutRoomStandsAboveItsRow) {
  const std::string wide(kTerminalColumns - 12, 'v');
  const std::string name = "a name of 20 letters";
  const TextTable table{.titles = {"n", wide}, .rows = {{name, "1"}, {"short", "2"}}};
  const std::string text = to_text(table, TableFormat::terminal);
  EXPECT_NE(text.find("\n" + name + "\n" + std::string(10, ' ') + "  1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nshort       2\n"), std::string::npos) << text;
}

TEST(TextTable, MarksAndControlCharactersAreHarmless) {
  EXPECT_EQ(shown("a|b*\n\x1b", TableFormat::terminal), "a|b*  ");
  EXPECT_EQ(shown("a|b*\n", TableFormat::markdown), "a\\|b\\* ");
}

}  // namespace text_test
}  // namespace phasor
