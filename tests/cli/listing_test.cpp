// What the commands print when all goes well.
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/tiny_run.h"

namespace phasor {
namespace listing_test {

using Json = nlohmann::json;

Json json_of(const Arguments& arguments) {
  const Outcome outcome = phasor_command(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.out;
  return json;
}

std::vector<std::string> names(const Json& list) {
  std::vector<std::string> result;
  EXPECT_TRUE(list.is_array());
  for (const Json& entry : list) result.push_back(entry.at("name"));
  return result;
}

TEST(Listing, CataloguesAreArraysOfNamedObjects) {
  const Json tasks = json_of({"tasks", "--json"});
  EXPECT_EQ(names(tasks),
            (std::vector<std::string>{"distance", "counting", "joint",     "index",   "retrieval", "indirect",
                                      "grid",     "grid3",    "copy",      "reverse", "flipflop",  "parity",
                                      "modular",  "addition", "mqar",      "passkey", "missing",   "odds_first",
                                      "stack",    "dyck",     "variables", "listops"}));
  EXPECT_EQ(names(tasks[0].at("options")), (std::vector<std::string>{"vocabulary", "gap", "sides", "triggers",
                                                                     "fillers", "length", "readout", "answer"}));
  EXPECT_EQ(tasks[0].at("options")[4].at("choices"), (Json{"distinct", "any"}));
}

TEST(Listing, CataloguesForPeopleShowParameters) {
  expect_words(phasor_command({"tasks"}).out, {"distance ", "grid "});
  expect_words(phasor_command({"tasks", "distance"}).out,
               {"task.gap=24", "task.fillers=distinct", "floors", "chance", "length alone", "ceiling"});
}

TEST(Listing, FloorsFollowTheSettings) {
  const Json quick = json_of({"tasks", "distance", "--json", "--samples", "2000"});
  EXPECT_EQ(quick.at("settings").at("gap"), 24);
  EXPECT_DOUBLE_EQ(quick.at("floors").at("chance").get<double>(), 1.0 / 24.0);
  EXPECT_EQ(quick.at("floors").at("ceiling"), 1.0);
  const Json other = json_of({"tasks", "distance", "--json", "--samples", "2000", "--set", "task.gap=10"});
  EXPECT_DOUBLE_EQ(other.at("floors").at("chance").get<double>(), 0.1);
  expect_error(phasor_command({"tasks", "distanse"}), 2, {"distanse", "did you mean 'distance'"});
}

TEST(Listing, DryRunShowsEveryKeyWithItsSource) {
  const Outcome outcome = phasor_command({"train", "--dry-run", "--encoding", "alibi", "--set", "train.lr=0.5"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::map<std::string, std::vector<std::string>> table;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key, value, hash, source;
    words >> key >> value >> hash;
    std::getline(words >> std::ws, source);
    EXPECT_EQ(hash, "#") << line;
    table[key] = {value, source};
  }
  EXPECT_EQ(table["model.encoding"], (std::vector<std::string>{"alibi", "--encoding"}));
  EXPECT_EQ(table["train.lr"], (std::vector<std::string>{"0.5", "--set"}));
  EXPECT_EQ(table["train.steps"], (std::vector<std::string>{"2000", "preset quick"}));
  EXPECT_EQ(table["train.beta2"], (std::vector<std::string>{"0.98", "protocol clean"}));
  EXPECT_EQ(table["model.causal"], (std::vector<std::string>{"false", "default"}));
  EXPECT_EQ(table.size(), json_of({"train", "--keys", "--json"}).size());
}

TEST(Listing, DryRunAsJsonIsAConfiguration) {
  const TemporaryFolder folder;
  const Outcome first = phasor_command({"train", "--dry-run", "--json", "--preset", "paper", "--set", "task.gap=9"});
  write_file_atomically(folder / "config.json", first.out);
  const Outcome second =
      phasor_command({"train", "--dry-run", "--json", "--config", (folder / "config.json").string()});
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(Json::parse(first.out).at("task").at("gap"), 9);
}

TEST(Listing, DryRunRefusesWhatARunWouldRefuse) {
  expect_error(phasor_command({"train", "--dry-run", "--encoding", "rope[heads=9]"}), 2, {"no head 9"});
}

TEST(Listing, KeysSayWhatTheyMean) {
  expect_words(phasor_command({"train", "--keys"}).out, {"train.lr", "largest learning rate", "above 0"});
}

TEST(Listing, ResultOfARun) {
  const TemporaryFolder folder;
  const Json result = json_of(tiny_training(folder / "run", {"--json", "--seed", "7"}));
  EXPECT_EQ(result, Json::parse(read_file(folder / "run/result.json")));
  for (const char* key : {"task", "encoding", "protocol", "seed", "steps", "tokens", "train_accuracy", "test_accuracy",
                          "test_loss", "steps_to_90", "converged", "seconds", "tokens_per_second"}) {
    EXPECT_TRUE(result.contains(key)) << key;
  }
  EXPECT_EQ(result.at("seed"), 7);
  EXPECT_EQ(result.at("steps"), 60);
  EXPECT_TRUE(result.at("steps_to_90").is_null());

  const Json again = json_of({"train", "--json", "--resume", "--out", (folder / "run").string()});
  EXPECT_EQ(again, result) << "a complete run is not trained again";
}

TEST(Listing, EvaluateAgreesWithTheResult) {
  const TemporaryFolder folder;
  const auto run = train_tiny(folder / "run", {"--set", "train.snapshots=20,60"});
  const Json result = Json::parse(read_file(run / "result.json"));
  const Json now = json_of({"evaluate", run.string(), "--json"});
  EXPECT_EQ(now.at("test_accuracy"), result.at("test_accuracy"));
  EXPECT_EQ(now.at("test_loss"), result.at("test_loss"));
  EXPECT_EQ(now.at("train_accuracy"), result.at("train_accuracy"));
  EXPECT_EQ(now.at("test_samples"), 32);
  EXPECT_EQ(json_of({"evaluate", run.string(), "--json", "--step", "60"}), now);
  EXPECT_NE(json_of({"evaluate", run.string(), "--json", "--step", "20"}), now);
}

TEST(Listing, MetricsAreOneObjectPerEvaluation) {
  const TemporaryFolder folder;
  const auto run = train_tiny(folder / "run", {"--set", "train.evaluate_every=20"});
  std::istringstream lines(read_file(run / "metrics.jsonl"));
  std::vector<int64_t> steps;
  for (std::string line; std::getline(lines, line);) steps.push_back(Json::parse(line).at("step"));
  EXPECT_EQ(steps, (std::vector<int64_t>{0, 20, 40, 60}));
}

TEST(Listing, BenchMeasures) {
  const Json bench = json_of(Arguments{"bench", "step", "--json", "--steps", "2", "--warmup", "1"} + tiny_settings());
  for (const char* key : {"ms_per_step", "tokens_per_second", "gflops", "peak_gflops", "share_of_peak"}) {
    EXPECT_GT(bench.at(key).get<double>(), 0.0) << key;
  }
}

TEST(Listing, ProgressGoesToStandardError) {
  const TemporaryFolder folder;
  const Outcome outcome = phasor_command(tiny_training(folder / "run"));
  expect_words(outcome.err, {"rope on distance  step 0/60  train", "step 60/60", "tokens/s", "left"});
  expect_words(outcome.out,
               {"rope on distance: test accuracy", "60 steps", "run folder: " + (folder / "run").string()});
}

}  // namespace listing_test
}  // namespace phasor
