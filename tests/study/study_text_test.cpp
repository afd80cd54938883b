#include "phasor/study/summary/study_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "study/records.h"

namespace phasor {
namespace study_text_test {

using namespace testing_support;

const std::vector<double> kFirst = {0.95, 0.97, 0.96, 0.99, 0.98};
const std::vector<double> kSecond = {0.90, 0.93, 0.91, 0.96, 0.92};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

size_t widest(const std::string& text) {
  size_t most = 0;
  for (const std::string& line : lines_of(text)) {
    most = std::max(most, static_cast<size_t>(std::count_if(line.begin(), line.end(), [](char c) {
                      return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
                    })));
  }
  return most;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Comparison accuracy(const std::vector<double>& first, const std::vector<double>& second) {
  return compare(cell_runs(kRope, first), cell_runs(kAlibi, second), {ComparedQuantity::test_accuracy});
}

// Fully apart: +86 points; SciPy's Welch interval is 80.9 to 91.1.
TEST(StudyText, AnAnswerThatTells) {
  const std::vector<double> low = {0.05, 0.10, 0.15, 0.10, 0.15};
  EXPECT_EQ(answer(accuracy(kFirst, low), false),
            "rope is better than alibi by 86.0 points (95 % 80.9 to 91.1); a permutation test gives p = 0.008.");
  EXPECT_TRUE(
      answer(accuracy(kFirst, low)).starts_with("rope is better than alibi on distance, clean, by 86.0 points"));
  EXPECT_TRUE(
      answer(accuracy(low, kFirst), false).starts_with("rope is worse than alibi by 86.0 points (95 % 80.9 to"));
  // SciPy, of three each: +86.1 (84.6 to 87.6).
  EXPECT_EQ(answer(accuracy({1.0, 1.0, 1.0}, {0.135, 0.146, 0.136}), false),
            "rope is better than alibi by 86.1 points (95 % 84.6 to 87.6).");
}

TEST(StudyText, AnAnswerThatTellsTheSignAlone) {
  const std::string text = answer(accuracy({0.950, 0.951, 0.952}, {0.939, 0.938, 0.937}), false);
  EXPECT_EQ(text, "rope is better than alibi by 1.3 points (95 % 1.1 to 1.5).");
  const std::string near = answer(accuracy({0.950, 0.953, 0.956}, {0.939, 0.938, 0.937}), false);
  EXPECT_TRUE(contains(near, "; whether by more than 1 point is open.")) << near;
}

TEST(StudyText, AnAnswerThatNothingOfInterestIsThere) {
  const std::string even = answer(accuracy({0.950, 0.951, 0.952}, {0.951, 0.950, 0.952}), false);
  EXPECT_TRUE(
      even.starts_with("no difference of interest between rope and alibi in test accuracy: +0.0 points (95 % -0."))
      << even;
  EXPECT_TRUE(even.ends_with("), less than 1 point.")) << even;
  const std::string small = answer(accuracy({0.9991, 0.9992, 0.9993}, {0.9951, 0.9952, 0.9953}), false);
  EXPECT_TRUE(small.ends_with("), significant, but less than 1 point.")) << small;
}

TEST(StudyText, AnAnswerThatLeavesItOpen) {
  const std::string open = answer(accuracy({0.95, 0.85, 0.99}, {0.9, 0.8, 0.78}), false);
  EXPECT_TRUE(open.starts_with("open: whether rope and alibi differ in test accuracy: +10.3 points (95 % -")) << open;
  EXPECT_EQ(
      answer(accuracy({0.95}, kSecond), false),
      "open: whether rope and alibi differ in test accuracy; there are 1 against 5 finished runs with that number, "
      "and 3 on each side are needed.");
  EXPECT_TRUE(contains(answer(accuracy({1.0, 1.0, 1.0}, {0.5, 0.5, 0.5}), false), "(no spread on either side)"));
}

TEST(StudyText, AnswersSayWhatElseAReaderMustKnow) {
  CellRuns first = cell_runs(kRope, {0.97, 0.15, 0.98}), second = cell_runs(kAlibi, {0.90, 0.91, 0.92});
  second.failures.push_back({.id = "x", .cell = kAlibi, .seed = 9});
  first.runs[1].converged = false;
  const std::string text = answer(compare(first, second, {ComparedQuantity::test_accuracy}), false);
  EXPECT_TRUE(contains(text,
                       "; runs lie far apart, where no test of means is right: of rope 2 "
                       "of 3 runs reach 90 %;"))
      << text;
  EXPECT_TRUE(contains(text, "; without runs that have not converged the order would turn (+6.5 points)")) << text;
  EXPECT_TRUE(text.ends_with("; not counted of alibi: 1 run that failed.")) << text;
  const std::string disputed = answer(accuracy({0.90, 0.91, 0.92, 0.93, 0.99}, {0.05, 0.80, 0.81, 0.82, 0.83}), false);
  EXPECT_TRUE(contains(disputed, "; a permutation test says otherwise, p = 0.")) << disputed;
}

TEST(StudyText, ChanceAmongSeveralComparisonsIsTold) {
  std::vector<Comparison> family(6, accuracy(kFirst, {0.93, 0.95, 0.94, 0.96, 0.93}));
  ASSERT_TRUE(family[0].significant());
  EXPECT_FALSE(contains(answer(family[0]), "by chance"));
  adjust(family);
  ASSERT_GT(*family[0].holm, 0.05);
  EXPECT_TRUE(contains(answer(family[0]), "; one of 6 comparisons may look like this by chance (p after Holm 0."))
      << answer(family[0]);
}

TEST(StudyText, OtherNumbersHaveTheirOwnWords) {
  CellRuns first = cell_runs(kRope, kFirst), second = cell_runs(kAlibi, kSecond);
  for (size_t r = 0; r < 5; ++r) {
    first.runs[r].steps_to_90 = 100 + static_cast<int64_t>(r);
    second.runs[r].steps_to_90 = 300 + static_cast<int64_t>(r);
    first.runs[r].loss_area = 0.5 + 0.01 * static_cast<double>(r);
    second.runs[r].loss_area = 0.25 + 0.01 * static_cast<double>(r);
    first.runs[r].lengths = {{2.0, 80, 0.5 + 0.01 * static_cast<double>(r)}};
    second.runs[r].lengths = {{2.0, 80, 0.1 + 0.01 * static_cast<double>(r)}};
  }
  const auto text = [&](ComparedNumber number) { return answer(compare(first, second, number), false); };
  EXPECT_TRUE(
      contains(text({ComparedQuantity::steps_to_90}), "rope reaches 90 % sooner than alibi by 200 steps (95 % "));
  EXPECT_TRUE(contains(text({ComparedQuantity::loss_area}), "rope learns more slowly than alibi by 0.250 (95"));
  EXPECT_TRUE(contains(text({ComparedQuantity::accuracy_at_length, 2.0}),
                       "rope is better than alibi at 2 times the length by 40.0 points (95 % "));
}

// A mean of steps and of "never" would be no number of steps.
TEST(StudyText, RunsThatNeverArriveHaveNoDifferenceInSteps) {
  CellRuns first = cell_runs(kRope, kFirst), second = cell_runs(kAlibi, kSecond);
  for (size_t r = 0; r < 5; ++r) {
    first.runs[r].steps_to_90 = 100 + static_cast<int64_t>(r);
    if (r > 3) second.runs[r].steps_to_90 = 300 + static_cast<int64_t>(r);
  }
  const Comparison found = compare(first, second, {ComparedQuantity::steps_to_90});
  EXPECT_EQ(answer(found, false),
            "rope reaches 90 % sooner than alibi: 5 of 5 runs of rope and 1 of 5 runs of alibi reach it; a permutation "
            "test gives p = 0.008.");
  for (RunRecord& run : first.runs) run.steps_to_90.reset();
  second.runs[4].steps_to_90.reset();
  EXPECT_EQ(answer(compare(first, second, {ComparedQuantity::steps_to_90}), false),
            "open: whether rope and alibi differ in steps to 90 %: 0 of 5 runs of rope and 0 of 5 runs of alibi reach "
            "it; a permutation test gives p = 1.00.");
}

TEST(StudyText, CellsThatDifferInMoreThanTheEncodingAreNamedInFull) {
  CellName released = kRope;
  released.protocol = "released";
  const std::string text =
      answer(compare(cell_runs(kRope, kFirst), cell_runs(released, {0.1, 0.2, 0.3, 0.2, 0.1}), {}), false);
  EXPECT_TRUE(contains(text, phasor::text(kRope) + " is better than " + phasor::text(released) + " by ")) << text;
}

TEST(StudyText, PValues) {
  EXPECT_EQ(p_text(1.0), "1.00");
  EXPECT_EQ(p_text(0.1), "0.10");
  EXPECT_EQ(p_text(2.0 / 70), "0.029");
  EXPECT_EQ(p_text(2.0 / 252), "0.008");
  EXPECT_EQ(p_text(2.0 / 184756), "1.1e-05");
}

TEST(StudyText, ATableOfCells) {
  CellRuns cell = cell_runs(kRope, {0.9, 0.92, 0.95, 0.97});
  cell.planned = 7;
  cell.runs[0].converged = false;
  cell.runs[1].steps_to_90 = 300;
  cell.runs[2].steps_to_90 = 500;
  cell.runs[3].steps_to_90 = 400;
  cell.failures.push_back({.id = "rope-4", .cell = kRope, .seed = 4});
  const std::string text =
      cells_text({summarize(cell), summarize(cell_runs(kAlibi, {0.5})), summarize({.cell = kAlibi, .planned = 0})},
                 TableFormat::terminal);
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 8u) << text;
  EXPECT_EQ(lines[0], "distance, clean");
  // SciPy's Student interval of the four values is 88.55 to 98.45.
  EXPECT_EQ(lines[2], "rope       93.5 (88.6 to 98.4)    90.0..97.0       4/5      450 (1 of 4 never)  1* 1! 2?");
  EXPECT_EQ(lines[3], "alibi      50.0                                    0/1      never");
  EXPECT_EQ(lines[4], "alibi     -                                        -        -");
  EXPECT_TRUE(contains(lines[5], "* runs that have not converged"));
  EXPECT_TRUE(contains(lines[6], "! runs that failed"));
  EXPECT_TRUE(contains(lines[7], "? runs that are planned"));
}

TEST(StudyText, StepsOfMostRunsThatNeverArrive) {
  CellRuns cell = cell_runs(kRope, {0.8, 0.8, 0.95});
  cell.runs[2].steps_to_90 = 300;
  EXPECT_TRUE(contains(cells_text({summarize(cell)}, TableFormat::terminal), "never (1 of 3 did)"));
  EXPECT_TRUE(
      contains(cells_text({summarize(cell_runs(kRope, {1.0, 1.0}))}, TableFormat::terminal), "100.0 (all equal)"));
}

TEST(StudyText, TasksAndProtocolsHaveTablesOfTheirOwn) {
  CellName counting = kRope;
  counting.task = "counting";
  const std::string text = cells_text(
      {summarize(cell_runs(kRope, {0.9})), summarize(cell_runs(counting, {0.8})), summarize(cell_runs(kAlibi, {0.7}))},
      TableFormat::terminal);
  const size_t second = text.find("\ncounting, clean\n");
  ASSERT_NE(second, std::string::npos) << text;
  EXPECT_LT(text.find("alibi"), second) << "rows of one task stand together";
  EXPECT_EQ(text.find("distance, clean", 1), std::string::npos);
}

TEST(StudyText, ATableOfComparisons) {
  std::vector<Comparison> family = {accuracy(kFirst, kSecond), accuracy({0.1, 0.2, 0.3}, {0.7, 0.8, 0.9}),
                                    accuracy({0.5}, kSecond)};
  adjust(family);
  const std::string text = comparisons_text(family, TableFormat::terminal);
  EXPECT_LE(widest(text), 100u) << text;
  // By SciPy: +4.6 (1.65 to 7.55), and 6 / 252 by permutation.
  EXPECT_TRUE(contains(text, "+4.6 points (+1.7 to +7.5)")) << text;
  EXPECT_TRUE(contains(text, "of interest")) << text;
  EXPECT_TRUE(contains(text, "0.024")) << text;
  EXPECT_TRUE(contains(text, "5:5")) << text;
  EXPECT_TRUE(contains(text, "1:5")) << text;
  EXPECT_TRUE(contains(text, "it decides nothing")) << text;
  EXPECT_EQ(comparisons_text({}, TableFormat::terminal), "");
  EXPECT_FALSE(contains(comparisons_text({family[1]}, TableFormat::terminal), "it decides nothing")) << "there is none";
}

TEST(StudyText, StaysWithinAHundredColumns) {
  CellName longest = kRope;
  longest.encoding = "rope(" + std::string(150, 'x') + ")";
  longest.variant = "a variant whose name goes on and on without ever coming to an end of any kind, and then some more";
  CellName accents = kRope;
  accents.encoding = "";
  for (int i = 0; i < 60; ++i) accents.encoding += "\xC3\xA4";
  StudyResults results{.name = "s", .preset = "quick"};
  for (const CellName& cell : {kRope, accents}) results.cells.push_back(cell_runs(cell, kFirst));
  results.cells.push_back(cell_runs(longest, kSecond));
  const std::string table = cells_text(summarize(results).cells, TableFormat::terminal);
  EXPECT_LE(widest(table), 100u) << table;
  EXPECT_TRUE(contains(table, std::string(90, 'x')));
  results.rates.push_back({.cell = kRope, .rate = 1e-3, .trials = {{"a", 1e-4, 0.9, 0.1}, {"b", 1e-3, {}, {}}}});
  CellRuns failing = cell_runs(kAlibi, {});
  failing.failures.push_back(
      {.id = "x",
       .cell = kAlibi,
       .what = "a long story of many words that goes on " + std::string("and on and on and on and on and on")});
  results.cells.back() = failing;
  const std::string text = study_text(
      summarize(results, compare_all(results, {{kRope, accents, {}}, {kRope, kAlibi, {}}})), TableFormat::terminal);
  EXPECT_LE(widest(text), 100u) << text;
  EXPECT_TRUE(contains(text, "0.0001: 90.0, 0.001: failed")) << text;
  EXPECT_TRUE(contains(text, "failed: " + phasor::text(kAlibi) + ", seed 0 (x): a long story")) << text;
}

TEST(StudyText, ColumnsLineUpByCharactersNotBytes) {
  const TextTable table{.titles = {"name", "number"}, .rows = {{"\xC3\xA4\xC3\xA4\xC3\xA4", "1"}, {"bb", "2"}}};
  EXPECT_EQ(to_text(table, TableFormat::terminal), "name  number\n\xC3\xA4\xC3\xA4\xC3\xA4   1\nbb    2\n");
}

// How many cells a line of a Markdown table has: bars that no backslash takes away.
size_t bars(const std::string& line) {
  size_t count = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++count;
    }
  }
  return count;
}

TEST(StudyText, MarkdownKeepsHostileNamesInTheirCells) {
  const CellName hostile{.task = "dis|tance",
                         .protocol = "<b>clean</b>",
                         .encoding = "bias(\"-a*d|\",\na=1)\\",
                         .variant = "`code` _x_ [link](y)"};
  CellRuns cell = cell_runs(hostile, kFirst);
  cell.runs[0].converged = false;
  const std::string text = cells_text({summarize(cell)}, TableFormat::markdown);
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_GE(lines.size(), 5u) << text;
  EXPECT_EQ(lines[0], "### dis\\|tance, \\<b\\>clean\\</b\\>");
  EXPECT_EQ(lines[1], "");
  for (size_t l = 2; l < 5; ++l) EXPECT_EQ(bars(lines[l]), 7u) << lines[l];
  EXPECT_EQ(lines[3], "| --- | --- | --- | --- | --- | --- |");
  EXPECT_EQ(lines[4].find("| bias(\"-a\\*d\\|\", a=1)\\\\, \\`code\\` \\_x\\_ \\[link\\](y) | 97.0 ("), 0u) << lines[4];
  EXPECT_TRUE(contains(lines[4], "| 1\\* |"));
  EXPECT_EQ(lines[5], "");
  EXPECT_EQ(lines[6].substr(0, 5), "- \\* ");
}

TEST(StudyText, MarkdownHasTheSameNumbers) {
  StudyResults results{.name = "quick_study", .preset = "quick"};
  results.cells = {cell_runs(kRope, kFirst), cell_runs(kAlibi, kSecond)};
  const StudySummary summary = summarize(results, compare_all(results, {{kRope, kAlibi, {}}}));
  const std::string text = study_text(summary, TableFormat::markdown);
  EXPECT_EQ(text.find("## Study quick\\_study, preset quick\n\n### distance, clean\n\n| encoding |"), 0u) << text;
  EXPECT_TRUE(contains(text, "+4.6 points (+1.7 to +7.5) | of interest | 0.008 | 0.024 |")) << text;
  EXPECT_TRUE(contains(text,
                       "\n- rope is better than alibi by 4.6 points (95 % 1.7 to 7.5); a permutation test gives p = "
                       "0.024."))
      << text;
}

TEST(StudyText, ControlCharactersReachNoTerminal) {
  const CellName hostile{.task = "distance", .protocol = "clean", .encoding = "ro\x1b[31mpe\n\t"};
  const std::string text = cells_text({summarize(cell_runs(hostile, {0.9}))}, TableFormat::terminal);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(lines_of(text).size(), 3u);
}

}  // namespace study_text_test
}  // namespace phasor
