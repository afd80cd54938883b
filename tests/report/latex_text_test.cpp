#include "phasor/report/latex_text.h"

#include <gtest/gtest.h>

namespace phasor {
namespace latex_text_test {

TEST(LatexText, EscapesWhatTexReads) {
  EXPECT_EQ(latex_text("a_b & 5% #1 $x$ {y}"), "a\\_b \\& 5\\% \\#1 \\$x\\$ \\{y\\}");
  EXPECT_EQ(latex_text("\\^~"), "\\textbackslash{}\\textasciicircum{}\\textasciitilde{}");
  EXPECT_EQ(latex_text("<|>\"`"), "\\textless{}\\textbar{}\\textgreater{}{\\char34}\\textasciigrave{}");
}

TEST(LatexText, MakesNoLigatures) {
  EXPECT_EQ(latex_text("a--b---c"), "a-{}-b-{}-{}-c");
  EXPECT_EQ(latex_text("it''s ,,"), "it'{}'s ,{},");
}

TEST(LatexText, KeepsLettersAndDropsWhatTurnsThem) {
  EXPECT_EQ(latex_text("M\u00fcller \u05e9\u05dc\u05d5\u05dd"), "M\u00fcller \u05e9\u05dc\u05d5\u05dd");
  EXPECT_EQ(latex_text("a\u202eb\u2066c\u200fd\n\te\x7f"), "abcd  e");
  EXPECT_EQ(latex_text("a\xffz\xe2\x80"), "a?z??") << "bytes that are no text";
  EXPECT_TRUE(is_latin("caf\u00e9, \u0141"));
  EXPECT_FALSE(is_latin("\u03c3_1"));
  EXPECT_FALSE(is_latin("\u05e9"));
  EXPECT_TRUE(is_latin("\u202e")) << "left out";
}

TEST(LatexText, BreaksExpressionsBehindTheirMarks) {
  const auto broken = [](std::string_view text) {  // '!' where a line may end
    std::string code = latex_code(text);
    const std::string_view mark = "\\allowbreak{}";
    for (size_t at; (at = code.find(mark)) != std::string::npos;) code.replace(at, mark.size(), "!");
    return code;
  };
  EXPECT_EQ(broken("rope(base=5,x=1)+nope"), "\\texttt{rope(!base=!5,!x=!1)!+!nope}");
  EXPECT_EQ(broken("a_b/c*0.1"), "\\texttt{a\\_!b/!c*!0.!1}");
  EXPECT_EQ(broken("abcdefghijklmnopqrstuvwxyz"), "\\texttt{abcdefghijkl!mnopqrstuvwx!yz}");
  EXPECT_EQ(broken("abcdefghijkl"), "\\texttt{abcdefghijkl}");
  EXPECT_EQ(broken("a word and another one"), "\\texttt{a word and another one}");
  EXPECT_EQ(broken("abcdefghijk~\\bcdefghijk~"),
            "\\texttt{abcdefghijk\\textasciitilde{}!\\textbackslash{}bcdefghijk\\textasciitilde{}}");
  EXPECT_EQ(broken("\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d1"),
            "\\texttt{\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0\u05d0!\u05d1}");
  EXPECT_EQ(broken("abcdefghijke\u0301x"), "\\texttt{abcdefghijke\u0301!x}");
}

TEST(LatexText, NumbersHaveMinusSigns) {
  EXPECT_EQ(latex_numbers("-3.1 (-5.0 to +1.2)"), "$-$3.1 ($-$5.0 to +1.2)");
  EXPECT_EQ(latex_numbers("rope - nope: 1e-05"), "rope $-$ nope: 1e$-$05");
  EXPECT_EQ(latex_numbers("twenty-1"), "twenty-1");
}

TEST(LatexText, KeysAreWords) {
  EXPECT_EQ(latex_key("arXiv 2505.13027 at demo size"), "arxiv-2505-13027-at-demo-size");
  EXPECT_EQ(latex_key("rope, alibi+rope(scaling=yarn,factor=4)"), "rope-alibi-rope-scaling-yarn");
  EXPECT_EQ(latex_key("  \u05e9 "), "study");
}

TEST(LatexText, TablesAreBooktabs) {
  EXPECT_EQ(to_latex({.caption = "C.", .label = "tab:x", .columns = "lr", .titles = {"a", "b"}, .rows = {{"1", "2"}}}),
            "\\begin{table}[tbp]\n\\centering\\small\n\\caption{C.}\n\\label{tab:x}\n\\smallskip\n"
            "\\begin{tabular}{@{}lr@{}}\n\\toprule\n  a & b \\\\\n\\midrule\n  1 & 2 \\\\\n\\bottomrule\n"
            "\\end{tabular}\n\\end{table}\n");
}

}  // namespace latex_text_test
}  // namespace phasor
