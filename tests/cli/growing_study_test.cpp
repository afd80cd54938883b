// Studies that grow, comparisons of their cells, and runs that are repeated by their ids, as a person meets them.
#include <nlohmann/json.hpp>

#include "cli/tiny_run.h"

namespace phasor {
namespace growing_study_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class GrowingStudy : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (temporary_ / name).string(); }
  Arguments study(const std::string& out, const Arguments& encodings, const std::string& seeds) const {
    return Arguments{"study", "quick", "--encodings"} + encodings +
           Arguments{"--seeds",  seeds,     "--tune", "lr=1e-3,1e-2", "--measure",
                     "spectrum", "lengths", "--out",  path(out)} +
           tiny_settings();
  }
  Outcome finished(const Arguments& arguments) const {
    Outcome outcome = phasor_command(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome;
  }
  // Without what depends on the clock, on the registration, and on which runs were added.
  std::string summary(const std::string& out) const {
    Json json = Json::parse(read_file(temporary_ / out / "summary.json"));
    for (const char* member : {"xxh64", "times", "registration", "answers"}) json.erase(member);
    for (Json& cell : json["cells"]) cell.erase("added_seeds");
    for (Json& comparison : json["comparisons"]) {
      comparison.erase("extension");
      comparison.erase("sentence");
    }
    return json.dump(1);
  }
  std::string csv(const std::string& out) const {
    std::string text = read_file(temporary_ / out / "summary.csv");
    for (size_t at = 0; (at = text.find(",true,", at)) != std::string::npos; ++at) text.replace(at, 6, ",false,");
    return text;
  }

  TemporaryFolder temporary_;
};

TEST_F(GrowingStudy, RunsOnlyWhatIsNewAndEqualsAStudyMadeAtOnce) {
  finished(study("grown", {"rope", "alibi"}, "2"));
  const Outcome seeds = finished({"study", path("grown"), "--seeds", "3"});
  expect_words(seeds.err, {"8 of these 10 are here already, 2 are to be made", "run 5/6", "run 6/6"});
  EXPECT_EQ(seeds.err.find("run 4/6"), std::string::npos) << "an old run was trained again:\n" << seeds.err;
  const Outcome encoding = finished({"study", path("grown"), "--add-encoding", "nope"});
  expect_words(encoding.err, {"tuning 5/6", "tuning 6/6", "run 7/9", "run 9/9"});
  EXPECT_EQ(encoding.err.find("run 6/9"), std::string::npos) << encoding.err;
  expect_words(encoding.out, {"Registered on", "Extended on", "by seed 2", "by the encoding nope", "(extension)",
                              ", extension", "One more seed of every cell is 3 runs"});
  const std::string tex = finished({"report", path("grown"), "--latex"}).out;
  expect_words(tex.substr(0, tex.find("\\begin")), {"\n% Registered on", "Extended on", "by seed 2"});
  finished(study("once", {"rope", "alibi", "nope"}, "3"));
  EXPECT_EQ(summary("grown"), summary("once"));
  EXPECT_EQ(csv("grown"), csv("once"));
  EXPECT_NE(read_file(temporary_ / "grown/summary.csv").find(",true,"), std::string::npos);
  const Json json = Json::parse(read_file(temporary_ / "grown/study.json"));
  ASSERT_EQ(json["extensions"].size(), 2u);
  EXPECT_EQ(json["extensions"][0]["what"], "seed 2");
  EXPECT_EQ(json["registered"]["plan"], json["extensions"][0]["before"]);
  const Json told = Json::parse(read_file(temporary_ / "grown/summary.json"));
  EXPECT_TRUE(told["registration"]["post_hoc"].empty());
  EXPECT_EQ(told["comparisons"][0]["extension"], true);
  EXPECT_EQ(told["cells"][0]["added_seeds"], Json::array({2}));
  // The command that began it goes on with all of it, and has nothing to do.
  const Outcome again = finished(study("grown", {"rope", "alibi"}, "2"));
  expect_words(again.err, {"was extended since it began"});
  EXPECT_EQ(again.out, encoding.out);
}

// By a command that knows nothing of what was added: more seeds are for that as well, and marked.
TEST_F(GrowingStudy, KeepsWhatWasAddedWhenItsFirstCommandAsksForMoreSeeds) {
  finished(study("s", {"rope", "alibi"}, "2"));
  finished({"study", path("s"), "--add-encoding", "mine=nope"});
  const Outcome more = finished(study("s", {"first=rope", "alibi"}, "3"));
  expect_words(more.err, {"was extended since it began", "run 9/9"});
  expect_words(more.out,
               {"Study first, alibi, mine on distance", "Registered on", "by the encoding mine", "by seed 2"});
  EXPECT_EQ(more.out.find("Post hoc"), std::string::npos) << more.out;
  const Json told = Json::parse(read_file(temporary_ / "s/summary.json"));
  ASSERT_EQ(told["cells"].size(), 3u);
  EXPECT_EQ(told["cells"][0]["added_seeds"], Json::array({2}));
  EXPECT_EQ(told["cells"][2]["added_seeds"], Json::array({0, 1, 2}));
  // A plan that is no part of it would drop what was added.
  const std::string before = read_file(temporary_ / "s/study.json");
  expect_error(phasor_command(study("s", {"rope", "sinusoidal"}, "4")), 2,
               {"would drop alibi on distance, clean and 1 more", "study " + path("s") + " --seeds 4'"});
  expect_error(phasor_command(study("s", {"rope", "alibi"}, "3") + Arguments{"--set", "train.steps=50"}), 2,
               {"would drop mine on distance, clean;"});
  EXPECT_EQ(read_file(temporary_ / "s/study.json"), before);
}

TEST_F(GrowingStudy, SaysWhatIsThereAlready) {
  finished(study("s", {"rope", "alibi"}, "1"));
  expect_words(finished({"study", path("s"), "--add-encoding", "alibi"}).err,
               {"alibi is in the study already; nothing was added"});
  expect_words(finished({"study", path("s"), "--add-encoding", "other=alibi"}).err, {"alibi is called other now"});
  const Outcome added = finished({"study", path("s"), "--add-encoding", "nope"});
  EXPECT_EQ(added.err.find("nothing was added"), std::string::npos) << added.err;
}

TEST_F(GrowingStudy, IsCalledByItsNames) {
  finished(study("s", {"mine=rope", "alibi"}, "2"));
  const std::string name = "'mine, alibi on distance'";
  expect_error(phasor_command({"study", path("s"), "--seeds", "1"}), 2, {name, "only grows"});
  expect_error(phasor_command({"study", path("s"), "--only", "zz"}), 2, {name});
  EXPECT_EQ(Json::parse(finished({"study", path("s"), "--dry-run", "--json"}).out)["study"], "mine, alibi on distance");
}

// Where no folder is given.
TEST_F(GrowingStudy, DifferentComparisonsHaveDifferentFolders) {
  const fs::path before = fs::current_path();
  fs::current_path(temporary_.path());
  const auto folders = [&](const std::string& first, const std::string& seeds = "1") {
    finished(Arguments{"compare", first, "nope", "--seeds", seeds} + tiny_settings());
    return std::distance(fs::directory_iterator("runs"), fs::directory_iterator());
  };
  EXPECT_EQ(folders("mine=rope"), 1);
  EXPECT_EQ(folders("mine=alibi"), 2) << "the name is the same, the encoding is not";
  EXPECT_TRUE(fs::exists("runs/compare-distance-rope-nope") && fs::exists("runs/compare-distance-alibi-nope"));
  EXPECT_EQ(folders("rope"), 2) << "only the name is another";
  EXPECT_EQ(folders("bias(\"-abs(d)/8\")"), 3);
  EXPECT_EQ(folders("bias(\"-abs(d)*8\")"), 4);
  EXPECT_EQ(folders("mine=bias(\"-abs(d)*8\")", "2"), 4) << "other names and more seeds";
  const std::string longer = "bias(\"-abs(d)/8-0.125*abs(d)/16-0.0625*abs(d)/32-0.03125*abs(d)/";
  EXPECT_EQ(folders(longer + "64\")"), 5);
  EXPECT_EQ(folders(longer + "128\")"), 6);
  fs::current_path(before);
}

TEST_F(GrowingStudy, ComparesAnyTwoOfItsCells) {
  finished(study("s", {"rope", "alibi", "nope"}, "3"));
  const Outcome planned = finished({"compare", path("s"), "rope", "alibi"});
  EXPECT_EQ(planned.out.find("post hoc"), std::string::npos) << planned.out;
  const Outcome chosen = finished({"compare", path("s"), "alibi", "nope", "--json"});
  const Json json = Json::parse(chosen.out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["post_hoc"], true);
  EXPECT_EQ(json[0]["second"]["cell"]["encoding"], "nope");
  expect_error(phasor_command({"compare", path("s"), "alibi", "sinusoidal"}), 2, {"no cell 'sinusoidal'", "rope on"});
  expect_error(phasor_command({"compare", path("s"), "alibi"}), 2, {"two of its cells"});
  expect_error(phasor_command({"compare", path("s"), "alibi", "rope", "--seeds", "3"}), 2, {"as they are"});
  const std::vector<Arguments> others = {{"--preset", "quick"}, {"--jobs", "1"}, {"--dry-run"}, {"--force"}};
  for (const Arguments& other : others) {
    expect_error(phasor_command(Arguments{"compare", path("s"), "alibi", "rope"} + other), 2,
                 {other.front() + ":", "as they are"});
  }
  finished({"compare", path("s"), "alibi", "rope", "--task", "distance", "--protocol", "clean", "--variant", ""});
}

TEST_F(GrowingStudy, ARunIsRepeatedByItsId) {
  finished(study("s", {"rope", "alibi"}, "2"));
  const std::string id = Json::parse(read_file(temporary_ / "s/summary.json"))["cells"][1]["runs"][1]["id"];
  const Outcome settings = finished({"study", path("s"), "--only", id, "--dry-run", "--json"});
  Json config = Json::parse(read_file(temporary_ / "s/runs" / id / "config.json"));
  config.erase("xxh64");
  EXPECT_EQ(Json::parse(settings.out), config);
  const Outcome repeated = finished({"study", path("s"), "--only", id.substr(0, 10), "--out", path("one")});
  expect_words(repeated.out, {"the same numbers as", "test_accuracy", "accuracy_at_2"});
  expect_same_file(temporary_ / "one/model.safetensors", temporary_ / "s/runs" / id / "model.safetensors");
  // Those that one of them lacks do not count: the study measured no ablation, and 'ablate' did.
  finished({"ablate", path("s/runs/" + id)});
  expect_words(finished({"study", path("s"), "--only", id, "--out", path("two")}).out, {"the same numbers as"});
  // A study.json is enough.
  fs::copy_file(temporary_ / "s/study.json", temporary_ / "plan.json");
  EXPECT_EQ(finished({"study", path("plan.json"), "--only", id, "--dry-run", "--json"}).out, settings.out);
  expect_error(phasor_command({"study", path("s"), "--only", "zzz"}), 2, {"begins with 'zzz'"});
}

TEST_F(GrowingStudy, PlansAreReadByPrograms) {
  const Arguments plan = study("s", {"rope", "alibi"}, "3") + Arguments{"--dry-run", "--json"};
  const Json before = Json::parse(finished(plan).out);
  EXPECT_EQ(before["runs"], 6);
  EXPECT_EQ(before["finished_runs"], 0);
  EXPECT_FALSE(before["detectable_difference"]["difference"].is_null());
  EXPECT_FALSE(fs::exists(temporary_ / "s"));
  finished(study("s", {"rope", "alibi"}, "2"));
  const Json after = Json::parse(finished({"study", path("s"), "--seeds", "3", "--dry-run", "--json"}).out);
  EXPECT_EQ(after["finished_runs"], 8);
  EXPECT_EQ(after["seconds_of"], "by the times of the runs that are here");
  ASSERT_EQ(after["cells"][0]["runs"].size(), 3u) << "the rate is chosen";
  const Json compared = Json::parse(finished({"compare", "rope", "alibi", "--dry-run", "--json"}).out);
  EXPECT_EQ(compared["runs"], 10);
  const Json reproduced = Json::parse(finished({"reproduce", "--size", "demo", "--dry-run", "--json"}).out);
  EXPECT_EQ(reproduced["runs"], 30);
}

// Into a pipe, long before the first run ends.
TEST_F(GrowingStudy, SaysHowFarItIsWhereThereIsNoTerminal) {
  RunningPhasor running(Arguments{"compare", "rope", "alibi", "--seeds", "3", "--jobs", "1", "--out", path("s")} +
                        tiny_settings() + Arguments{"--set", "train.steps=100000"});
  EXPECT_TRUE(running.wait_for("% of the work, "));
  const Outcome stopped = running.finish(SIGKILL);
  expect_words(stopped.err, {"6 runs", "with 3 seeds a difference of", "run 0/6  "});
  EXPECT_EQ(stopped.err.find("run 1/6"), std::string::npos) << stopped.err;
}

TEST_F(GrowingStudy, WhatCannotGrowIsRefused) {
  finished(study("s", {"rope", "alibi"}, "2"));
  expect_error(phasor_command({"study", path("s"), "--seeds", "1"}), 2, {"only grows"});
  expect_error(phasor_command({"study", path("s"), "--encodings", "nope"}), 2, {"--add-encoding"});
  expect_error(phasor_command({"study", path("s"), "--seeds", "3", "--out", path("t")}), 2, {"leave out --out"});
  expect_error(phasor_command({"study", path("s"), "--add-task", "distanze"}), 2, {"distance"});
  expect_error(phasor_command({"reproduce", "--size", "quick", "--only", "x", "--dry-run"}), 2, {"begins with 'x'"});
}

}  // namespace growing_study_test
}  // namespace phasor
