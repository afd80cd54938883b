#include "phasor/report/text_plots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "phasor/base/text_table.h"
#include "study/records.h"

namespace phasor {
namespace text_plots_test {

using namespace testing_support;

// Characters of the widest line: bytes that go on with a character do not count.
size_t widest(const std::string& text) {
  size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    size_t columns = 0;
    for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xc0u) != 0x80u ? 1 : 0;
    most = std::max(most, columns);
  }
  return most;
}

std::vector<CellSummary> cells() {
  CellRuns rope = cell_runs(kRope, {0.0, 0.5, 1.0});
  for (RunRecord& run : rope.runs) {
    run.curve = {{.step = 0, .test_accuracy = 0.0}, {.step = 10, .test_accuracy = run.test_accuracy}};
    run.ablation = AblationRecord{.samples = 60, .accuracy = 0.9};
    run.ablation->position = head_record({{0.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.5, 0.0}});
  }
  CellRuns unmade{.cell = kAlibi, .planned = 3};
  return {summarize(rope), summarize(unmade)};
}

TEST(AccuracyPlots, ALineFromZeroToAHundred) {
  const std::string text = accuracy_plots(cells());
  EXPECT_NE(text.find("test accuracy: distance, clean"), std::string::npos);
  EXPECT_EQ(text.find("alibi"), std::string::npos) << "no run has finished";
  EXPECT_NE(text.find("○"), std::string::npos);
  EXPECT_NE(text.find(" 50.0\n"), std::string::npos) << text;
  // The mean covers the middle seed, and the ends of the interval lie beyond the two others.
  EXPECT_NE(text.find("rope"), std::string::npos);
  EXPECT_LE(widest(text), kTerminalColumns) << text;
  EXPECT_EQ(accuracy_plots({}), "");
}

TEST(LearningPlots, RiseAsAccuracyDoes) {
  const std::string text = learning_plots(cells());
  EXPECT_NE(text.find("▁▅"), std::string::npos) << text;
  EXPECT_NE(text.find("10\n"), std::string::npos);
  EXPECT_LE(widest(text), kTerminalColumns);
}

TEST(HeadPlots, AreDarkWhereAHeadCosts) {
  const std::string text = head_plots(cells());
  EXPECT_NE(text.find("···· ·█▒·"), std::string::npos) << text;
  EXPECT_LE(widest(text), kTerminalColumns) << text;
  EXPECT_EQ(head_plots({cells()[1]}), "");
}

TEST(Plots, ALongNameIsCut) {
  CellRuns cell = cell_runs({.task = "distance", .protocol = "clean", .encoding = std::string(300, 'n')}, {0.5});
  const std::string text = accuracy_plots({summarize(cell)});
  EXPECT_LE(widest(text), kTerminalColumns) << text;
  EXPECT_NE(text.find("nnn..."), std::string::npos);
}

}  // namespace text_plots_test
}  // namespace phasor
