// The screen that a reproduction ends with, from planted studies.
#include "phasor/report/story.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "phasor/paper/paper_comparisons.h"
#include "phasor/report/story_output.h"
#include "study/records.h"

namespace phasor {
namespace story_test {

using namespace testing_support;
using Values = std::vector<double>;

CellName named(const std::string& encoding, const std::string& task = "distance",
               const std::string& protocol = "clean") {
  return {.task = task, .protocol = protocol, .encoding = encoding, .variant = ""};
}

StudyResults study_of(std::vector<CellRuns> cells) {
  return {.name = "arXiv 2505.13027 at demo size", .preset = "demo", .cells = std::move(cells)};
}

// A cell whose runs were looked into: shares of the logits, heads, and accuracy at twice the length.
CellRuns looked_into(const std::string& encoding, const Values& accuracies, double interaction, double twice) {
  CellRuns cell = cell_runs(named(encoding), accuracies);
  for (RunRecord& run : cell.runs) {
    const double wobble = 0.001 * static_cast<double>(run.seed);
    run.spectrum = SpectrumRecord{
        .logit_interaction = interaction + wobble, .positional_share = 0.2 + wobble, .content_share = 0.5 + wobble};
    run.ablation = AblationRecord{.samples = 60, .accuracy = run.test_accuracy};
    run.ablation->position = head_record({{0.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.5, 0.0}});
    run.lengths = {{1.0, 40, run.test_accuracy}, {2.0, 80, twice + wobble}};
  }
  return cell;
}

// Rope does both tasks; sinusoidal one of them, and not at twice the length; nope none.
StudyResults clear_study() {
  return study_of({cell_runs(named("rope", "indirect"), {0.99, 0.985, 0.995}),
                   cell_runs(named("nope", "indirect"), {0.05, 0.04, 0.045}),
                   cell_runs(named("sinusoidal", "indirect"), {0.45, 0.5, 0.4}),
                   looked_into("rope", {1.0, 0.999, 0.998}, 0.14, 0.97),
                   looked_into("nope", {0.05, 0.06, 0.055}, 0.0, 0.04),
                   looked_into("sinusoidal", {1.0, 0.999, 1.0}, 0.01, 0.1)});
}

std::vector<paper::JudgedClaim> judged_claims() {
  return {{.id = "rope_best_on_distance", .protocol = "clean", .verdict = paper::ClaimVerdict::undetermined},
          {.id = "coupling_contracts_spectra", .protocol = "clean", .verdict = paper::ClaimVerdict::holds},
          {.id = "rope_solution_space_larger", .protocol = "any", .verdict = paper::ClaimVerdict::fails},
          {.id = "assumption_3_2", .protocol = "clean", .verdict = paper::ClaimVerdict::fails},
          {.id = "assumption_3_1", .protocol = "clean", .verdict = paper::ClaimVerdict::holds},
          {.id = "deposit_rope_distance", .protocol = "clean", .verdict = paper::ClaimVerdict::holds}};
}

Story story_of(const StudyResults& results, const std::vector<paper::JudgedClaim>& claims = judged_claims()) {
  return study_story(summarize(results, paper::paper_comparisons(results)), claims);
}

const StoryPart& part(const Story& story, const std::string& id) {
  for (const StoryPart& part : story.parts) {
    if (part.id == id) return part;
  }
  static const StoryPart none;
  ADD_FAILURE() << "no part " << id;
  return none;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

void expect_fits(const std::string& screen) {
  EXPECT_LE(std::count(screen.begin(), screen.end(), '\n'), 24) << screen;
  std::istringstream lines(screen);
  for (std::string line; std::getline(lines, line);) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    EXPECT_LE(columns, 100) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
}

bool contains(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

TEST(Story, AClearWinIsSaidWithItsInterval) {
  const Story story = story_of(clear_study());
  const std::string said = joined(part(story, "accuracy").sentences);
  EXPECT_TRUE(contains(said, "indirect: rope leads all others, the next one (sinusoidal) by 54.0 points (")) << said;
  EXPECT_TRUE(contains(said, "distance: rope leads nope by 94.4 points (")) << said;
  EXPECT_TRUE(contains(said, "open: sinusoidal.")) << said;
  EXPECT_TRUE(contains(said, "Twice as long, distance: rope still does it, sinusoidal fails.")) << said;
  const TextTable& table = part(story, "accuracy").table;
  EXPECT_EQ(table.titles, (std::vector<std::string>{"encoding", "indirect", "distance", "twice as long"}));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][0], "rope");
  EXPECT_TRUE(table.rows[0][1].starts_with(" 99.0 (97.8..100.0)")) << table.rows[0][1];
}

TEST(Story, LogitsAndHeadsAreOfTheTaskThatWasLookedInto) {
  const StoryPart inside = part(story_of(clear_study()), "inside");
  EXPECT_TRUE(inside.key.starts_with("distance")) << inside.key;
  ASSERT_EQ(inside.table.rows.size(), 3u);
  const std::vector<std::string>& rope = inside.table.rows[0];
  EXPECT_EQ(rope[1], "50 (50..50)");
  EXPECT_EQ(rope[2], "30 (29..30)") << "what content and position leave";
  EXPECT_EQ(rope[3], "20 (20..20)");
  EXPECT_EQ(rope[4], "14 (14..14)");
  EXPECT_EQ(rope[5], "···· ·█▒·");
  EXPECT_TRUE(rope[6].ends_with(" 3/3")) << rope[6];
  EXPECT_EQ(inside.table.rows[1][5], "not learned") << "nope has nothing that its heads could do";
  EXPECT_EQ(inside.table.rows[1][6], "");
  EXPECT_TRUE(contains(joined(inside.sentences), "act only together in 14 (14..14) % of rope's logits"))
      << joined(inside.sentences);
}

TEST(Story, ThreeClaimsThatWereDecidedThoseOfTrainingFirst) {
  const StoryPart claims = part(story_of(clear_study()), "claims");
  EXPECT_EQ(claims.key, "5 of 6 claims are decided here");
  ASSERT_EQ(claims.table.rows.size(), 3u);
  EXPECT_EQ(claims.table.rows[0],
            (std::vector<std::string>{"HOLDS", paper::claim("coupling_contracts_spectra").claim}));
  EXPECT_EQ(claims.table.rows[1], (std::vector<std::string>{"FAILS", paper::claim("assumption_3_2").claim}));
  EXPECT_EQ(claims.table.rows[2][0], "HOLDS");
}

// A claim may hold under one protocol and fail under another; the story is about one.
TEST(Story, ClaimsAreThoseOfItsProtocol) {
  std::vector<paper::JudgedClaim> claims = judged_claims();
  for (paper::JudgedClaim judged : judged_claims()) {
    judged.protocol = "released";
    judged.verdict = paper::ClaimVerdict::fails;
    claims.insert(claims.begin(), judged);
  }
  const StoryPart told = part(story_of(clear_study(), claims), "claims");
  EXPECT_EQ(told.key, "5 of 6 claims are decided here");
  EXPECT_EQ(told.table.rows, part(story_of(clear_study()), "claims").table.rows);
}

// The best of them and the one without positions; beside the first task the next that was learned.
TEST(Story, ChoosesWhereNotEverythingHasRoom) {
  std::vector<CellRuns> cells;
  const auto add = [&](const std::string& encoding, const std::string& task, double accuracy) {
    cells.push_back(cell_runs(named(encoding, task), {accuracy, accuracy - 0.001, accuracy - 0.002}));
  };
  add("nope", "distance", 0.05);
  add("rope(base=1)", "distance", 0.1);
  for (int i = 2; i < 8; ++i) add(fmt::format("rope(base={})", i), "distance", 0.1 * i);
  add("rope", "distance", 0.99);
  add("rope", "counting", 0.3);
  add("rope", "indirect", 0.98);
  const StoryPart accuracy = part(story_of(study_of(std::move(cells))), "accuracy");
  EXPECT_EQ(accuracy.table.titles, (std::vector<std::string>{"encoding", "distance", "indirect"}));
  ASSERT_EQ(accuracy.table.rows.size(), 6u);
  EXPECT_EQ(accuracy.table.rows[0][0], "rope");
  EXPECT_EQ(accuracy.table.rows[1][0], "rope(base=7)");
  EXPECT_EQ(accuracy.table.rows[5][0], "nope");
  EXPECT_TRUE(contains(accuracy.key, "not all encodings")) << accuracy.key;
}

TEST(Story, WhereNothingIsDecidedItSaysSo) {
  const StudyResults results =
      study_of({cell_runs(named("rope"), {0.9, 0.5, 0.7}), cell_runs(named("nope"), {0.8, 0.5, 0.6})});
  const Story story = story_of(results, {judged_claims()[0]});
  EXPECT_TRUE(contains(joined(part(story, "accuracy").sentences), "open: nope"));
  EXPECT_TRUE(part(story, "claims").table.rows.empty());
  EXPECT_TRUE(contains(joined(part(story, "claims").sentences), "none of 1 claims")) << "and where to ask";
  EXPECT_EQ(story.parts.size(), 2u) << "nothing was looked into";
  const std::string screen = story_screen(story);
  EXPECT_FALSE(contains(screen, " - ")) << "no table of dashes";
  expect_fits(screen);
}

TEST(Story, OneSeedSaysWhatItCannot) {
  CellRuns rope = looked_into("rope", {0.05}, 0.14, 0.05);
  const StudyResults results = study_of({rope, cell_runs(named("nope"), {0.04})});
  const Story story = story_of(results, {judged_claims()[0]});
  const std::string said = joined(part(story, "accuracy").sentences);
  EXPECT_TRUE(contains(said, "1 seed each cannot tell a difference")) << said;
  EXPECT_TRUE(contains(said, "--seeds 3")) << said;
  EXPECT_TRUE(contains(said, "distance: no encoding has learned it")) << said;
  EXPECT_FALSE(contains(said, "leads")) << said;
  EXPECT_EQ(part(story, "accuracy").table.rows[0][1], "  5.0") << "no interval";
  expect_fits(story_screen(story, {"Report: somewhere"}));
}

TEST(Story, FailedRunsAreNamed) {
  StudyResults results = clear_study();
  results.cells[4].runs.clear();
  for (uint64_t seed = 0; seed < 3; ++seed) {
    results.cells[4].failures.push_back({.id = "f", .cell = named("nope"), .seed = seed, .what = "not finite"});
  }
  const Story story = story_of(results);
  EXPECT_TRUE(contains(story.title, "15 runs")) << story.title;
  EXPECT_TRUE(contains(story.title, "3 failed")) << story.title;
  EXPECT_EQ(part(story, "accuracy").table.rows[1][2], "failed");
  expect_fits(story_screen(story));
}

TEST(Story, WithoutAFinishedRunThereIsNone) {
  const Story story = story_of(study_of({{.cell = named("rope"), .planned = 3}}));
  EXPECT_TRUE(story.parts.empty());
  EXPECT_TRUE(contains(story.title, "3 yet to come"));
  EXPECT_EQ(story_text(story, TableFormat::markdown), "");
}

// Whatever a study holds: long names, large models, more encodings than there is room for, long sentences.
TEST(StoryScreen, NeverLeavesTheScreen) {
  std::vector<CellRuns> cells;
  for (const char* task : {"indirect", "distance", "counting"}) {
    for (int i = 0; i < 9; ++i) {
      CellRuns cell = looked_into(fmt::format("rope(base={}{})", std::string(60, '1'), i), {1.0, 0.5, 0.123}, 0.1, 1.0);
      if (i == 0) cell = looked_into("rope", {1.0, 1.0, 0.9}, 0.1, 1.0);
      cell.cell.task = task;
      for (RunRecord& run : cell.runs) {
        run.cell = cell.cell;
        run.ablation->position->loss_drops.assign(6, Values(16, 1.0));
      }
      cells.push_back(std::move(cell));
    }
  }
  const Story story = story_of(study_of(std::move(cells)));
  expect_fits(story_screen(story));
  expect_fits(story_screen(story, {"one", "two"}));
  Story wordy = story;
  for (StoryPart& part : wordy.parts) {
    for (int i = 0; i < 9; ++i) part.sentences.push_back(std::string(250, 'x') + " and more of the same");
  }
  expect_fits(story_screen(wordy, {"last"}));
  EXPECT_TRUE(story_screen(wordy, {"last"}).ends_with("last\n"));
}

TEST(StoryScreen, OfTheDemoHasRoomForAllOfIt) {
  const std::string screen = story_screen(story_of(clear_study()), {"Report: runs/demo/report.html"});
  expect_fits(screen);
  for (const char* words : {"Which encodings", "indirect: rope leads", "Twice as long", "···· ·█▒·", "HOLDS", "FAILS",
                            "Report: runs/demo/report.html"}) {
    EXPECT_TRUE(contains(screen, words)) << words << "\n" << screen;
  }
  EXPECT_FALSE(contains(screen, "...")) << "nothing is cut\n" << screen;
}

// Rows give way before sentences are cut.
TEST(StoryScreen, LeavesOutRowsBeforeWords) {
  Story story = story_of(clear_study());
  const std::string last = story.parts.front().table.rows.back()[0];
  for (int i = 0; i < 9; ++i) {
    story.parts.front().table.rows.insert(story.parts.front().table.rows.begin(), story.parts.front().table.rows[0]);
  }
  const std::string screen = story_screen(story, {"end"});
  expect_fits(screen);
  EXPECT_FALSE(contains(screen, "...")) << screen;
  EXPECT_TRUE(contains(screen, "  " + last + " ")) << screen;
}

TEST(StoryOutput, TheSameStringsEverywhere) {
  const Story story = story_of(clear_study());
  const auto json = story_json(story);
  const std::string markdown = story_text(story, TableFormat::markdown),
                    plain = story_text(story, TableFormat::terminal);
  ASSERT_EQ(json["parts"].size(), story.parts.size());
  for (size_t p = 0; p < story.parts.size(); ++p) {
    const auto& written = json["parts"][p];
    EXPECT_EQ(written["question"], story.parts[p].question);
    EXPECT_EQ(written["rows"].size(), story.parts[p].table.rows.size());
    EXPECT_EQ(written["sentences"], story.parts[p].sentences);
    EXPECT_TRUE(contains(markdown, "### " + story.parts[p].question));
    EXPECT_TRUE(contains(plain, story.parts[p].question));
  }
  EXPECT_TRUE(contains(markdown, "| rope |"));
}

}  // namespace story_test
}  // namespace phasor
