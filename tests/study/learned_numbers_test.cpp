// What encodings have learned, over seeds: from hand-made runs, and from a trained run before and after it is packed.
#include "phasor/study/summary/learned_numbers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phasor/base/error.h"
#include "phasor/run/finished_run.h"
#include "phasor/study/carry_out/pack_run.h"
#include "phasor/study/summary/cell_summary.h"
#include "phasor/study/summary/learned_text.h"
#include "study/records.h"
#include "study/trained_run.h"

namespace phasor {
namespace learned_numbers_test {

using namespace testing_support;

LearnedTensor slopes(const std::vector<double>& end) {
  return {.name = "layers.1.encoding.alibi.slope",
          .label = "alibi.slope",
          .layer = 1,
          .heads = {0, 2},
          .shape = {2},
          .start = {0.5, 0.25},
          .end = end};
}

LearnedTensor table(size_t size) {
  return {.name = "encoding.learned",
          .label = "learned",
          .layer = {},
          .heads = {},
          .shape = {static_cast<int64_t>(size)},
          .start = std::vector<double>(size, 0.0),
          .end = std::vector<double>(size, 1.0)};
}

TEST(LearnedNumbers, AreMeansOverSeeds) {
  CellRuns cell = cell_runs(kAlibi, {0.5, 0.6, 0.7});
  cell.runs[0].learned = {slopes({1.0, 0.25}), table(17)};
  cell.runs[1].learned = {slopes({2.0, 0.25}), table(17)};
  cell.runs[2].learned = {slopes({}), table(17)};  // not kept
  const CellSummary summary = summarize(cell);
  const LearnedSummary& learned = summary.learned;
  ASSERT_EQ(learned.numbers.size(), 2u);
  const LearnedNumber& first = learned.numbers[0];
  EXPECT_EQ(first.name, "alibi.slope");
  EXPECT_EQ(first.layer, 1);
  EXPECT_EQ(first.head, 0);
  EXPECT_EQ(first.start.mean, 0.5);
  EXPECT_EQ(first.end.mean, 1.5);
  EXPECT_EQ(first.end.count, 2);
  EXPECT_TRUE(std::isnan(first.end.values[2]));
  // Student's t with one degree of freedom: 12.7062 standard errors, each 0.5.
  EXPECT_NEAR(first.end.low.value(), 1.5 - 12.7062 * 0.5, 1e-4);
  EXPECT_EQ(learned.numbers[1].head, 2);
  EXPECT_TRUE(learned.numbers[1].end.degenerate);
  ASSERT_EQ(learned.tables.size(), 1u) << "17 numbers are a table";
  EXPECT_EQ(learned.tables[0].shape, (std::vector<int64_t>{17}));
  EXPECT_EQ(learned.tables[0].tensors, 1);
  EXPECT_TRUE(learned_summary(cell_runs(kRope, {0.5}).runs).empty());

  const std::string text = learned_text({summary}, TableFormat::terminal);
  expect_words(text, {"What was learned: distance, clean\n", "alibi.slope  1      0     0.5    1.5 (-4.853 to 7.853)",
                      "0.25 (all equal)", "Tables are left out (learned [17])"});
  expect_words(learned_text({summary}, TableFormat::markdown),
               {"### What was learned: distance, clean\n\n| encoding |"});
  EXPECT_EQ(learned_text({summarize(cell_runs(kRope, {0.5}))}, TableFormat::terminal), "");
}

TEST(LearnedNumbers, ManyAreARowOfRanges) {
  CellRuns cell = cell_runs(kAlibi, {0.5});
  for (int64_t layer = 0; layer < 13; ++layer) {
    cell.runs[0].learned.push_back(slopes({static_cast<double>(layer), 0.0}));
    cell.runs[0].learned.back().layer = layer;
  }
  const std::string text = learned_text({summarize(cell)}, TableFormat::terminal);
  expect_words(text, {"alibi.slope (26 numbers)", "0.25..0.5", "0..12"});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

// The numbers of a packed study are those of its weights.
TEST(LearnedNumbers, StayWhenARunIsPacked) {
  const TrainedRun run({"model.encoding=kerple+rope(frequencies=learned)", "train.snapshots="});
  PlannedRun plan = run.plan;
  plan.measures = {};
  const RunRecord before = read_record(plan, run.folder);
  ASSERT_EQ(before.learned.size(), 6u);
  EXPECT_NE(before.learned[0].start, before.learned[0].end);
  pack_run(run.folder);
  EXPECT_FALSE(std::filesystem::exists(run.folder / "model.safetensors"));
  const RunRecord after = read_record(plan, run.folder);
  ASSERT_EQ(after.learned.size(), before.learned.size());
  for (size_t t = 0; t < after.learned.size(); ++t) {
    EXPECT_EQ(after.learned[t].name, before.learned[t].name);
    EXPECT_EQ(after.learned[t].start, before.learned[t].start);
    EXPECT_EQ(after.learned[t].end, before.learned[t].end);
  }
  pack_run(run.folder);
  EXPECT_EQ(read_record(plan, run.folder).learned.size(), 6u) << "packed twice";
  EXPECT_EQ(learned_tensors(RunFolder(run.folder), run.plan.config)[5].end, before.learned[5].end);
  // As older versions packed it.
  StoredResult result = read_result(RunFolder(run.folder), run.plan.config);
  result.learned.clear();
  write_file_atomically(run.folder / "result.json", to_json(result));
  EXPECT_TRUE(read_record(plan, run.folder).learned.empty());
  EXPECT_THROW(learned_tensors(RunFolder(run.folder), run.plan.config), UsageError);
}

}  // namespace learned_numbers_test
}  // namespace phasor
