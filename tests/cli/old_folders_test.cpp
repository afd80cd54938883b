// Folders that older versions wrote (tests/fixtures/folders, one per format, named after a commit that wrote it) are
// read.
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/tiny_run.h"
#include "phasor/checkpoint/safetensors.h"
#include "support/paths.h"

namespace phasor {
namespace old_folders_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> versions() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(fixtures_folder()) / "folders")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  return names;
}

class OldFolder : public testing::TestWithParam<std::string> {
 protected:
  OldFolder() {
    fs::copy(fs::path(fixtures_folder()) / "folders" / GetParam(), temporary_ / "old", fs::copy_options::recursive);
  }
  std::string path(const std::string& name) const { return (temporary_ / ("old/" + name)).string(); }

  // Done, with at most one line: that there are no checksums.
  static Outcome expect_read(const Arguments& arguments) {
    const Outcome outcome = phasor_command(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    size_t notes = 0;
    for (size_t at = outcome.err.find("note: "); at != std::string::npos; at = outcome.err.find("note: ", at + 1))
      ++notes;
    EXPECT_LE(notes, 1u) << outcome.err;
    return outcome;
  }

  TemporaryFolder temporary_;
};

TEST_P(OldFolder, ARunIsRead) {
  const Json result = Json::parse(read_file(path("run/result.json")));
  const Json scores = Json::parse(expect_read({"evaluate", path("run"), "--json"}).out);
  // Another machine may sum in another order: a sample of the 32 may fall the other way.
  EXPECT_NEAR(scores.at("test_accuracy").get<double>(), result.at("test_accuracy").get<double>(), 1.0 / 32.0);
  expect_read({"evaluate", path("run"), "--step", "10"});
  expect_read({"spectrum", path("run")});
  expect_read({"stability", path("run")});
  expect_read({"report", path("run"), "--text"});
  expect_read({"train", "--resume", "--out", path("run")});
  expect_read({"ablate", path("run"), "--samples", "20", "--json"});
}

TEST_P(OldFolder, ARunThatWasStoppedGoesOn) {
  expect_read({"train", "--resume", "--out", path("stopped")});
  EXPECT_TRUE(fs::exists(path("stopped/result.json")));
}

// Everything that was there, as it was; members may have been added since.
void expect_holds(const Json& after, const Json& before, const std::string& path) {
  if (before.is_object()) {
    for (const auto& [name, value] : before.items()) {
      ASSERT_TRUE(after.contains(name)) << path << "." << name;
      expect_holds(after.at(name), value, path + "." + name);
    }
  } else if (before.is_array()) {
    ASSERT_EQ(after.size(), before.size()) << path;
    for (size_t i = 0; i < before.size(); ++i) expect_holds(after[i], before[i], path + "[" + std::to_string(i) + "]");
  } else {
    EXPECT_EQ(after, before) << path;
  }
}

// Summaries of format 1 had a second view of converged runs alone, named the method of each interval, and counted
// verdicts over seeds without PARTIAL.
Json with_one_view(const Json& cell) {
  if (cell.is_array()) {
    Json all = Json::array();
    for (const Json& element : cell) all.push_back(with_one_view(element));
    return all;
  }
  if (!cell.is_object()) return cell;
  if (cell.size() == 2 && cell.contains("all") && cell.contains("claimable")) return with_one_view(cell.at("all"));
  Json one = Json::object();
  const bool is_cell = cell.contains("planned");
  for (const auto& [name, value] : cell.items()) {
    if (name == "claimable" || name == "method" || (name == "reason" && cell.contains("deposit"))) continue;
    one[name != "all" ? name : (is_cell ? "numbers" : "over_seeds")] = with_one_view(value);
  }
  return one;
}

TEST_P(OldFolder, AStudyIsReadAndNothingOfItIsDoneAgain) {
  const Json before = Json::parse(read_file(path("study/summary.json")));
  fs::remove(path("study/summary.json"));
  expect_read({"report", path("study"), "--text"});
  const Outcome outcome = phasor_command({"report", path("study")});
  if (outcome.err.find("without the report's page") != std::string::npos) GTEST_SKIP() << outcome.err;
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json after = Json::parse(read_file(path("study/summary.json")));
  const bool two_views = before.at("format") == "phasor study summary 1";
  expect_holds(after.at("cells"), two_views ? with_one_view(before.at("cells")) : before.at("cells"), "cells");
}

// Its own command, which `command.txt` holds, finds everything done.
TEST_P(OldFolder, AStudyGoesOnWhereNothingIsLeftToDo) {
  std::istringstream words(read_file(path("study/command.txt")));
  Arguments command;
  for (std::string word; words >> word;) command.push_back(word == "study" && command.size() > 2 ? path(word) : word);
  ASSERT_EQ(command.front(), "phasor");
  command.erase(command.begin());
  std::map<fs::path, std::string> results;
  for (const auto& run : fs::directory_iterator(path("study/runs"))) {
    results[run.path()] = read_file(run.path() / "result.json");
  }
  const Outcome outcome = phasor_command(command);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("run 1/"), std::string::npos) << outcome.err;
  for (const auto& [run, result] : results) EXPECT_EQ(read_file(run / "result.json"), result) << run;
}

TEST_P(OldFolder, WhyARunFailedIsRead) {
  const Outcome outcome = phasor_command({"report", path("failed"), "--text"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"1 run failed", "step 2: the loss is not finite"});
  expect_words(outcome.err, {"left out: rope on distance"});
}

// What the JSON and safetensors files below a folder say they are, and which of them are there at all.
std::set<std::string> formats_below(const fs::path& folder) {
  std::set<std::string> formats;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path& file = entry.path();
    std::string format;
    if (file.extension() == ".json") format = Json::parse(read_file(file)).value("format", file.filename().string());
    if (file.extension() == ".safetensors") format = SafetensorsFile::open(file).metadata().at("format");
    if (!format.empty()) formats.insert(format);
  }
  return formats;
}

// Whoever changes a format makes a folder of it: tests/fixtures/folders/make.sh.
TEST(OldFolders, HaveEveryFormatThatIsWrittenNow) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run");
  ASSERT_EQ(phasor_command({"ablate", run.string(), "--samples", "20"}).code, 0);
  ASSERT_EQ(phasor_command({"spectrum", run.string()}).code, 0);
  const Outcome study =
      phasor_command(Arguments{"study", "quick", "--encodings", "rope", "--seeds", "1", "--measure", "ablation",
                               "spectrum", "lengths", "--out", (folder / "study").string()} +
                     tiny_settings());
  ASSERT_EQ(study.code, 0) << study.err;
  const std::set<std::string> kept = formats_below(fs::path(fixtures_folder()) / "folders");
  const std::set<std::string> written = formats_below(folder.path());
  EXPECT_GE(written.size(), 12u);
  for (const std::string& format : written) EXPECT_TRUE(kept.count(format) > 0) << format;
}

INSTANTIATE_TEST_SUITE_P(Versions, OldFolder, testing::ValuesIn(versions()),
                         [](const auto& version) { return "at_" + version.param; });

}  // namespace old_folders_test
}  // namespace phasor
