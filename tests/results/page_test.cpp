#include "results/page.h"

#include <gtest/gtest.h>

#include "results/printed_number.h"

namespace phasor::results {
namespace page_test {

DataFolder data() {
  DataFolder folder("no folder");
  folder.add(
      parse_csv("task,protocol,encoding,variant,test_accuracy,accuracy_at_2,position_verdict\n"
                "distance,clean,rope,,0.99,0.5,DEPOSIT\n"
                "distance,clean,rope,,0.98,0.5,SPREAD\n"
                "distance,clean,rope,,0.97,0.5,DEPOSIT\n"
                "index,clean,rope,,0.25,,\n"
                "distance,clean,alibi,,0.9,0.25,SPREAD\n"
                "distance,clean,alibi,,0.7,0.5,SPREAD\n",
                "runs.csv"));
  folder.add(
      parse_csv("id,protocol,verdict,post_hoc,reason,needs,claim\n"
                "rope_best_on_distance,clean,holds,false,RoPE leads by +3.1 points (95 % 1.0 to 5.2).,,\n"
                "rope_best_on_indirect,clean,fails,false,No.,,\n",
                "claims.csv"));
  return folder;
}

CheckedPage checked(const std::string& text) {
  DataFolder folder = data();
  return check_page("page.md", text, folder);
}

std::string findings(const std::string& text) {
  std::string all;
  for (const Finding& finding : checked(text).findings) all += finding.text() + "\n";
  return all;
}

const std::string kRope = "runs.csv task=distance encoding=rope";

TEST(Page, ANumberIsCheckedToItsLastDigit) {
  const std::string comment = "<!--= mean(test_accuracy) % " + kRope + " -->";
  EXPECT_EQ(findings("RoPE has 98" + comment + " %.\n"), "");
  EXPECT_EQ(findings("RoPE has **98.00**" + comment + " %.\n"), "");
  EXPECT_EQ(findings("\nRoPE has 98.1" + comment + " %.\n"),
            "page.md:2: 98.1 should be 98.0 (98 by mean(test_accuracy) % " + kRope + ", 3 lines of runs.csv)\n");
  EXPECT_EQ(checked("RoPE has 98.1" + comment + " %.\n").text, "RoPE has 98.0" + comment + " %.\n");
}

TEST(Page, SeveralNumbersBeforeOneComment) {
  const std::string text = "In 2 of 3<!--= count(position_verdict=DEPOSIT) " + kRope + " --> runs: 98.0 (95.5..100.0)" +
                           "<!--= interval(test_accuracy) % " + kRope + " --> %\n";
  EXPECT_EQ(findings(text), "");
  EXPECT_EQ(checked(text).numbers, 5u);
  std::string wrong = text;
  wrong.replace(wrong.find("95.5"), 4, "96.5");
  wrong.replace(wrong.find("2 of"), 1, "3");
  EXPECT_EQ(checked(wrong).findings.size(), 2u);
  EXPECT_EQ(checked(wrong).text, text);
  EXPECT_NE(findings("98<!--= interval(test_accuracy) % " + kRope + " -->\n").find("3 numbers should stand before"),
            std::string::npos);
}

TEST(Page, ValuesThatAreAllEqual) {
  const std::string comment = "<!--= interval(accuracy_at_2) % " + kRope + " -->";
  EXPECT_EQ(findings("50.0 (all equal)" + comment + "\n"), "");
  EXPECT_NE(findings("50.0" + comment + "\n").find("write the mean and '(all equal)'"), std::string::npos);
}

TEST(Page, DefaultsOfAPage) {
  const std::string marker = "<!-- results: data runs.csv task=distance variant= -->\n";
  EXPECT_EQ(findings(marker + "98.0<!--= mean(test_accuracy) % encoding=rope -->\n"), "");
  EXPECT_EQ(findings(marker + "25.0<!--= mean(test_accuracy) % encoding=rope task=index -->\n"), "");
  EXPECT_EQ(findings(marker + "1<!--= rows claims.csv verdict=holds -->\n"), "") << "another file has other columns";
  EXPECT_NE(findings("98.0<!--= mean(test_accuracy) % encoding=rope -->\n").find("names no CSV file"),
            std::string::npos);
}

TEST(Page, Quotes) {
  const std::string comment = "<!--= quoted(reason) claims.csv id=rope_best_on_distance -->";
  EXPECT_EQ(findings("RoPE leads by 3.1 points (1.0..5.2)" + comment + ".\n"), "");
  EXPECT_NE(findings("RoPE leads by 3.2 points" + comment + ".\n").find("3.2 is not in what is quoted: RoPE leads"),
            std::string::npos);
}

TEST(Page, StrictPagesExplainEveryFigure) {
  const std::string strict = "<!-- results: strict -->\n";
  EXPECT_EQ(findings("It has 98.1 %.\n"), "") << "not strict";
  EXPECT_EQ(checked(strict).kind, PageKind::strict);
  EXPECT_NE(findings(strict + "It has 98.1 %.\n").find("page.md:2: nothing says where 98.1 comes from"),
            std::string::npos);
  EXPECT_NE(findings(strict + "By 3 points.\n"), "");
  EXPECT_NE(findings(strict + "| rope | 7 % |\n"), "");
  EXPECT_EQ(findings(strict + "<!-- results: loose -->\nIt has 98.1 %.\n"), "");
  EXPECT_EQ(findings(strict + "It takes 3.5 s<!-- timing -->, at a rate of 0.003<!-- setting -->.\n"), "");
  EXPECT_NE(findings(strict + "It takes 3.5 s<!-- timing -->, and has 7 %.\n").find("7 comes"), std::string::npos);
  EXPECT_NE(findings(strict + "7.1 % and 98<!--= mean(test_accuracy) % " + kRope + " -->\n").find("7.1 comes"),
            std::string::npos);
  EXPECT_EQ(findings(strict + "arXiv 2505.13027, assumptions 3.1 and 3.2 of 2026-11-18 with a 95 % interval, `x=0.5`, "
                              "[v](a1.5.md), 5 seeds, version 1.2.3.\n"),
            "");
}

TEST(Page, CodeOfCommandsIsExemptAndCodeOfResultsIsNot) {
  const std::string strict = "<!-- results: strict -->\n\n";
  EXPECT_EQ(findings(strict + "    phasor train --set train.lr=0.003 \\\n      --set train.decay=0.1 7.5\n"), "");
  EXPECT_EQ(findings(strict + "```\nbuild/release/phasor bench 0.5\n```\n"), "");
  EXPECT_NE(findings(strict + "    rope   98.0 (97.0..99.0)\n").find("make it a block of results"), std::string::npos);
}

TEST(Page, ATableIsMadeAsAWhole) {
  const std::string marker =
      "<!-- results: table rows=encoding runs.csv task=distance\n"
      "distance: interval(test_accuracy) % .1\n"
      "deposits: count(position_verdict=DEPOSIT)\n"
      "index: mean(test_accuracy) % .0 task=index\n-->\n";
  const std::string table =
      "| encoding | distance | deposits | index |\n| --- | --- | --- | --- |\n"
      "| rope | 98.0 (95.5..100.0) | 2/3 | 25 |\n| alibi | 80.0 (0.0..100.0) | 0/2 |  |\n";
  const std::string end = "<!-- results: end -->\nafter\n";
  EXPECT_EQ(findings(marker + table + end), "");
  std::string wrong = table;
  wrong.replace(wrong.find("2/3"), 3, "1/3");
  EXPECT_NE(findings(marker + wrong + end).find("page.md:8: the block of results differs"), std::string::npos)
      << findings(marker + wrong + end);
  EXPECT_EQ(checked(marker + wrong + end).text, marker + table + end);
  EXPECT_EQ(checked(marker + end).text, marker + table + end);
  EXPECT_NE(findings(marker + table).find("the block has no"), std::string::npos);
}

TEST(Page, ClaimsAreATableOfTheProduct) {
  const CheckedPage page = checked("<!-- results: claims claims.csv -->\n<!-- results: end -->\n");
  EXPECT_NE(page.text.find("| holds | - | RoPE leads by +3.1 points"), std::string::npos) << page.text;
}

TEST(Page, CommentsInCodeAreText) {
  EXPECT_EQ(findings("`<!--= FUNCTION -->` and 98.0<!--= mean(test_accuracy) % " + kRope + " -->\n"), "");
  EXPECT_EQ(findings("    1<!--= FUNCTION -->\n"), "");
}

TEST(Page, UnknownMarksAndFiles) {
  EXPECT_NE(findings("<!-- results: strikt -->\n").find("there is no 'strikt'; there are strict"), std::string::npos);
  EXPECT_NE(findings("1<!--= rows other.csv -->\n").find("there is no no folder/other.csv"), std::string::npos);
  EXPECT_NE(findings("1<!--= rows runs.csv\n-->\n").find("does not end on its line"), std::string::npos);
}

TEST(PrintedNumber, SignsCommasAndRanges) {
  const std::string line = "-4.3 to +5.0, 97.3..100.0, 20,000 (12-14), x2, 1,2";
  const std::vector<PrintedNumber> numbers = printed_numbers(line, 0, line.size());
  std::vector<double> values;
  for (const PrintedNumber& number : numbers) values.push_back(number.value);
  EXPECT_EQ(values, (std::vector{-4.3, 5.0, 97.3, 100.0, 20000.0, 12.0, 14.0, 1.0, 2.0}));
  EXPECT_EQ(numbers[0].with(-0.04), "0.0");
  EXPECT_EQ(numbers[1].with(3.0), "+3.0");
  EXPECT_EQ(numbers[4].with(1234567.0), "1,234,567");
  EXPECT_TRUE(numbers[2].agrees_with(97.25));
  EXPECT_FALSE(numbers[2].agrees_with(97.36));
}

}  // namespace page_test
}  // namespace phasor::results
