// phasor cite, as a person meets it, and the file CITATION.cff beside it.
#include <nlohmann/json.hpp>

#include "cli/tiny_run.h"

namespace phasor {
namespace cite_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string cited(const Arguments& words) {
  const Outcome outcome = phasor_command(Arguments{"cite"} + words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

TEST(CiteCommand, CitesTheProgramAndItsPaper) {
  const std::string text = cited({});
  expect_words(text, {"@misc{phasor,", "{The Phasor developers}", "@misc{gu2025deconstructing,", "2505.13027"});
  EXPECT_EQ(text.find("su2021roformer"), std::string::npos);
}

TEST(CiteCommand, CitesEncodings) {
  const std::string text = cited({"rope(factor=4,original=64,scaling=yarn)+bias(\"-abs(d)\")"});
  expect_words(text,
               {"@misc{phasor,", "% rope(scaling=yarn,factor=4,original=64)+bias(\"-abs(d)\")\n@misc{su2021roformer,",
                "@misc{peng2023yarn,", "% Without a paper of their own: bias."});
  EXPECT_EQ(text.find("2505.13027"), std::string::npos) << "an encoding alone is not the paper's";
  const Json json = Json::parse(cited({"alibi", "--json"}));
  EXPECT_EQ(json["program"]["title"], "Phasor: a laboratory for positional encodings in Transformers");
  ASSERT_EQ(json["references"].size(), 1u);
  EXPECT_EQ(json["references"][0]["arxiv"], "2108.12409");
  EXPECT_EQ(json["references"][0]["authors"][0], "Press, Ofir");
  EXPECT_EQ(json["references"][0]["cited_for"], Json{"alibi"});
}

TEST(CiteCommand, CitesWhatARunOrAStudyUses) {
  const TemporaryFolder folder;
  const std::string run = train_tiny(folder / "run", {"--encoding", "t5"}).string();
  EXPECT_NE(cited({run}).find("@misc{raffel2019exploring,"), std::string::npos);
  EXPECT_EQ(cited({run}).find("2505.13027"), std::string::npos);
  const std::string study = folder / "study";
  const Outcome made = phasor_command(Arguments{"study", "quick", "--encodings", "rope", "alibi", "--seeds", "1",
                                                "--protocol", "released", "--out", study} +
                                      tiny_settings());
  ASSERT_EQ(made.code, 0) << made.err;
  expect_words(cited({study}), {"% the protocol released\n@misc{gu2025deconstructing", "% rope\n@misc{su2021roformer,",
                                "% alibi\n@misc{press2021train,"});
}

TEST(CiteCommand, SaysWhatItCannotCite) {
  const TemporaryFolder folder;
  expect_error(phasor_command({"cite", "roep"}), 2, {"did you mean 'rope'?"});
  expect_error(phasor_command({"cite", folder.path().string()}), 2, {"neither a study nor a run"});
  expect_error(phasor_command({"cite", "runs/nope"}), 2, {"'runs/nope'", "neither a study nor a run"});
}

// The value of a top-level key of CITATION.cff, without quotes.
std::string citation(const std::string& file, const std::string& key) {
  const size_t at = ("\n" + file).find("\n" + key + ": ");
  if (at == std::string::npos) return "";
  std::string value = file.substr(at + key.size() + 2, file.find('\n', at) - at - key.size() - 2);
  if (value.size() > 1 && value.front() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

TEST(CitationFile, SaysWhatTheProgramSays) {
  const std::string file = read_file(fs::path(fixtures_folder()) / "../../CITATION.cff");
  const Json program = Json::parse(cited({"--json"}))["program"];
  EXPECT_EQ(citation(file, "cff-version"), "1.2.0");
  EXPECT_EQ(citation(file, "version"), program["version"].get<std::string>()) << "as CMakeLists.txt has it";
  EXPECT_EQ(citation(file, "title"), program["title"].get<std::string>());
  EXPECT_EQ(citation(file, "license"), program["licence"].get<std::string>());
  expect_words(file, {"  - name: \"The Phasor developers\"", "arxiv.org/abs/2505.13027"});
}

}  // namespace cite_test
}  // namespace phasor
