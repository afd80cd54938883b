// phasor evaluate: what it prints, alone, at longer lengths and under another encoding.
#include <nlohmann/json.hpp>

#include "cli/tiny_run.h"

namespace phasor {
namespace evaluate_test {

using Json = nlohmann::json;

TEST(Evaluate, UnderAnotherEncoding) {
  const TemporaryFolder folder;
  const std::string run = train_tiny(folder / "rope", {"--encoding", "rope"}).string();
  const Arguments swap = {"evaluate",         run,   "--encoding", "rope(scaling=linear,factor={length})",
                          "--lengths",        "1,2", "--samples",  "32",
                          "--damage-samples", "2"};
  const Outcome text = phasor_command(swap);
  EXPECT_EQ(text.code, 0) << text.err;
  expect_words(text.out, {"trained with rope on distance", "at 2x: rope(scaling=linear,factor=2)", "damage by head"});
  const Json json = Json::parse(phasor_command(swap + Arguments{"--json"}).out);
  EXPECT_EQ(json.at("lengths").size(), 2u);
  EXPECT_EQ(json.at("lengths").at(0).at("own").at("accuracy"), json.at("lengths").at(0).at("swapped").at("accuracy"))
      << "a factor of 1 changes nothing";
  const Json plain = Json::parse(phasor_command({"evaluate", run, "--json"}).out);
  EXPECT_EQ(json.at("lengths").at(0).at("own").at("accuracy"), plain.at("test_accuracy"));
}

TEST(Evaluate, SaysWhatStandsInTheWayOfAnotherEncoding) {
  const TemporaryFolder folder;
  const std::string run = train_tiny(folder / "rope", {"--encoding", "rope"}).string();
  expect_error(phasor_command({"evaluate", run, "--encoding", "fire"}), 2,
               {"fire has trained numbers that this run never had", "phasor train --from " + run});
  expect_error(phasor_command({"evaluate", run, "--encoding", "mla"}), 2, {"mla", "projections of its own"});
  expect_error(phasor_command({"evaluate", run, "--encoding", "rope(base={lenght})"}), 2, {"{length}"});
  expect_error(phasor_command({"evaluate", run, "--damage-samples", "3"}), 2, {"--damage-samples", "--encoding"});
}

TEST(Evaluate, SaysWhatHappensBeyondTheTrainingLength) {
  const TemporaryFolder folder;
  const std::string run = train_tiny(folder / "alibi", {"--encoding", "alibi"}).string();
  expect_words(phasor_command({"evaluate", run, "--lengths", "1,2", "--samples", "16"}).out,
               {"beyond 14 tokens: biases go on by the formula"});
  const Json json = Json::parse(phasor_command({"evaluate", run, "--lengths", "2", "--samples", "16", "--json"}).out);
  EXPECT_EQ(json.at("beyond"), "biases go on by the formula");
}

}  // namespace evaluate_test
}  // namespace phasor
