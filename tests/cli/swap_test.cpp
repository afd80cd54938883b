// phasor train --from and phasor compare --swap.
#include <nlohmann/json.hpp>

#include "cli/tiny_run.h"

namespace phasor {
namespace swap_test {

using Json = nlohmann::json;

Json json_file(const std::filesystem::path& path) { return Json::parse(read_file(path)); }

TEST(TrainFrom, GoesOnUnderAnotherEncoding) {
  const TemporaryFolder folder;
  const std::string source = train_tiny(folder / "rope", {"--encoding", "rope"}).string();
  const std::string out = (folder / "dropped").string();
  const Arguments from = {"train", "--from", source, "--encoding", "nope", "--steps", "10", "--out", out};
  const Outcome outcome = phasor_command(from);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"nope on distance", "10 steps"});
  const Json config = json_file(out + "/config.json");
  EXPECT_EQ(config.at("start").at("encoding"), "rope");
  EXPECT_EQ(config.at("start").at("step"), 60);
  EXPECT_EQ(config.at("train").at("steps"), 10);
  EXPECT_EQ(config.at("train").at("lr"), json_file(source + "/config.json").at("train").at("lr"));
  EXPECT_EQ(config.at("task"), json_file(source + "/config.json").at("task"));
  EXPECT_EQ(json_file(out + "/result.json").at("start"), config.at("start"));
  expect_words(phasor_command({"train", "--resume", "--out", out}).err, {"complete already"});
  expect_words(phasor_command({"evaluate", out}).out, {"nope on distance"});
}

TEST(TrainFrom, SaysWhatIsNewAndWhatIsLost) {
  const TemporaryFolder folder;
  const std::string source = train_tiny(folder / "t5", {"--encoding", "t5(buckets=8)"}).string();
  const Outcome outcome = phasor_command({"train", "--from", source, "--encoding", "alibi(slopes=learned)", "--steps",
                                          "5", "--out", (folder / "alibi").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.err, {"are dropped: encoding.t5.bias", "start as in a new model: layers.<l>.encoding.alibi"});
  const Outcome dry = phasor_command({"train", "--from", source, "--steps", "5", "--dry-run"});
  expect_words(dry.out, {"train.steps", "--steps", "start.run = ", "start.encoding = t5(buckets=8)"});
}

TEST(TrainFrom, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const std::string source = train_tiny(folder / "rope", {"--encoding", "rope"}).string();
  const Arguments from = {"train", "--from", source, "--out", (folder / "out").string()};
  expect_error(phasor_command(from + Arguments{"--encoding", "nope"}), 2, {"--from needs --steps"});
  expect_error(phasor_command(from + Arguments{"--steps", "5", "--task", "copy"}), 2, {"--task", "keeps"});
  expect_error(phasor_command(from + Arguments{"--steps", "5", "--encoding", "mla"}), 2, {"projections of its own"});
  expect_error(phasor_command(from + Arguments{"--steps", "5", "--set", "model.layers=3"}), 2, {"model.layers=2"});
  expect_error(phasor_command({"train", "--from", (folder / "nowhere").string(), "--steps", "5"}), 2, {"holds no run"});
  expect_error(phasor_command({"train", "--from-step", "5"}), 2, {"--from-step", "--from"});
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

Arguments tiny_swap(const std::filesystem::path& out) {
  return Arguments{"compare",
                   "rope",
                   "--swap",
                   "linear=rope(scaling=linear,factor={length})",
                   "--recalibrate",
                   "nope",
                   "--recalibration-steps",
                   "5",
                   "--lengths",
                   "1,2",
                   "--samples",
                   "32",
                   "--damage-samples",
                   "2",
                   "--seeds",
                   "2",
                   "--out",
                   out.string(),
                   "--jobs",
                   "1",
                   "--threads",
                   "1"} +
         tiny_settings();
}

TEST(CompareSwap, TrainsOnceAndChangesTheEncodingOfWhatIsTrained) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "swap";
  const Outcome outcome = phasor_command(tiny_swap(out));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"rope on distance, 2 seeds", "as trained", "linear", "nope, 5 more steps", "swap.csv"});
  const Json first = json_file(out / "swap.json");
  EXPECT_EQ(first.at("cells").size(), 6u);
  EXPECT_EQ(first.at("cells").at(2).at("change").at("difference"), 0.0) << "linear at its own length";
  const std::string csv = read_file(out / "swap.csv");
  const Outcome again = phasor_command(tiny_swap(out) + Arguments{"--json"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out), first);
  EXPECT_EQ(read_file(out / "swap.csv"), csv);
  EXPECT_EQ(again.err.find("trained in"), std::string::npos) << again.err;
}

TEST(CompareSwap, SaysWhatIsWrongBeforeItTrains) {
  const TemporaryFolder folder;
  const std::string out = (folder / "out").string();
  expect_error(phasor_command({"compare", "rope", "alibi", "--swap", "nope", "--out", out}), 2, {"one encoding"});
  expect_error(phasor_command({"compare", "rope", "--swap", "ropes", "--out", out}), 2, {"ropes"});
  expect_error(phasor_command({"compare", "rope", "--recalibrate", "rope(base={length})", "--out", out}), 2,
               {"--recalibrate", "{length}"});
  expect_error(phasor_command({"compare", "rope", "alibi", "--lengths", "1,2", "--out", out}), 2,
               {"--lengths", "--swap"});
  expect_error(phasor_command({"compare", "rope(axes=2)", "--task", "grid", "--swap", "nope", "--out", out}), 2,
               {"grid"});
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace swap_test
}  // namespace phasor
