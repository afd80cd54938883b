// phasor ablate, as a person meets it.
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/tiny_run.h"
#include "support/resealed.h"

namespace phasor {
namespace ablate_test {

using Json = nlohmann::json;

class AblateCommand : public testing::Test {
 protected:
  void train(const std::string& name, const Arguments& more = {}) {
    const Outcome trained = phasor_command(Arguments{"train", "--out", run(name)} + tiny_settings() + more);
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  std::string run(const std::string& name) const { return (temporary_ / name).string(); }
  bool has_partial(const std::string& name) const {
    for (const auto& entry : std::filesystem::directory_iterator(temporary_ / name)) {
      if (entry.path().string().find(".partial.safetensors") != std::string::npos) return true;
    }
    return false;
  }
  Json json_of(const std::string& path) const { return Json::parse(read_file(temporary_ / path)); }

  TemporaryFolder temporary_;
};

TEST_F(AblateCommand, GivesAVerdictAndWritesItsFiles) {
  train("rope");
  const Outcome outcome = phasor_command({"ablate", run("rope"), "--clauses"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"rope on distance", "32 held-out samples", "position_off", "layer 1", "matters most",
                             "importance:", "habits of heads", "written:"});
  const Json json = json_of("rope/ablation.json");
  EXPECT_EQ(json["format"], "phasor ablation 1");
  EXPECT_EQ(json["source"]["encoding"], "rope");
  EXPECT_EQ(json["position"]["layers"].size(), 2u);
  EXPECT_EQ(json["conditions"].size(), 2u * (7 * 3 + 2 * 2));
  EXPECT_EQ(json["habits"][1].size(), 2u);
  const std::string csv = read_file(temporary_ / "rope/ablation.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * (7 * 3 + 2 * 2));
  EXPECT_EQ(csv.rfind("encoding,task,protocol,seed,step,layer,head,ablated,method,", 0), 0u);
  EXPECT_FALSE(has_partial("rope"));
}

TEST_F(AblateCommand, MeasuresNothingTwice) {
  train("rope");
  const Outcome first = phasor_command({"ablate", run("rope"), "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  const Outcome second = phasor_command({"ablate", run("rope"), "--json"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_NE(first.err.find("heads"), std::string::npos);
  EXPECT_EQ(second.err.find("heads"), std::string::npos) << second.err;
}

// Without options a finished ablation is shown as its files have it, also one of other options, and also without the
// model.
TEST_F(AblateCommand, WithoutOptionsItShowsWhatIsThere) {
  train("rope", {"--set", "train.snapshots=10"});
  const Outcome few = phasor_command({"ablate", run("rope"), "--methods", "zero,mean", "--samples", "24"});
  ASSERT_EQ(few.code, 0) << few.err;
  const std::string scores = read_file(temporary_ / "rope/ablation.safetensors");
  std::filesystem::remove(temporary_ / "rope/model.safetensors");
  const Outcome shown = phasor_command({"ablate", run("rope")});
  ASSERT_EQ(shown.code, 0) << shown.err;
  const std::string tables = few.out.substr(0, few.out.find("\nwritten:"));
  EXPECT_EQ(shown.out.rfind(tables, 0), 0u) << shown.out;
  expect_words(shown.out,
               {"rope/ablation.json", "nothing was measured anew (24 samples, methods zero, mean, 1 draw, seed 0)",
                "--methods all --samples 4096 --replace", "the usual measurement", "--snapshots",
                "1 snapshots: when the pattern forms\n", "--as-published", "--clauses"});
  EXPECT_EQ(read_file(temporary_ / "rope/ablation.safetensors"), scores);
  EXPECT_EQ(phasor_command({"ablate", run("rope"), "--json"}).out, read_file(temporary_ / "rope/ablation.json"));

  // Of a run with other settings the files say nothing.
  auto config = testing_support::read_json_of(temporary_ / "rope/config.json");
  config["train"]["lr"] = 0.5;
  testing_support::write_resealed(temporary_ / "rope/config.json", config);
  expect_error(phasor_command({"ablate", run("rope")}), 1, {"the run's settings say"});
}

TEST_F(AblateCommand, WithoutAnAblationItSaysWhatItMeasures) {
  train("rope");
  const Outcome outcome = phasor_command({"ablate", run("rope")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.err, {"has no finished ablation; measuring 32 samples, methods "});
  expect_words(outcome.out, {"written: "});
  const Outcome again = phasor_command({"ablate", run("rope")});
  EXPECT_EQ(again.out.find("the usual measurement"), std::string::npos) << again.out;
  EXPECT_EQ(again.out.find("written:"), std::string::npos) << again.out;
}

// A folder whose runs were ablated in different ways is shown as it is, and that is said.
TEST_F(AblateCommand, AFolderShowsTheAblationsOfItsRuns) {
  train("study/a");
  train("study/b", {"--seed", "1"});
  ASSERT_EQ(phasor_command({"ablate", run("study/a"), "--samples", "24"}).code, 0);
  const Outcome outcome = phasor_command({"ablate", run("study")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"1 ablation was read from the run folders", "not all of one measurement",
                             "1 run: 24 samples, methods ", "1 run: 4096 samples, methods "});
  train("other/a");
  Arguments counting = {"train", "--task", "counting", "--out", run("other/b")};
  for (const char* setting :
       {"model.width=16", "model.hidden=32", "model.heads=2", "model.layers=2", "train.steps=60", "train.batch=32",
        "data.train=512", "data.test=32", "data.validation=32", "train.evaluation_samples=64"}) {
    counting.insert(counting.end(), {"--set", setting});
  }
  ASSERT_EQ(phasor_command(counting).code, 0);
  const Outcome tasks = phasor_command({"ablate", run("other"), "--methods", "zero"});
  ASSERT_EQ(tasks.code, 0) << tasks.err;
  expect_words(tasks.out, {"encoding  task      accuracy %", "rope      distance  ", "rope      counting  "});
}

TEST_F(AblateCommand, InterruptedItGoesOnAndGivesTheSameBytes) {
  train("rope", {"--set", "data.test=4000"});
  const std::string other = run("other");
  const Outcome whole = phasor_command({"ablate", run("rope"), "--out", other, "--samples", "4000"});
  ASSERT_EQ(whole.code, 0) << whole.err;
  bool interrupted = false;
  for (const int number : {SIGINT, SIGTERM}) {
    RunningPhasor running({"ablate", run("rope"), "--samples", "4000"});
    ASSERT_TRUE(running.wait_for(" 30 %"));
    const Outcome stopped = running.finish(number);
    if (stopped.code == 0) continue;  // it was faster than the signal
    EXPECT_EQ(stopped.code, 1) << stopped.err;
    expect_words(last_line(stopped.err), {"interrupted", "rerun the command"});
    EXPECT_TRUE(has_partial("rope"));
    EXPECT_FALSE(std::filesystem::exists(temporary_ / "rope/ablation.json"));
    interrupted = true;
  }
  const Outcome rest = phasor_command({"ablate", run("rope"), "--samples", "4000"});
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_FALSE(has_partial("rope"));
  ASSERT_TRUE(interrupted) << "no signal came in time";
  expect_words(rest.err, {"of 4000 samples had been measured before"});
  for (const char* file : {"ablation.safetensors", "ablation.json", "ablation.csv"}) {
    EXPECT_EQ(read_file(temporary_ / "rope" / file), read_file(temporary_ / "other" / file)) << file;
  }
}

TEST_F(AblateCommand, OtherOptionsDoNotReplaceAFinishedAblationUnasked) {
  train("rope");
  ASSERT_EQ(phasor_command({"ablate", run("rope")}).code, 0);
  const std::string scores = read_file(temporary_ / "rope/ablation.safetensors");
  expect_error(phasor_command({"ablate", run("rope"), "--methods", "zero,mean"}), 2,
               {"finished ablation by other options", "--out", "--replace"});
  EXPECT_EQ(read_file(temporary_ / "rope/ablation.safetensors"), scores);
  const Outcome fewer = phasor_command({"ablate", run("rope"), "--methods", "zero,mean", "--out", run("fewer")});
  ASSERT_EQ(fewer.code, 0) << fewer.err;
  expect_words(fewer.out, {"position: not judged without the method position_off"});
  EXPECT_EQ(json_of("fewer/ablation.json")["position"], nullptr);
  ASSERT_EQ(phasor_command({"ablate", run("rope"), "--methods", "zero", "--replace"}).code, 0);
  EXPECT_EQ(json_of("rope/ablation.json")["conditions"].size(), 2u * (3 + 2));
}

TEST_F(AblateCommand, SnapshotsTellWhen) {
  train("rope", {"--set", "train.snapshots=10,30"});
  const Outcome outcome = phasor_command({"ablate", run("rope"), "--snapshots"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"the finished model's head", "      10", "      30", "      60"});
  EXPECT_EQ(json_of("rope/ablation_snapshots.json")["snapshots"].size(), 3u);
  EXPECT_TRUE(std::filesystem::exists(temporary_ / "rope/ablation_step_000010.json"));
  train("none");
  expect_error(phasor_command({"ablate", run("none"), "--snapshots"}), 2, {"no snapshots", "train.snapshots="});
}

TEST_F(AblateCommand, ThePublishedWayIsAskedFor) {
  train("mla", {"--encoding", "mla(kv=8,q=8,rope=4)"});
  const Outcome outcome = phasor_command({"ablate", run("mla"), "--as-published"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"as the released code at commit ffe3159 ablates", "544 training and test samples",
                             "columns of latents", "1 of 2 turns of each layer change nothing", "No verdict"});
  EXPECT_EQ(json_of("mla/ablation_published.json")["turns_without_effect"], 1);
  EXPECT_FALSE(std::filesystem::exists(temporary_ / "mla/ablation.json"));
}

TEST_F(AblateCommand, AFolderOfRunsIsJudgedPerEncoding) {
  for (const char* seed : {"0", "1"}) {
    train(std::string("study/a/rope") + seed, {"--seed", seed});
    train(std::string("study/a/nope") + seed, {"--seed", seed, "--encoding", "nope"});
  }
  const Outcome outcome = phasor_command({"ablate", run("study")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"4 runs, 2 encodings and settings", "a/nope", "a/rope", "p against nope", "of 2 seeds"});
  const Json json = json_of("study/ablation.json");
  EXPECT_EQ(json["kind"], "runs");
  EXPECT_EQ(json["groups"].size(), 2u);
  EXPECT_EQ(json["groups"][1]["accuracy"].size(), 2u);
  EXPECT_EQ(json["groups"][1]["position"]["seeds"][1]["seed"], 1);
  EXPECT_TRUE(std::filesystem::exists(temporary_ / "study/ablation.csv"));
  expect_error(phasor_command({"ablate", run("study"), "--against", "nopee"}), 2, {"no run", "nopee"});

  // The same seed again, and a model that cannot be read: both are left out by name.
  train("study/a/again", {"--seed", "1"});
  train("study/a/broken", {"--seed", "2"});
  write_file_atomically(temporary_ / "study/a/broken/model.safetensors", "nothing");
  const Outcome partly = phasor_command({"ablate", run("study")});
  EXPECT_EQ(partly.code, 1);
  expect_words(partly.out, {"4 runs, 2 encodings and settings"});
  expect_words(partly.err, {"one seed counts once", "broken", "2 of 6 runs could not be ablated"});
}

// Ids, which order run folders, say nothing; names and cells do.
TEST_F(AblateCommand, AStudyIsShownByItsLabelsInTheOrderOfItsCells) {
  Arguments study = {"study",    "quick",   "--encodings", "mine=rope(base=500)", "nope",     "--tasks", "distance",
                     "counting", "--seeds", "2",           "--measure",           "ablation", "--out",   run("named")};
  for (const char* setting :
       {"model.width=16", "model.hidden=32", "model.heads=2", "model.layers=2", "train.steps=20", "train.batch=32",
        "data.train=256", "data.test=32", "data.validation=32", "train.evaluation_samples=64"}) {
    study.insert(study.end(), {"--set", setting});
  }
  const Outcome trained = phasor_command(study);
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Outcome outcome = phasor_command({"ablate", run("named"), "--against", "mine"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"\nmine      distance", "\nnope      counting", "\n  mine on distance:", "p against mine",
                             "\nmine = rope(base=500)\n"});
  EXPECT_EQ(outcome.out.find("runs/"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("rope(base=500)"), outcome.out.rfind("rope(base=500)")) << "in the legend alone";
  std::istringstream csv(read_file(temporary_ / "named/ablation.csv"));
  std::string line, cells;
  std::getline(csv, line);
  EXPECT_EQ(line.rfind("group,label,encoding,task,", 0), 0u) << line;
  while (std::getline(csv, line)) {
    if (line.find(",importance,") == std::string::npos) continue;
    cells += line.substr(line.find(',') + 1, line.find(",clean") - line.find(',') - 1) + " ";
  }
  EXPECT_EQ(cells,
            "mine,rope(base=500),distance mine,rope(base=500),distance nope,nope,distance nope,nope,distance "
            "mine,rope(base=500),counting mine,rope(base=500),counting nope,nope,counting nope,nope,counting ");
  EXPECT_EQ(json_of("named/ablation.json")["comparisons"][0]["against"], "rope(base=500)");
  expect_error(phasor_command({"ablate", run("named"), "--against", "yours"}), 2, {"--against yours", "no run"});
}

TEST_F(AblateCommand, EqualLabelsAreToldApart) {
  train("study/rope0");
  train("study/rope1", {"--set", "model.hidden=40"});
  const Outcome outcome = phasor_command({"ablate", run("study"), "--methods", "zero"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"task distance, protocol clean", "rope model.hidden=32 ", "rope model.hidden=40 "});
}

TEST_F(AblateCommand, WrongRunsAreRefusedByName) {
  expect_error(phasor_command({"ablate", run("nowhere")}), 2, {"nowhere"});
  train("rope");
  std::filesystem::copy(temporary_ / "rope", temporary_ / "bare", std::filesystem::copy_options::recursive);
  std::filesystem::remove(temporary_ / "bare/model.safetensors");
  expect_error(phasor_command({"ablate", run("bare")}), 2, {"has no finished model", "--resume"});

  std::filesystem::copy(temporary_ / "rope", temporary_ / "foreign", std::filesystem::copy_options::recursive);
  auto config = testing_support::read_json_of(temporary_ / "foreign/config.json");
  config["model"]["heads"] = config["model"]["kv_heads"] = config["model"]["head_width"] = 4;
  testing_support::write_resealed(temporary_ / "foreign/config.json", config);
  expect_error(phasor_command({"ablate", run("foreign")}), 1, {"was trained with model.", "config.json says 4"});
}

TEST_F(AblateCommand, WrongOptionsAreRefusedByName) {
  train("rope");
  expect_error(phasor_command({"ablate", run("rope"), "--methods", "zeroo"}), 2, {"zeroo", "did you mean 'zero'?"});
  expect_error(phasor_command({"ablate", run("rope"), "--methods", "zero,zero"}), 2, {"twice"});
  expect_error(phasor_command({"ablate", run("rope"), "--samples", "3"}), 2, {"--samples", "20"});
  expect_error(phasor_command({"ablate", run("rope"), "--draws", "0"}), 2, {"--draws"});
  expect_error(phasor_command({"ablate", run("rope"), "--step", "7"}), 2, {"no snapshot of step 7"});
  expect_error(phasor_command({"ablate", run("rope"), "--as-published", "--snapshots"}), 2, {"do not go together"});
  expect_error(phasor_command({"ablate", run("rope"), "--as-published", "--samples", "30"}), 2, {"way of its own"});
  expect_error(phasor_command({"ablate", run("rope"), "--against", "nope"}), 2, {"folder of runs"});
  train("few", {"--set", "data.test=10"});
  expect_error(phasor_command({"ablate", run("few")}), 2, {"at least 20 held-out samples", "has 10"});
}

TEST_F(AblateCommand, ADamagedScoreFileIsMeasuredAgain) {
  train("rope");
  ASSERT_EQ(phasor_command({"ablate", run("rope")}).code, 0);
  const std::string scores = read_file(temporary_ / "rope/ablation.safetensors");
  write_file_atomically(temporary_ / "rope/ablation.safetensors", scores.substr(0, scores.size() / 2));
  ASSERT_EQ(phasor_command({"ablate", run("rope")}).code, 0);
  EXPECT_EQ(read_file(temporary_ / "rope/ablation.safetensors"), scores);
}

}  // namespace ablate_test
}  // namespace phasor
