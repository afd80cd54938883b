#include "phasor/report/answers.h"

#include <gtest/gtest.h>

#include "phasor/study/summary/comparison.h"
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

// The first cell was to be tested against these.
Answer answer_of(const StudyResults& results, const std::vector<CellName>& rivals = {}, bool paper = false) {
  std::vector<PlannedComparison> planned;
  for (const CellName& rival : rivals) planned.push_back({results.cells.front().cell, rival, {}});
  const std::vector<Answer> answers = study_answers(summarize(results, compare_all(results, planned)), paper);
  EXPECT_EQ(answers.size(), 1u);
  return answers.front();
}

std::vector<std::string> names(const Answer& answer) {
  std::vector<std::string> result;
  for (const RankedCell& cell : answer.ranked) result.push_back(cell.name);
  return result;
}

TEST(Answers, ATestThatRejectsMakesALeader) {
  const Answer answer = answer_of(study_of({cell_runs(kRope, kHigh), cell_runs(kAlibi, kLow)}), {kAlibi});
  EXPECT_EQ(answer.title, "distance, clean");
  EXPECT_EQ(answer.headline, "rope");
  EXPECT_EQ(answer.sentence,
            "rope: 97.0 % (95.2 to 98.8), 5 of 5 runs converged. rope differs from alibi, significant at 5 % (planned "
            "tests, p after Holm at most 0.008).");
  EXPECT_TRUE(answer.ranked[0].like_best);
  EXPECT_FALSE(answer.ranked[1].like_best);
  EXPECT_EQ(answer.cells, (std::vector<CellName>{kRope, kAlibi}));
}

TEST(Answers, ATestThatDoesNotLeavesItOpen) {
  const Answer answer = answer_of(study_of({cell_runs(kRope, kHigh), cell_runs(kAlibi, kNear)}), {kAlibi});
  EXPECT_EQ(answer.headline, "rope, no reliable difference from alibi");
  EXPECT_NE(answer.sentence.find("No reliable difference between rope and alibi (planned tests, p after Holm at least"),
            std::string::npos)
      << answer.sentence;
  EXPECT_TRUE(answer.ranked[1].like_best);
}

// p of the least and of the largest of several, and names of both kinds.
TEST(Answers, TestsOfBothKindsAreToldApart) {
  const Answer answer =
      answer_of(study_of({cell_runs(kRope, kHigh), cell_runs(kAlibi, kNear), cell_runs(named("nope"), kLow)}),
                {kAlibi, named("nope")});
  EXPECT_NE(
      answer.sentence.find("rope differs from nope, significant at 5 % (planned tests, p after Holm at most 0.016)"),
      std::string::npos)
      << answer.sentence;
  EXPECT_NE(answer.sentence.find("No reliable difference between rope and alibi"), std::string::npos);
  EXPECT_EQ(answer.headline, "rope, no reliable difference from alibi");
}

TEST(Answers, WithoutATestIntervalsAreAllThereIs) {
  const auto answer = [](const Values& other) {
    return answer_of(study_of({cell_runs(kRope, kHigh), cell_runs(kAlibi, other)}));
  };
  EXPECT_TRUE(answer(kLow).sentence.ends_with("converged. Not tested, 95 % intervals apart: alibi."));
  EXPECT_EQ(answer(kLow).headline, "rope");
  EXPECT_FALSE(answer(kLow).ranked[1].like_best);
  EXPECT_TRUE(answer(kNear).sentence.ends_with("converged. Not tested, 95 % intervals overlap: alibi."));
  EXPECT_EQ(answer(kNear).headline, "rope, no reliable difference from alibi");
  EXPECT_TRUE(answer({0.5}).sentence.ends_with("converged. Not tested, and no interval: alibi."));
  EXPECT_TRUE(answer({0.5}).ranked[1].like_best);
}

TEST(Answers, TooFewRunsAreNoTest) {
  const auto answer = [](size_t runs, const std::vector<CellName>& rivals) {
    const auto first = static_cast<std::ptrdiff_t>(runs);
    return answer_of(study_of({cell_runs(kRope, {kHigh.begin(), kHigh.begin() + first}),
                               cell_runs(kAlibi, {kLow.begin(), kLow.begin() + first}),
                               cell_runs(named("nope"), {kLow.begin(), kLow.begin() + first})}),
                     rivals);
  };
  const std::string few = answer(3, {kAlibi}).sentence;
  EXPECT_NE(few.find("Too few runs to test, 95 % intervals apart: alibi."), std::string::npos) << few;
  EXPECT_NE(few.find("Not tested, 95 % intervals apart: nope."), std::string::npos) << few;
  // Four against four reach p = 0.029 at best: enough for one comparison, not for a family of two.
  EXPECT_NE(answer(4, {kAlibi}).sentence.find("rope differs from alibi"), std::string::npos);
  const std::string two = answer(4, {kAlibi, named("nope")}).sentence;
  EXPECT_NE(two.find("Too few runs to test, 95 % intervals apart: alibi and nope."), std::string::npos) << two;
}

TEST(Answers, EqualMeansAreNamedTogetherAndTheTestedOneSpeaks) {
  const Values all(5, 1.0);
  StudyResults results = study_of({cell_runs(named("relative"), all), cell_runs(kRope, all), cell_runs(kAlibi, kLow)});
  const StudySummary summary = summarize(results, compare_all(results, {{kRope, kAlibi, {}}}));
  const Answer answer = study_answers(summary, false).front();
  EXPECT_EQ(answer.headline, "rope and relative");
  EXPECT_EQ(answer.sentence,
            "rope: 100.0 % (all equal), 5 of 5 runs converged. Also at 100.0 %: relative. rope differs from alibi, "
            "significant at 5 % (planned tests, p after Holm at most 0.008).");
  results.cells.push_back(cell_runs(named("nope"), all));
  EXPECT_EQ(study_answers(summarize(results), false).front().headline, "relative, rope and nope");
  results.cells.push_back(cell_runs(named("mla"), all));
  EXPECT_EQ(study_answers(summarize(results), false).front().headline, "4 encodings at 100.0 %");
}

TEST(Answers, ManyUnresolvedOnesAreCounted) {
  std::vector<CellRuns> cells = {cell_runs(kRope, kHigh), cell_runs(kAlibi, kNear), cell_runs(named("a"), kNear)};
  EXPECT_EQ(answer_of(study_of(cells)).headline, "rope, no reliable difference from alibi and a");
  cells.push_back(cell_runs(named("b"), kNear));
  const Answer answer = answer_of(study_of(cells));
  EXPECT_EQ(answer.headline, "rope, no reliable difference from 3 others");
  EXPECT_TRUE(answer.sentence.ends_with("Not tested, 95 % intervals overlap: all others.")) << answer.sentence;
}

TEST(Answers, OnlyConvergedRunsCount) {
  CellRuns rope = cell_runs(kRope, {0.9, 0.2, 0.8}), nope = cell_runs(named("nope"), {0.99, 0.98});
  rope.runs[1].converged = false;
  for (RunRecord& run : nope.runs) run.converged = false;
  const std::vector<CellRuns> others = {cell_runs(kAlibi, kLow), cell_runs(named("a"), kLow),
                                        cell_runs(named("b"), kLow)};
  const Answer answer = answer_of(study_of({nope, rope, others[0], others[1], others[2]}));
  EXPECT_EQ(names(answer), (std::vector<std::string>{"rope", "alibi", "a", "b", "nope"}));
  EXPECT_EQ(answer.ranked[0].runs_text(), "2 of 3 runs converged");
  EXPECT_EQ(answer.ranked[0].converged, 2);
  EXPECT_EQ(answer.ranked[4].converged, 0);
  EXPECT_FALSE(answer.ranked[4].claimable);
  EXPECT_FALSE(answer.ranked[4].like_best);
  EXPECT_NEAR(answer.ranked[0].accuracy.mean, 0.85, 1e-12);
  EXPECT_NEAR(answer.ranked[4].accuracy.mean, 0.985, 1e-12) << "of all finished runs";
  EXPECT_NE(answer.sentence.find("intervals overlap: all others that converged."), std::string::npos)
      << answer.sentence;
  EXPECT_EQ(answer.sentence.find("nope"), std::string::npos) << answer.sentence;
}

TEST(Answers, NothingConvergedIsNoAnswer) {
  CellRuns rope = cell_runs(kRope, {0.4, 0.6}), alibi = cell_runs(kAlibi, {0.5}),
           nope = cell_runs(named("nope"), {0.3});
  for (CellRuns* cell : {&rope, &alibi, &nope}) {
    for (RunRecord& run : cell->runs) run.converged = false;
  }
  const Answer answer = answer_of(study_of({rope, alibi, nope}));
  EXPECT_EQ(answer.headline, "No answer yet");
  EXPECT_EQ(answer.sentence,
            "No run has converged, so nothing can be claimed; the highest mean so far is 50.0 %, of rope and alibi.");
  const Answer none = answer_of(study_of({{.cell = kRope, .planned = 3}}));
  EXPECT_EQ(none.headline, "No answer");
  EXPECT_EQ(none.sentence, "No run of this task has finished.");
  EXPECT_TRUE(none.ranked.empty());
  EXPECT_EQ(none.cells.size(), 1u);
  EXPECT_TRUE(study_answers(summarize(study_of({})), false).empty());
}

TEST(Answers, AtTheCeilingAHarderTaskIsNeeded) {
  const auto sentence = [](double ceiling, const Values& other) {
    CellRuns rope = cell_runs(kRope, {0.98, 0.985, 0.99});
    for (RunRecord& run : rope.runs) run.floors.ceiling = ceiling;
    return answer_of(study_of({rope, cell_runs(kAlibi, other)})).sentence;
  };
  const char* words = "All of them are at the ceiling: a harder task might separate them.";
  EXPECT_TRUE(sentence(0.99, {0.98, 0.985, 0.987}).ends_with(words));
  EXPECT_FALSE(sentence(0.99, {0.97, 0.98, 0.985}).ends_with(words)) << "one of them lies more than a point below";
  EXPECT_FALSE(sentence(1.0, {0.98, 0.985, 0.987}).ends_with(words));
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
  EXPECT_EQ(names(answer_of(results, {}, true)), paper);
  EXPECT_EQ(names(answer_of(results, {}, false))[1], "rope, as many parameters as mla");
  EXPECT_EQ(names(answer_of(study_of({cell_runs(named("rope[heads=0]"), kHigh)}))).size(), 1u)
      << "where nothing else is there they do";
}

}  // namespace answers_test
}  // namespace phasor
