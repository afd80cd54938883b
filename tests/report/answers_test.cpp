#include "phasor/report/answers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "study/records.h"

namespace phasor {
namespace answers_test {

using namespace testing_support;
using Values = std::vector<double>;

const Values kHigh = {0.95, 0.96, 0.97, 0.98, 0.99}, kLow = {0.50, 0.52, 0.54, 0.56, 0.58};
const Values kNear = {0.945, 0.955, 0.965, 0.975, 0.985};

CellName named(const std::string& encoding, const std::string& protocol = "clean", const std::string& variant = "") {
  return {.task = "distance", .protocol = protocol, .encoding = encoding, .variant = variant};
}

StudyResults study_of(std::vector<CellRuns> cells) {
  return {.name = "s", .preset = "demo", .cells = std::move(cells)};
}

Answer answer_of(const StudyResults& results, bool paper = false) {
  const std::vector<Answer> answers = study_answers(summarize(results), paper);
  EXPECT_EQ(answers.size(), 1u);
  return answers.front();
}

std::vector<std::string> names(const Answer& answer) {
  std::vector<std::string> result;
  for (const RankedCell& cell : answer.ranked) result.push_back(cell.name);
  return result;
}

CellRuns with_floors(CellRuns cell, const TaskFloors& floors) {
  for (RunRecord& run : cell.runs) run.floors = floors;
  return cell;
}

// SciPy: 97.0 (95.04 to 98.96), 43.0 points apart (39.1 to 46.9).
TEST(Answers, WhoIsBetterThanAllOthersLeads) {
  const Answer answer = answer_of(study_of({cell_runs(kAlibi, kLow), cell_runs(kRope, kHigh)}));
  EXPECT_EQ(answer.title, "distance, clean");
  EXPECT_EQ(answer.headline, "rope leads");
  EXPECT_EQ(
      answer.sentence,
      "rope: 97.0 % (95 % 95.0 to 99.0), 5 of 5 runs at 90 %. rope is better than alibi by 43.0 points (95 % 39.1 "
      "to 46.9).");
  EXPECT_EQ(names(answer), (std::vector<std::string>{"rope", "alibi"}));
  EXPECT_EQ(answer.ranked[0].standing, Standing::best);
  EXPECT_EQ(answer.ranked[1].standing, Standing::worse);
  EXPECT_EQ(answer.cells, (std::vector<CellName>{kAlibi, kRope}));
}

TEST(Answers, ThreeRunsAreEnough) {
  const Answer answer =
      answer_of(study_of({cell_runs(kRope, {1.0, 1.0, 1.0}), cell_runs(named("nope"), {0.135, 0.146, 0.136})}));
  EXPECT_EQ(answer.headline, "rope leads");
  EXPECT_NE(answer.sentence.find("rope is better than nope by 86.1 points (95 % 84.6 to 87.6)."), std::string::npos)
      << answer.sentence;
}

TEST(Answers, NobodyLeadsWhereNobodyIsAboveBlindGuessing) {
  const TaskFloors length{.chance = 0.05, .constant = 0.06, .length = 0.16};
  const CellRuns rope = cell_runs(kRope, {0.10, 0.11, 0.12}), alibi = cell_runs(kAlibi, {0.06, 0.061, 0.062});
  const Answer answer = answer_of(study_of({with_floors(rope, length), with_floors(alibi, length)}));
  EXPECT_EQ(answer.headline, "None of 2 encodings has learned it");
  EXPECT_EQ(answer.sentence,
            "The highest mean is that of rope, 11.0 % (95 % 8.5 to 13.5); the length of a sequence alone tells 16.0 %. "
            "More steps, more samples or a higher learning rate may change that.");
  EXPECT_EQ(names(answer), (std::vector<std::string>{"rope", "alibi"}));
  const Answer one = answer_of(study_of({with_floors(rope, {.constant = 0.2, .length = 0.1})}));
  EXPECT_EQ(one.headline, "rope has not learned it");
  EXPECT_NE(one.sentence.find("always the same answer alone has 20.0 %"), std::string::npos) << one.sentence;
  // Half a point more is nothing of interest.
  const TaskFloors near{.length = 0.105};
  EXPECT_EQ(answer_of(study_of({with_floors(rope, near), with_floors(alibi, near)})).headline,
            "None of 2 encodings has learned it");
  // Above that, differences count although nobody is near 90 %.
  const TaskFloors low{.length = 0.095};
  EXPECT_EQ(answer_of(study_of({with_floors(rope, low), with_floors(alibi, low)})).headline, "rope leads");
}

TEST(Answers, NamesThatRunFromTheRightKeepNumbersInOrder) {
  CellName hebrew = named("rope");
  hebrew.label = "\u05e7\u05d5\u05d3";
  const Answer answer = answer_of(study_of({cell_runs(hebrew, kHigh), cell_runs(kAlibi, kLow)}));
  EXPECT_EQ(answer.headline, "\u2068\u05e7\u05d5\u05d3\u2069 leads");
}

TEST(Answers, WhoeverIsWithinAPointLeadsToo) {
  const Values level = {0.951, 0.952, 0.953, 0.951, 0.952};
  std::vector<CellRuns> cells = {cell_runs(kRope, {0.952, 0.953, 0.954, 0.952, 0.953}), cell_runs(kAlibi, level),
                                 cell_runs(named("nope"), kLow)};
  const Answer answer = answer_of(study_of(cells));
  EXPECT_EQ(answer.headline, "rope and alibi lead");
  EXPECT_NE(answer.sentence.find("No difference of interest (1 point) between rope and alibi."), std::string::npos)
      << answer.sentence;
  EXPECT_EQ(answer.sentence.find("ceiling"), std::string::npos) << "none is known: " << answer.sentence;
  EXPECT_EQ(answer.ranked[1].standing, Standing::level);
  cells.pop_back();
  EXPECT_EQ(answer_of(study_of(cells)).headline, "No difference of interest between rope and alibi");
  for (const char* more : {"a", "b"}) cells.push_back(cell_runs(named(more), level));
  EXPECT_EQ(answer_of(study_of(cells)).headline, "No difference of interest between 4 encodings");
}

TEST(Answers, WhatIntervalsLeaveOpenIsOpen) {
  const Answer answer =
      answer_of(study_of({cell_runs(kRope, kHigh), cell_runs(kAlibi, kNear), cell_runs(named("nope"), kLow)}));
  EXPECT_EQ(answer.headline, "rope is in front, open against alibi");
  EXPECT_NE(answer.sentence.find("Open, because the intervals are too wide or the runs too few: alibi, behind by 0.5 "
                                 "points (95 % -1.8 to 2.8)."),
            std::string::npos)
      << answer.sentence;
  EXPECT_EQ(answer.ranked[1].standing, Standing::open);
  const Answer few = answer_of(study_of({cell_runs(kRope, kHigh), cell_runs(kAlibi, {0.5, 0.6})}));
  EXPECT_EQ(few.headline, "rope is in front, open against alibi");
  EXPECT_NE(few.sentence.find("alibi, with 2 runs."), std::string::npos) << few.sentence;
}

TEST(Answers, OfManyTheClosestIsNamed) {
  std::vector<CellRuns> cells = {cell_runs(kRope, kHigh)};
  for (const char* other : {"a", "b", "c"}) cells.push_back(cell_runs(named(other), kLow));
  cells.push_back(cell_runs(kAlibi, {0.80, 0.82, 0.84, 0.86, 0.83}));
  const std::string sentence = answer_of(study_of(cells)).sentence;
  EXPECT_NE(sentence.find(
                "rope is better than each of alibi, a, b and c; its least certain lead is over alibi, by 14.0 points"),
            std::string::npos)
      << sentence;
}

// By the lower end of its interval, not by its mean: "wide" is farther behind than "tight".
TEST(Answers, OfManyTheLeastSureIsNotTheNearest) {
  std::vector<CellRuns> cells = {cell_runs(kRope, kHigh), cell_runs(kAlibi, kLow), cell_runs(named("nope"), kLow)};
  cells.push_back(cell_runs(named("tight"), {0.79, 0.80, 0.80, 0.80, 0.81}));
  cells.push_back(cell_runs(named("wide"), {0.65, 0.72, 0.75, 0.78, 0.85}));
  const std::string sentence = answer_of(study_of(cells)).sentence;
  EXPECT_NE(sentence.find("its least certain lead is over wide, by 22.0 points"), std::string::npos) << sentence;
}

TEST(Answers, AllFinishedRunsCount) {
  CellRuns rope = cell_runs(kRope, {0.96, 0.95, 0.62}), alibi = cell_runs(kAlibi, {0.88, 0.89, 0.90});
  rope.runs[2].converged = false;
  rope.planned = 4;
  const Answer answer = answer_of(study_of({rope, alibi}));
  EXPECT_EQ(names(answer), (std::vector<std::string>{"alibi", "rope"})) << "84.3 against 89.0";
  EXPECT_EQ(answer.ranked[1].runs_text(), "3 of 4 runs finished, 1 of 3 runs not converged");
  EXPECT_EQ(answer.ranked[0].runs_text(), "");
  EXPECT_NE(answer.sentence.find("Runs lie far apart, where no test of means is right: rope (2 "
                                 "of 3 runs at 90 %)."),
            std::string::npos)
      << answer.sentence;
  EXPECT_NE(answer.sentence.find("Without runs that have not converged, rope would come first (95.5 % against 89.0 "
                                 "%)."),
            std::string::npos)
      << answer.sentence;
  for (RunRecord& run : alibi.runs) run.converged = false;
  const std::string all = answer_of(study_of({rope, alibi})).sentence;
  EXPECT_NE(all.find("No run of alibi has converged."), std::string::npos) << all;
}

// Less than a point is no other order.
TEST(Answers, RunsStillImprovingThatHardlyMatterAreNotTold) {
  CellRuns rope = cell_runs(kRope, {0.95, 0.96, 0.97});
  rope.runs[2].converged = false;
  const auto sentence = [&](double alibi) {
    return answer_of(study_of({rope, cell_runs(kAlibi, {alibi - 0.001, alibi, alibi + 0.001})})).sentence;
  };
  EXPECT_EQ(sentence(0.959).find("would come first"), std::string::npos) << "95.9 against 95.5: " << sentence(0.959);
  rope.runs[2].test_accuracy = 0.99;
  EXPECT_NE(sentence(0.966).find("alibi would come first (96.6 % against 95.5 %)"), std::string::npos)
      << sentence(0.966);
}

TEST(Answers, OneSeedThatWasAddedIsOne) {
  CellRuns cell = cell_runs(kRope, {0.9, 0.9, 0.9});
  cell.added_seeds = {cell.runs.back().seed};
  const std::string one =
      fmt::format("Extension: seed {} of rope was added to the study later.", cell.runs.back().seed);
  EXPECT_EQ(answer_of(study_of({cell})).extension, one);
  cell.added_seeds.insert(cell.runs[1].seed);
  EXPECT_NE(answer_of(study_of({cell})).extension.find("of rope were added"), std::string::npos);
}

TEST(Answers, NothingFinishedIsNoAnswer) {
  const Answer none = answer_of(study_of({{.cell = kRope, .planned = 3}}));
  EXPECT_EQ(none.headline, "No answer");
  EXPECT_EQ(none.sentence, "No run of this task has finished.");
  EXPECT_TRUE(none.ranked.empty());
  EXPECT_EQ(none.cells.size(), 1u);
  EXPECT_TRUE(study_answers(summarize(study_of({})), false).empty());
  const Answer one = answer_of(study_of({cell_runs(kRope, {0.9})}));
  EXPECT_EQ(one.headline, "rope: 90.0 %");
  EXPECT_EQ(one.sentence, "rope: 90.0 %, 1 of 1 run at 90 %.");
}

TEST(Answers, AtTheCeilingAHarderTaskIsNeeded) {
  const auto sentence = [](double ceiling, const Values& other) {
    CellRuns rope = cell_runs(kRope, {0.986, 0.987, 0.988});
    for (RunRecord& run : rope.runs) run.floors.ceiling = ceiling;
    return answer_of(study_of({rope, cell_runs(kAlibi, other)})).sentence;
  };
  const char* words = "All of these are at the ceiling: a harder task might separate them.";
  EXPECT_TRUE(sentence(0.99, {0.985, 0.986, 0.987}).ends_with(words));
  EXPECT_FALSE(sentence(1.0, {0.985, 0.986, 0.987}).ends_with(words)) << "more than a point below";
  EXPECT_FALSE(sentence(0.99, {0.2, 0.21, 0.22}).ends_with(words)) << "no other is as good";
}

TEST(Answers, ReleasedFormsHaveTheNamesOfTheCleanOnes) {
  const std::string mla = "learned(init=0)+mla(query=shared,table=released,norm=none)";
  StudyResults results = study_of({cell_runs(named("alibi(slopes=released)", "released"), kHigh),
                                   cell_runs(named(mla, "released_mla"), kLow), cell_runs(named(mla), kLow)});
  const std::vector<Answer> answers = study_answers(summarize(results), true);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].title, "distance, released");
  EXPECT_EQ(names(answers[0]), (std::vector<std::string>{"alibi", "mla"}));
  EXPECT_EQ(names(answers[1]), (std::vector<std::string>{mla})) << "under clean it is not a released form";
  results.cells.push_back(cell_runs(named("alibi", "released"), kLow));
  EXPECT_EQ(names(study_answers(summarize(results), true)[0])[0], "alibi(slopes=released)") << "two would be alibi";
}

TEST(Answers, CellsWithAPlaceOfTheirOwnTakeNoPart) {
  const CellName variant = named("rope", "clean", "as many parameters as mla");
  const StudyResults results =
      study_of({cell_runs(kRope, kHigh), cell_runs(variant, kHigh), cell_runs(named("rope[heads=0]"), kHigh),
                cell_runs(named("rope[heads=0-1]"), kHigh), cell_runs(named("rope[heads=1]"), kHigh),
                cell_runs(named("rope[heads=0-]"), kHigh)});
  const std::vector<std::string> paper = {"rope", "rope[heads=1]", "rope[heads=0-]"};
  EXPECT_EQ(names(answer_of(results, true)), paper);
  EXPECT_EQ(names(answer_of(results, false))[1], "rope, as many parameters as mla");
  EXPECT_EQ(names(answer_of(study_of({cell_runs(named("rope[heads=0]"), kHigh)}))).size(), 1u)
      << "where nothing else is there they do";
}

}  // namespace answers_test
}  // namespace phasor
