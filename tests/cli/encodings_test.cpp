// phasor encodings: its forms and options, and what is said to nonsense.
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/tiny_run.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/manual.h"
#include "support/paths.h"

namespace phasor {
namespace encodings_test {

using Json = nlohmann::json;

std::string output(const Arguments& words) {
  const Outcome outcome = phasor_command(Arguments{"encodings"} + words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

Json json_output(const Arguments& words) {
  const std::string text = output(words + Arguments{"--json"});
  const Json json = Json::parse(text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << text;
  return json;
}

TEST(Encodings, ListCardAndRoadForPeopleAndPrograms) {
  expect_words(output({}), {"Rotations of queries and keys\n  rope ", "'phasor encodings rope' shows one of them"});
  expect_words(output({"--parameters"}), {"    base="});
  EXPECT_EQ(json_output({}).size(), encoding_catalogue().size());
  const Json card = json_output({"rope( 5e2 )[heads=0-1]", "--length", "20"});
  EXPECT_EQ(card.at("name"), "rope(base=500)[heads=0-1]");
  EXPECT_EQ(card.at("shape").at("positions"), 20);
  expect_words(output({"rope", "--ascii"}), {"Kernel of the rotation, layer 0", "|***"});
  expect_words(output({"--road"}), {"\ninteger ", "\nrope(axes=2) "});
  EXPECT_EQ(json_output({"--road"}).size(), 7u);
}

TEST(Encodings, CardFollowsTheShape) {
  expect_words(output({"rope(axes=2)", "--grid", "4,6"}), {"24 positions (4 x 6)", "along coordinate 1", "-5"});
  expect_words(output({"alibi", "--heads", "2", "--width", "6", "--layers", "3", "--causal"}),
               {"3 layers, 2 heads of 3 channels, width 6, 128 positions, causal"});
  const Arguments llama = {"rope(base=500000,scaling=llama3,factor=8,original=8192,layout=half)", "--head-width", "128",
                           "--length", "131072"};
  expect_words(output(llama), {"29 kept, 6 ramped, 29 stretched of 64 pairs", "Not measured"});
  EXPECT_EQ(json_output(llama).at("rotary_pairs")[0].at("pairs").size(), 64u);
  EXPECT_EQ(output(llama).find("mscale"), std::string::npos);
  expect_words(output(llama + Arguments{"--all"}), {"mscale=0", "More on rope"});
  const Json one = json_output({"relative", "--seed", "1"}).at("kernels");
  EXPECT_EQ(one, json_output({"relative", "--seed", "1"}).at("kernels"));
  EXPECT_NE(one, json_output({"relative"}).at("kernels"));
}

// What a run has learned; a name that is an encoding stays one.
TEST(Encodings, RunsShowWhatTheyLearned) {
  const TemporaryFolder folder;
  const std::string run =
      train_tiny(folder / "mine", {"--encoding", "bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1))"}).string();
  expect_words(output({run, "--ascii"}), {"formula     b = -a*log(1+b*abs(d))", "Learned: 2 numbers in 2 tensors",
                                          "\nbias.b  0      all   0.1 ", "layer 1, trained", "o: as training started"});
  const Json card = json_output({run});
  EXPECT_EQ(card.at("learned")[0].at("name"), "layers.0.encoding.bias.b");
  EXPECT_NE(card.at("learned")[0].at("end"), card.at("learned")[0].at("start"));
  EXPECT_TRUE(card.at("learned")[0].at("least").is_null() && card.at("learned")[0].at("most").is_null()) << "no bounds";
  const Outcome evaluated = phasor_command({"evaluate", run});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
  expect_words(evaluated.out, {"\n  learned     bias.b 0.1 -> "});
  expect_error(phasor_command({"encodings", run, "--length", "20"}), 2, {"--length", "those of the run"});
  expect_error(phasor_command({"encodings", run, "--step", "3"}), 2, {"no snapshot of step 3"});
  expect_error(phasor_command({"encodings", "rope", "--step", "3"}), 2, {"--step", "run folder"});
  expect_error(phasor_command({"encodings", (folder / "other").string()}), 2, {"holds no run", "phasor train"});
  expect_error(phasor_command({"encodings", folder.path().string()}), 2, {"holds no run itself", "1, such as", "mine"});
}

TEST(Encodings, MarkdownIsTheManuals) {
  EXPECT_TRUE(output({"--markdown"}) == manual_catalogue());
  const TemporaryFolder folder;
  const std::string manual = read_file(std::string(fixtures_folder()) + "/../../docs/encodings.md");
  write_file_atomically(folder / "manual.md", with_catalogue(manual, "old\n"));
  EXPECT_EQ(output({"--markdown", "--update", (folder / "manual.md").string()}), "");
  EXPECT_TRUE(read_file(folder / "manual.md") == with_catalogue(manual, manual_catalogue()));
}

TEST(Encodings, NonsenseIsExplained) {
  const auto expect_refused = [](const Arguments& words, std::initializer_list<std::string_view> message) {
    expect_error(phasor_command(Arguments{"encodings"} + words), 2, message);
  };
  expect_refused({"roep"}, {"column 1", "did you mean 'rope'"});
  expect_refused({"rope("}, {"column 6", "expected a value"});
  expect_refused({"rope", "alibi"}, {"'alibi'", "--help"});
  expect_refused({"rope+prope"}, {"both rotate head 0 of layer 0"});
  expect_refused({"bias(\"1/d\")"}, {"inf at d=0"});
  expect_refused({"rope[heads=9]", "--heads", "4"}, {"no head 9"});
  expect_refused({"rope[heads=60000]"}, {"up to number 63"});
  expect_refused({"rope", "--length", "1"}, {"--length", "2 to 1048576"});
  expect_refused({"integer(normalised)", "--length", "2000"}, {"--length", "2 to 256"});
  expect_refused({"rope", "--width", "64", "--head-width", "8"}, {"--width 64", "4 heads of --head-width 8"});
  expect_refused({"--all"}, {"--all", "EXPRESSION"});
  expect_refused({"rope", "--width", "30"}, {"--width 30", "4 heads", "28"});
  expect_refused({"rope(axes=2)", "--grid", "4"}, {"2 coordinates"});
  expect_refused({"rope(axes=2)", "--grid", "4,x"}, {"--grid", "'x'"});
  expect_refused({"rope(axes=2)", "--length", "20"}, {"--grid", "8,16"});
  expect_refused({"rope", "--grid", "4,6", "--length", "20"}, {"24", "20"});
  expect_refused({"--length", "20"}, {"--length", "EXPRESSION"});
  expect_refused({"--road", "rope"}, {"--road", "leave the expression out"});
  expect_refused({"--json", "--markdown"}, {"--json", "--markdown"});
  expect_refused({"--update", "x"}, {"--update goes with --markdown"});
  expect_refused({"rope", "--lenght", "3"}, {"did you mean '--length'"});
  const TemporaryFolder folder;
  write_file_atomically(folder / "other.md", "# Other\n");
  expect_error(phasor_command({"encodings", "--markdown", "--update", (folder / "other.md").string()}), 1,
               {"no place for the catalogue"});
  EXPECT_EQ(read_file(folder / "other.md"), "# Other\n");
}

}  // namespace encodings_test
}  // namespace phasor
