// phasor study, compare and reproduce, as a person meets them.
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/tiny_run.h"
#include "support/paths.h"

namespace phasor {
namespace study_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class StudyCommand : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (temporary_ / name).string(); }
  Arguments study(const std::string& out, const Arguments& more = {}) const {
    return Arguments{"study",     "quick",    "--encodings", "rope",    "alibi", "--seeds", "2",
                     "--measure", "ablation", "spectrum",    "lengths", "--out", path(out)} +
           tiny_settings() + more;
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(temporary_ / name) << text;
    return path(name);
  }
  // summary.json without what depends on the clock.
  std::string summary(const std::string& out) const {
    Json json = Json::parse(read_file(temporary_ / out / "summary.json"));
    std::string last;
    for (const auto& [key, value] : json.items()) last = key;
    EXPECT_EQ(last, "xxh64");
    json.erase("xxh64");
    json.erase("times");
    return json.dump(1);
  }

  TemporaryFolder temporary_;
};

TEST_F(StudyCommand, AFolderThatHoldsNoStudyIsNoEncoding) {
  expect_error(phasor_command({"compare", "runs/nope", "mine", "alibi"}), 2, {"'runs/nope' holds no study"});
  const Outcome named = phasor_command({"compare", "a/b=rope", "alibi", "--dry-run"});
  EXPECT_EQ(named.code, 0) << named.err;
  EXPECT_NE(named.out.find("a/b = rope"), std::string::npos) << named.out;
}

TEST_F(StudyCommand, CallsEncodingsByTheirNamesAndIsRenamedByAnotherCall) {
  const auto call = [&](const std::string& mine) {
    return phasor_command(
        Arguments{"compare", mine + "=rope(base=500)", "alibi", "--seeds", "1", "--out", path("named")} +
        tiny_settings());
  };
  const auto first = call("mine, \"1\"");
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("\nmine, \"1\" = rope(base=500)\n"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("Study mine, \"1\", alibi on distance"), std::string::npos) << first.out;
  const std::string csv = read_file(temporary_ / "named" / "summary.csv");
  EXPECT_NE(csv.find(",rope(base=500),\"mine, \"\"1\"\"\","), std::string::npos) << csv;

  const auto second = call("שלי");
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(second.err.find("trained in"), std::string::npos) << second.err;
  EXPECT_EQ(second.out.find("mine"), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("Registered on"), std::string::npos) << second.out;
  EXPECT_EQ(second.out.find("Post hoc"), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("שלי"), std::string::npos) << second.out;
}

TEST_F(StudyCommand, TrainsMeasuresAndSummarises) {
  const Outcome outcome = phasor_command(study("one"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"rope, alibi on distance", "test accuracy", "open: whether rope and alibi differ",
                             "written:", "summary.json"});
  expect_words(outcome.err, {"run 4/4", "seed 1", "trained in"});
  const Json json = Json::parse(read_file(temporary_ / "one/summary.json"));
  EXPECT_EQ(json["format"], "phasor study summary 2");
  ASSERT_EQ(json["cells"].size(), 2u);
  const std::string csv = read_file(temporary_ / "one/summary.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  expect_words(read_file(temporary_ / "one/summary.md"), {"| rope", "| alibi"});
  expect_no_partial_files(temporary_ / "one");
  // A second call has nothing to do, and says the same.
  const Outcome again = phasor_command(study("one"));
  ASSERT_EQ(again.code, 0);
  EXPECT_EQ(again.out, outcome.out);
  EXPECT_EQ(again.err, "");
}

TEST_F(StudyCommand, ItsFilesAreDocumented) {
  ASSERT_EQ(phasor_command(study("one")).code, 0);
  const std::string document = read_file(fs::path(fixtures_folder()) / "../../docs/formats.md");
  const auto expect_named = [&](const std::string& member) {
    const bool found = document.find("`" + member + "`") != std::string::npos ||
                       document.find("." + member + "`") != std::string::npos;
    EXPECT_TRUE(found) << member;
  };
  const Json json = Json::parse(read_file(temporary_ / "one/summary.json"));
  for (const auto& [member, value] : json.items()) expect_named(member);
  for (const char* part : {"", "/cell", "/numbers", "/numbers/test_accuracy", "/runs/0"}) {
    for (const auto& [member, value] : json["cells"][0].at(Json::json_pointer(part)).items()) {
      if (part != std::string("/runs/0") || member.rfind("validation", 0) != 0) expect_named(member);
    }
  }
  const Json plan = Json::parse(read_file(temporary_ / "one/study.json"));
  for (const auto& [member, value] : plan["cells"][0].items()) expect_named(member);
}

TEST_F(StudyCommand, TheSummaryDoesNotDependOnJobsOrInterruptions) {
  ASSERT_EQ(phasor_command(study("whole", {"--jobs", "1"})).code, 0);
  ASSERT_EQ(phasor_command(study("jobs", {"--jobs", "3"})).code, 0);
  EXPECT_EQ(summary("whole"), summary("jobs"));
  const std::vector<std::pair<int, const char*>> interruptions = {
      {SIGINT, "run 1/4"}, {SIGKILL, "run 2/4"}, {SIGTERM, "run 3/4"}};
  for (const auto& [number, when] : interruptions) {
    RunningPhasor running(study("pieces", {"--jobs", "1"}));
    ASSERT_TRUE(running.wait_for(when));
    const Outcome stopped = running.finish(number);
    if (number == SIGKILL) continue;
    EXPECT_EQ(stopped.code, 1);
    expect_words(last_line(stopped.err), {"interrupted", "rerun the command to resume"});
    EXPECT_FALSE(fs::exists(temporary_ / "pieces/summary.json"));
  }
  const Outcome rest = phasor_command(study("pieces", {"--jobs", "2"}));
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(summary("whole"), summary("pieces"));
}

TEST_F(StudyCommand, AFailedRunIsReportedAndTheRestIsDone) {
  const std::string file = write("study.json", R"({"settings": {"task.gap": 6, "task.sides": 3, "task.vocabulary": 16,
      "model.width": 16, "model.hidden": 32, "model.heads": 2, "model.layers": 2, "train.steps": 60, "train.batch": 32,
      "data.train": 512, "data.test": 32, "data.validation": 32},
      "grids": [{"encodings": ["rope"], "seeds": 2, "switches": {"": {}, "wild": {"train.lr": 1e30}}}]})");
  const Outcome outcome = phasor_command({"study", file, "--out", path("out")});
  EXPECT_EQ(outcome.code, 1);
  expect_words(outcome.out, {"wild", "written:"});
  expect_words(outcome.err, {"FAILED", "not finite"});
  expect_words(last_line(outcome.err), {"phasor: 2 runs failed", "wild", "not finite"});
  const Json json = Json::parse(read_file(temporary_ / "out/summary.json"));
  EXPECT_EQ(json["failures"].size(), 2u);
}

// Runs of a new study have their own data; a study that began with one set for all goes on with it.
TEST_F(StudyCommand, RunsHaveTheirOwnData) {
  const auto data_seeds = [&](const std::string& out) {
    std::set<std::pair<int, int>> seeds;
    for (const auto& run : fs::directory_iterator(temporary_ / out / "runs")) {
      const Json config = Json::parse(read_file(run.path() / "config.json"));
      seeds.insert({config["seed"].get<int>(), config["data"]["seed"].get<int>()});
    }
    return seeds;
  };
  const Arguments grid{"compare", "rope", "alibi", "--seeds", "2"};
  ASSERT_EQ(phasor_command(grid + Arguments{"--out", path("own")} + tiny_settings()).code, 0);
  EXPECT_EQ(data_seeds("own"), (std::set<std::pair<int, int>>{{0, 0}, {1, 1}}));
  const Arguments shared{"--set", "data.seed=0", "--out", path("shared")};
  ASSERT_EQ(phasor_command(grid + shared + tiny_settings()).code, 0);
  EXPECT_EQ(data_seeds("shared"), (std::set<std::pair<int, int>>{{0, 0}, {1, 0}}));
  const Outcome again = phasor_command(grid + Arguments{"--out", path("shared")} + tiny_settings());
  ASSERT_EQ(again.code, 0) << again.err;
  expect_words(again.err, {"began with one data set for all runs"});
  EXPECT_EQ(data_seeds("shared"), (std::set<std::pair<int, int>>{{0, 0}, {1, 0}}));
}

TEST_F(StudyCommand, LearningRatesAreTuned) {
  const Outcome outcome = phasor_command(
      Arguments{"compare", "rope", "nope", "--seeds", "2", "--tune", "lr=1e-4,1e-2", "--out", path("tuned")} +
      tiny_settings());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.err, {"tuning 4/4", "lr 0.01", "run 4/4"});
  const Json json = Json::parse(read_file(temporary_ / "tuned/summary.json"));
  ASSERT_EQ(json["rates"].size(), 2u);
  EXPECT_EQ(json["rates"][0]["trials"].size(), 2u);
  expect_words(outcome.out, {"learning rate of", "0.0001: ", "0.01: ", "^ the lowest or the highest"});
}

TEST_F(StudyCommand, NonsenseIsRefusedBeforeAnythingIsWritten) {
  const std::string out = path("out");
  expect_error(phasor_command({"study", "nowhere.json", "--out", out}), 2,
               {"nowhere.json", "neither a file nor a study's folder nor a preset"});
  expect_error(phasor_command({"study", "quick", "--out", out}), 2, {"--encodings"});
  expect_error(phasor_command({"study", "quick", "--encodings", "ropee", "--out", out}), 2, {"did you mean 'rope'"});
  expect_error(phasor_command({"study", write("a.json", R"({"encodings": ["ropee"]})"), "--out", out}), 2,
               {"a.json", "did you mean 'rope'"});
  expect_error(phasor_command(
                   {"study", write("b.json", R"json({"encodings": ["rope", "rope(base=10000)"]})json"), "--out", out}),
               2, {"b.json", "is in the study twice"});
  expect_error(phasor_command({"study", path("a.json"), "--encodings", "nope", "--out", out}), 2, {"go with a preset"});
  expect_error(phasor_command({"compare", "rope", "--out", out}), 2, {"two encodings"});
  expect_error(phasor_command({"compare", "rope", "rope", "--out", out}), 2, {"is in the study twice"});
  expect_error(phasor_command({"compare", "rope", "alibi", "--tune", "3e-4", "--out", out}), 2, {"--tune", "lr="});
  expect_error(phasor_command({"compare", "rope", "alibi", "--jobs", "0", "--out", out}), 2, {"--jobs"});
  expect_error(phasor_command({"compare", "rope", "alibi", "--measure", "heads", "--out", out}), 2,
               {"cannot be measured"});
  expect_error(phasor_command({"reproduce", "--preset", "huge", "--out", out}), 2, {"demo, quick and paper"});
  expect_error(phasor_command({"reproduce", "--protocol", "dirty", "--out", out}), 2, {"clean, released or both"});
  EXPECT_FALSE(fs::exists(out));
  expect_error(phasor_command({"compare", "rope", "alibi", "--out", temporary_.path().string()}), 2,
               {"holds something else"});
}

TEST_F(StudyCommand, AFolderThatCannotBeWrittenIsSaid) {
  if (geteuid() == 0) {
    expect_error(phasor_command({"compare", "rope", "alibi", "--out", "/proc/phasor"}), 1,
                 {"cannot create", "/proc/phasor"});
    return;
  }
  fs::create_directory(temporary_ / "closed");
  chmod(path("closed").c_str(), 0500);
  expect_error(phasor_command({"compare", "rope", "alibi", "--out", path("closed")}), 1, {"cannot write", "closed"});
}

TEST_F(StudyCommand, PlansCanBeLookedAt) {
  const Outcome plan = phasor_command({"reproduce", "--preset", "quick", "--dry-run", "--out", path("out")});
  ASSERT_EQ(plan.code, 0) << plan.err;
  expect_words(plan.out,
               {"rope on distance, clean", "best of 0.001, 0.003, 0.01", "keys_values as clean", "choose", "about ",
                " like those of", "A single run of preset quick has other sizes", "data.train=350"});
  const Outcome road = phasor_command({"reproduce", "--road", "--seeds", "2", "--dry-run", "--out", path("out")});
  ASSERT_EQ(road.code, 0) << road.err;
  expect_words(road.out, {"rope(axes=3) on grid3, clean: 2 seeds", "92 runs, after 138 that choose"});
  EXPECT_FALSE(fs::exists(temporary_ / "out"));
  expect_error(phasor_command({"reproduce", "--road", "--preset", "quick"}), 2, {"--road", "--preset"});
}

}  // namespace study_test
}  // namespace phasor
