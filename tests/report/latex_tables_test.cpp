#include "phasor/report/latex_tables.h"

#include <gtest/gtest.h>

#include "study/records.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace latex_tables_test {

using namespace testing_support;
using Values = std::vector<double>;

CellName named(const std::string& encoding, const std::string& task, const std::string& label = "",
               const std::string& protocol = "clean", const std::string& variant = "") {
  return {.task = task, .protocol = protocol, .encoding = encoding, .variant = variant, .label = label};
}

std::string latex_of(std::vector<CellRuns> cells, const std::string& name = "A_study") {
  return latex_tables(make_report(StudyResults{.name = name, .preset = "quick", .cells = std::move(cells)}));
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// A row for each encoding and a column for each task, with the interval of the summary.
TEST(LatexTables, HaveAccuraciesByEncodingAndTask) {
  CellRuns rope = cell_runs(named("rope", "distance"), {0.98, 0.99, 1.0});
  const SeedInterval interval = summarize(rope).numbers.test_accuracy;
  const std::string text = latex_of(
      {rope, cell_runs(named("rope", "counting"), {0.5, 0.5, 0.5}), cell_runs(named("nope", "distance"), {0.1})});
  expect_words(
      text, {"\\usepackage{booktabs}", "% Tables of the study A_study\n", "\\label{tab:a-study-accuracy}",
             "  encoding & distance & counting \\\\\n", "\\midrule",
             fmt::format("  \\texttt{{rope}} & 99.0 ({:.1f}--{:.1f})", 100.0 * *interval.low, 100.0 * *interval.high),
             " & 50.0 (all equal)", "  \\texttt{nope} & 10.0", " &  \\\\\n", "means over 1 to 3 seeds"});
  EXPECT_EQ(count(text, "\\begin{table}"), count(text, "\\end{table}"));
}

TEST(LatexTables, HaveOneTablePerProtocolAndAFewTasksEach) {
  std::vector<CellRuns> cells;
  for (const char* task : {"a", "b", "c", "d"}) cells.push_back(cell_runs(named("rope", task), {0.9}));
  cells.push_back(cell_runs(named("rope", "a", "", "released"), {0.9}));
  const std::string text = latex_of(cells);
  expect_words(text,
               {"encoding & a & b & c \\\\", "encoding & d \\\\", "tab:a-study-accuracy-2", "tab:a-study-accuracy-3",
                "the protocol \\texttt{released}: one seed each, so without intervals"});
}

// Whatever a name is made of, it is text; what it stands for is said once.
TEST(LatexTables, NamesAreSafeAndStandOnceForTheirExpressions) {
  const std::string mine = "bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1))";
  const std::string text =
      latex_of({cell_runs(named(mine, "distance", "50%_of {my} $n\\ame & #1"), {0.9, 0.8, 0.7}),
                cell_runs(named(mine, "counting", "50%_of {my} $n\\ame & #1"), {0.9, 0.8, 0.7}),
                cell_runs(named("rope", "distance", "", "clean", "base < 10^3"), {0.9, 0.8, 0.7})});
  expect_words(text, {"\\texttt{50\\%\\_\\allowbreak{}of \\{my\\} \\$n\\textbackslash{}ame \\& \\#1}",
                      "\\label{tab:a-study-names}", "\\caption{Names and short forms, and what they stand for.}",
                      "{\\char34}-a*", "\\texttt{rope}, base \\textless{} 10\\textasciicircum{}3"});
  EXPECT_EQ(count(text, "abs("), 1);
  EXPECT_EQ(text.find("xelatex"), std::string::npos);
  expect_words(latex_of({cell_runs(named("rope", "distance", "\u05e9\u05dc\u05d5\u05dd"), {0.9})}),
               {"xelatex or lualatex"});
}

TEST(LatexTables, HaveComparisonsWithTheirReading) {
  const std::string text = latex_of({cell_runs(named("nope", "distance"), {0.1, 0.11, 0.09, 0.1, 0.12}),
                                     cell_runs(named("rope", "distance"), {0.5, 0.51, 0.49, 0.5, 0.52})});
  expect_words(text, {"\\label{tab:a-study-comparisons}", "first $-$ second &",
                      "\\texttt{nope} $-$ \\texttt{rope} on distance: test accuracy &", "$-$40.0 points ($-$",
                      "of interest &", "\\raggedright -- &"});
}

TEST(LatexTables, HaveClaimsWithTheirVerdicts) {
  StudyReport report = make_report(StudyResults{.name = "x", .preset = "quick", .cells = {}});
  const std::vector<paper::Claim>& claims = paper::claims();
  for (size_t c = 0; c < 21; ++c) {
    report.claims.push_back({.id = claims[c].id, .protocol = "clean", .verdict = paper::ClaimVerdict::fails});
  }
  report.claims[0].post_hoc = true;
  report.claims[1].extension = true;
  report.claims[2].post_hoc = report.claims[2].extension = true;
  report.claims[20].unasked = true;
  report.claims.push_back({.id = claims[0].id, .protocol = "released", .verdict = paper::ClaimVerdict::holds});
  const std::string text = latex_tables(report);
  expect_words(text, {"tab:x-claims", "claim & clean & released", "fails$^{\\dagger}$ & holds", "judged post hoc",
                      "fails$^{\\ddagger}$ & --", "fails$^{\\dagger\\ddagger}$ & --",
                      " $^{\\ddagger}$: extension, it would read otherwise without runs that were added",
                      " 1 verdict for which it lacks runs is left out.", "tab:x-claims-2", "(continued)"});
  EXPECT_EQ(count(text, " fails "), 17) << text;
  for (size_t c = 1; c < 3; ++c) report.claims[c].extension = false;
  EXPECT_EQ(latex_tables(report).find("extension"), std::string::npos);
}

}  // namespace latex_tables_test
}  // namespace phasor
