#include "phasor/ablation/run_groups.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "ablation/hand_made_ablation.h"
#include "phasor/base/error.h"
#include "phasor/run/config_builder.h"
#include "run/tiny_run.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace run_groups_test {

using namespace testing_support;
using Json = nlohmann::ordered_json;

const std::vector<std::vector<double>> kOneHead = {{0.9, 0.05, 0.03, 0.02}};
const std::vector<std::vector<double>> kEven = {{0.25, 0.26, 0.24, 0.25}};

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != std::string::npos) found.push_back(line);
  }
  return found;
}

class RunGroupsTest : public testing::Test {
 protected:
  void add(const std::string& name, std::initializer_list<const char*> changes, const HandMade& made,
           bool converged = true) {
    FinishedRun run{.config = tiny_run(changes)};
    run.result.converged = converged;
    builder_.add(root_ / name, run, ablation_of(made));
  }

  const std::filesystem::path root_ = "runs";
  RunGroupsBuilder builder_{root_};
};

TEST_F(RunGroupsTest, RunsThatDifferInSeedOrSnapshotsAloneAreOneGroup) {
  EXPECT_TRUE(builder_.empty());
  add("a", {"seed=0"}, {.importance = kOneHead});
  add("b", {"seed=1", "train.snapshots=5"}, {.importance = kOneHead});
  add("c", {"seed=2", "train.lr=0.01"}, {.importance = kOneHead});
  add("deep/d", {"seed=0", "model.encoding=alibi"}, {.importance = kOneHead});
  EXPECT_FALSE(builder_.empty());
  const RunGroups found = builder_.finish("nope");
  ASSERT_EQ(found.groups.size(), 3u);
  EXPECT_EQ(found.groups[0].label, "rope train.lr=0.003");
  ASSERT_EQ(found.groups[0].runs.size(), 2u);
  EXPECT_EQ(found.groups[0].runs[1].seed, 1u);
  EXPECT_EQ(found.groups[0].runs[1].folder, root_ / "b");
  EXPECT_EQ(found.groups[1].label, "rope train.lr=0.01") << "told apart by what differs";
  EXPECT_EQ(found.groups[2].label, "deep/alibi") << "with the folder that it lies in";
  EXPECT_EQ(found.groups[2].task, "distance");
  EXPECT_TRUE(found.comparisons.empty()) << "there is no nope to compare with";
}

// Configurations of two tasks have other keys: those are never compared line by line.
TEST_F(RunGroupsTest, TaskAndProtocolHaveColumnsAndLabelsAreShort) {
  add("a", {"seed=0"}, {.importance = kOneHead});
  add("b", {"seed=0", "train.lr=0.01"}, {.importance = kOneHead});
  add("c", {"seed=0", "protocol=released"}, {.importance = kOneHead});
  RunConfig counting = ConfigBuilder().build();
  {
    ConfigBuilder builder;
    builder.add_option("--task", "task", "counting");
    builder.add_set("model.encoding=rope");
    counting = builder.build();
  }
  builder_.add(root_ / "d", FinishedRun{.config = counting}, ablation_of({.importance = kOneHead}));
  const RunGroups found = builder_.finish("nope");
  ASSERT_EQ(found.groups.size(), 4u);
  EXPECT_EQ(found.groups[0].label, "rope task=distance protocol=clean train.lr=0.003");
  EXPECT_EQ(found.groups[1].label, "rope task=distance protocol=clean train.lr=0.01");
  EXPECT_EQ(found.groups[2].label, "rope task=distance protocol=released");
  EXPECT_EQ(found.groups[3].label, "rope task=counting protocol=clean");
  EXPECT_EQ(found.groups[1].settings, std::vector<std::string>{"train.lr=0.01"});
  EXPECT_TRUE(found.groups[3].settings.empty());
  const std::string text = run_groups_text(found);
  EXPECT_EQ(lines_with(text, "encoding ").at(0).rfind("encoding             task      protocol  accuracy %", 0), 0u)
      << text;
  const std::vector<std::string> rows = lines_with(text, "rope train.lr=0.01   distance  clean ");
  EXPECT_EQ(rows.size(), 2u) << text;
  EXPECT_EQ(lines_with(text, "rope                 counting  clean ").size(), 2u) << text;
  EXPECT_EQ(text.find("model."), std::string::npos) << text;
  const Json json = run_groups_json(found);
  EXPECT_EQ(json.at("groups").at(1).at("settings"), Json{"train.lr=0.01"});
}

// Of presets, which differ in many settings, a few stand in a table; the label has them all.
TEST_F(RunGroupsTest, ATableShowsAFewOfManySettings) {
  add("a", {}, {.importance = kOneHead});
  add("b", {"train.lr=0.01", "train.batch=4", "model.width=32", "model.hidden=48", "data.train=48", "data.test=16"},
      {.importance = kOneHead});
  const RunGroups found = builder_.finish("nope");
  const std::string text = run_groups_text(found);
  EXPECT_EQ(text.rfind("task distance, protocol clean\n", 0), 0u) << text;
  expect_words(text, {"\nrope model.width=32 model.hidden=48 ", " more\n"});
  EXPECT_NE(found.groups[1].label.find("data.test=16"), std::string::npos);
}

// A study draws the data of every run from its seed; runs of 'phasor train' share theirs.
TEST_F(RunGroupsTest, SeedsWithDataOfTheirOwnAreOneGroup) {
  for (const char* encoding : {"model.encoding=rope", "model.encoding=nope"}) {
    const std::string name = encoding;
    add(name + "1", {encoding, "seed=1", "data.seed=1"}, {.importance = kOneHead, .number = 1});
    add(name + "0", {encoding, "seed=0", "data.seed=0"}, {.importance = kOneHead, .number = 2});
  }
  for (const char* seed : {"seed=5", "seed=6", "seed=7"}) {
    add(seed, {"train.lr=0.01", "data.seed=6", seed}, {.importance = kOneHead});
  }
  add("other", {"train.lr=0.01", "data.seed=8", "seed=5"}, {.importance = kOneHead});
  const RunGroups found = builder_.finish("nope");
  ASSERT_EQ(found.groups.size(), 4u);
  EXPECT_EQ(found.groups[0].label, "rope train.lr=0.003 data.seed=seed");
  EXPECT_EQ(found.groups[0].runs.size(), 2u);
  EXPECT_EQ(found.groups[1].label, "nope");
  EXPECT_EQ(found.groups[2].label, "rope train.lr=0.01 data.seed=6");
  EXPECT_EQ(found.groups[2].runs.size(), 3u);
  EXPECT_EQ(found.groups[3].label, "rope train.lr=0.01 data.seed=8");
  ASSERT_EQ(found.comparisons.size(), 1u) << "of the other data sets there is no nope";
  EXPECT_EQ(found.comparisons[0].group, 0u);
}

TEST_F(RunGroupsTest, ASeedCountsOnce) {
  add("a", {"seed=3"}, {.importance = kOneHead});
  EXPECT_NO_THROW(builder_.require_new(tiny_run({"seed=4"})));
  EXPECT_NO_THROW(builder_.require_new(tiny_run({"seed=3", "task.gap=5"})));
  expect_words(message_of<Error>([&] {
                 builder_.require_new(tiny_run({"seed=3", "train.snapshots=1"}));
               }),
               {(root_ / "a").string(), "one seed counts once"});
}

TEST_F(RunGroupsTest, ComparesWhereAllButTheEncodingAndItsTrainingIsEqual) {
  add("nope", {"model.encoding=nope"}, {.position = kEven, .importance = kEven});
  add("rope", {"train.lr=0.01", "model.hidden=20"}, {.position = kOneHead, .importance = kOneHead});
  add("far", {"task.gap=5"}, {.position = kOneHead, .importance = kOneHead});
  const RunGroups found = builder_.finish("nope");
  EXPECT_EQ(found.against, "nope");
  ASSERT_EQ(found.comparisons.size(), 2u) << "one per question; the other task has no nope";
  for (size_t q = 0; q < 2; ++q) {
    EXPECT_EQ(found.comparisons[q].group, 1u);
    EXPECT_EQ(found.comparisons[q].question, q);
    ASSERT_TRUE(found.comparisons[q].found.max_share.cliffs_delta.has_value());
    EXPECT_EQ(found.comparisons[q].found.max_share.cliffs_delta->estimate, 1.0) << "more concentrated than nope";
  }
}

// Three seeds against three: 20 ways to split them, 2 of which are as extreme as a full separation.
TEST_F(RunGroupsTest, HolmIsOverTheTestsOfOneQuestion) {
  const char* const seeds[] = {"seed=0", "seed=1", "seed=2"};
  for (uint32_t s = 0; s < 3; ++s) {
    const std::string number = std::to_string(s);
    add("nope" + number, {"model.encoding=nope", seeds[s]}, {.position = kEven, .importance = kEven, .number = s});
    add("rope" + number, {seeds[s]}, {.position = kOneHead, .importance = kEven, .number = 10 + s});
    add("alibi" + number, {"model.encoding=alibi", seeds[s]},
        {.position = kOneHead, .importance = kOneHead, .number = 20 + s});
  }
  const RunGroups found = builder_.finish("nope");
  ASSERT_EQ(found.comparisons.size(), 4u);
  std::map<std::pair<size_t, std::string>, const GroupComparison*> by_name;
  for (const GroupComparison& comparison : found.comparisons) {
    by_name[{comparison.question, found.groups[comparison.group].encoding}] = &comparison;
    EXPECT_NEAR(comparison.found.max_share.test->smallest_p, 0.1, 1e-12);
  }
  // Position: both are apart from nope. Of two tests the smallest p counts twice, and the next no less.
  EXPECT_NEAR(*by_name.at({0, "rope"})->p_holm, 0.2, 1e-12);
  EXPECT_NEAR(*by_name.at({0, "alibi"})->p_holm, 0.2, 1e-12);
  // Importance: alibi alone is.
  const GroupComparison& rope = *by_name.at({1, "rope"});
  EXPECT_NEAR(*by_name.at({1, "alibi"})->p_holm, 0.2, 1e-12);
  EXPECT_GT(rope.found.max_share.test->p, 0.15);
  EXPECT_NEAR(*rope.p_holm, std::max(0.2, rope.found.max_share.test->p), 1e-12);

  const std::string text = run_groups_text(found);
  expect_words(text, {"p against nope (Holm)", "0.100 (0.200)"});
  const std::vector<std::string> rows = lines_with(text.substr(text.find("\nimportance (zero)")), "rope  ");
  ASSERT_FALSE(rows.empty()) << text;
  expect_words(rows[0], {fmt::format("{:.3f} ({:.3f})", rope.found.max_share.test->p, *rope.p_holm)});
  const Json json = run_groups_json(found);
  ASSERT_EQ(json.at("comparisons").size(), 4u);
  for (const Json& comparison : json.at("comparisons")) {
    const size_t question = comparison.at("question") == "position" ? 0 : 1;
    const GroupComparison& own = *by_name.at({question, comparison.at("encoding")});
    EXPECT_EQ(comparison.at("p_holm"), *own.p_holm);
    EXPECT_EQ(comparison.at("p"), own.found.max_share.test->p);
    EXPECT_EQ(comparison.at("against"), "nope");
  }
}

TEST_F(RunGroupsTest, TellsAccuracyConvergenceAndRemovalsOverSeeds) {
  add("a", {"seed=0"}, {.position = kOneHead, .importance = kOneHead, .accuracy = 0.9, .removed = 0.3}, false);
  add("b", {"seed=1"},
      {.position = kOneHead, .importance = kOneHead, .accuracy = 0.8, .removed = 0.5, .yardstick = 0.5});
  const RunGroups found = builder_.finish("nope");
  ASSERT_EQ(found.groups.size(), 1u);
  EXPECT_EQ(found.groups[0].not_converged, 1);
  const std::string text = run_groups_text(found);
  // 90 and 80 %: mean 85, deviation 10 / sqrt(2).
  const std::vector<std::string> rows = lines_with(text, "85.0 +- 7.1*");
  ASSERT_EQ(rows.size(), 2u) << "one per question\n" << text;
  expect_words(text, {"* some of these runs had not converged", "position (position_off)", "importance (zero)"});
  // Means of 30 and 50 %, and of (70 + 80) / 2 and (50 + 60) / 2 %.
  expect_words(text, {"layer 0", " 40.0 /  65.0"});
  const Json group = run_groups_json(found).at("groups").at(0);
  EXPECT_EQ(group.at("not_converged"), 1);
  EXPECT_EQ(group.at("accuracy"), (Json{0.9, 0.8}));
  EXPECT_EQ(group.at("removal").size(), 2u);
}

// A run whose ablation left a question out is no seed of that question.
TEST_F(RunGroupsTest, EverySeedStandsWithItsOwnRun) {
  add("first", {"seed=7"}, {.importance = kOneHead, .accuracy = 0.9});
  add("second", {"seed=8"}, {.position = kEven, .importance = kEven, .accuracy = 0.8});
  const RunGroups found = builder_.finish("nope");
  ASSERT_EQ(found.groups.size(), 1u);
  const Json group = run_groups_json(found).at("groups").at(0);
  ASSERT_EQ(group.at("position").at("seeds").size(), 1u);
  EXPECT_EQ(group.at("position").at("seeds").at(0).at("seed"), 8);
  EXPECT_EQ(group.at("position").at("seeds").at(0).at("run"), (root_ / "second").string());
  ASSERT_EQ(group.at("importance").at("seeds").size(), 2u);
  EXPECT_EQ(group.at("importance").at("seeds").at(0).at("seed"), 7);

  const std::string csv = run_groups_csv(found);
  const std::vector<std::string> position = lines_with(csv, ",position,");
  ASSERT_EQ(position.size(), 1u) << csv;
  EXPECT_EQ(position[0].rfind("rope,rope,rope,distance,clean,position," + (root_ / "second").string() + ",8,0.8,", 0),
            0u)
      << position[0];
  const std::vector<std::string> importance = lines_with(csv, ",importance,");
  ASSERT_EQ(importance.size(), 2u) << csv;
  expect_words(importance[0], {"/first,7,0.9,"});
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  EXPECT_EQ(commas(importance[0]), commas(csv.substr(0, csv.find('\n')))) << "a value per title";
}

}  // namespace run_groups_test
}  // namespace phasor
