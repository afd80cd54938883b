// phasor spectrum: its sources, its files, and what it refuses.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/tiny_run.h"
#include "spectrum/foreign_file.h"
#include "support/paths.h"

namespace phasor {
namespace spectrum_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json spectrum_json(const Arguments& more) {
  const Outcome outcome = phasor_command(Arguments{"spectrum"} + more + Arguments{"--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

std::string verdict(const Json& json, const std::string& name) {
  for (const Json& check : json.at("checks")) {
    if (check.at("name") == name) return check.at("verdict");
  }
  return "absent";
}

void expect_lines_within(const std::string& text, size_t columns) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    EXPECT_LE(end - begin, columns) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(SpectrumCommand, OfRopeAloneHasTheRankOfItsWidthAndNoTheoremOnContraction) {
  const Json json = spectrum_json({"encoding", "rope", "--length", "40", "--samples", "2"});
  EXPECT_EQ(json.at("format"), "phasor spectrum 1");
  ASSERT_EQ(json.at("heads").size(), 4u);
  for (const Json& head : json.at("heads")) {
    EXPECT_EQ(head.at("numerical_rank").at("most"), 16.0);
    EXPECT_EQ(head.at("sequences"), 2);
    EXPECT_TRUE(head.at("bias_expansion").is_null());
  }
  EXPECT_EQ(verdict(json, "Schur, largest eigenvalue"), "does not apply");
  EXPECT_EQ(verdict(json, "sum over frequencies"), "holds");
  EXPECT_EQ(verdict(json, "Szego, rotations"), "does not apply");
}

TEST(SpectrumCommand, OfAlibiWithSharedContentIsAllDistance) {
  const Json json = spectrum_json({"encoding", "alibi", "--length", "40", "--content", "shared", "--samples", "1"});
  for (const Json& head : json.at("heads")) {
    EXPECT_NEAR(head.at("relative_r2").at("mean").get<double>(), 1.0, 1e-9);
    EXPECT_EQ(head.at("contraction").at("mean"), 1.0);
  }
  EXPECT_EQ(verdict(json, "Weyl, singular values"), "holds");
  EXPECT_EQ(verdict(json, "Szego, bias"), "does not apply");
  EXPECT_EQ(verdict(spectrum_json({"encoding", "bias(\"exp(-abs(d))\")", "--length", "40"}), "Szego, bias"), "holds");
}

TEST(SpectrumCommand, OfOneFrequencyWithPsdContent) {
  const Json json = spectrum_json({"encoding", "rope(frequencies=\"0.3\")", "--length", "40", "--content", "psd"});
  EXPECT_EQ(verdict(json, "one frequency, complex Gram"), "holds");
  EXPECT_EQ(verdict(json, "Schur, largest eigenvalue"), "does not apply");
}

TEST(SpectrumCommand, TableAndJsonSayTheSame) {
  const Arguments words = {"encoding", "rope[heads=0-1]+alibi[heads=2]", "--length", "32", "--samples", "3"};
  const Outcome table = phasor_command(Arguments{"spectrum"} + words);
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(table.err, "");
  expect_lines_within(table.out, 100);
  const Json json = spectrum_json(words);
  for (const Json& head : json.at("heads")) {
    expect_words(table.out, {fmt::format("{:.2f}", head.at("spectral_norm").at("mean").get<double>()),
                             fmt::format("{:.3f}", head.at("stable_rank").at("mean").get<double>()),
                             fmt::format("{:.3f}", head.at("split").at("residual").at("mean").get<double>())});
  }
  for (const Json& check : json.at("checks")) {
    const std::string name = check.at("name"), said = check.at("verdict");
    expect_words(table.out, {fmt::format("{:<27} {}", name, said)});
  }
}

TEST(SpectrumCommand, SeparationDecidesItsClaims) {
  const Json json = spectrum_json({"separation", "--length", "12", "--head-width", "8"}).at("separation");
  EXPECT_EQ(json.at("rows").size(), 15u);
  EXPECT_EQ(json.at("seeds"), 5);
  for (const Json& claim : json.at("claims")) {
    const std::string text = claim.at("claim");
    // A table of biases separates with all it may spend, a slope only the nearest.
    if (text == "best margin: rope > relative, content fixed") {
      EXPECT_EQ(claim.at("verdict"), "violated");
    }
    if (text == "best margin: rope > relative, content decides") {
      EXPECT_EQ(claim.at("verdict"), "holds");
    }
    if (text == "best margin: rope > alibi, content fixed") {
      EXPECT_EQ(claim.at("verdict"), "holds");
    }
  }
  const Outcome table = phasor_command({"spectrum", "separation", "--length", "12", "--head-width", "8"});
  EXPECT_EQ(table.code, 0);
  expect_lines_within(table.out, 100);
  expect_words(table.out, {"content varied", "content decides", "rope > relative", "violated"});
}

// --- Files ------------------------------------------------------------------------------------------------------

TEST(SpectrumCommand, OfARunWritesFilesThatLoadBack) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run", {"--encoding", "rope", "--set", "train.snapshots=0"});
  const Outcome outcome = phasor_command({"spectrum", run.string()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_words(outcome.out, {"means over 32 test samples", "mean 1", "assumptions", "theorems", "spectrum.json"});
  expect_words(outcome.err, {"2 layers of 2 heads"});
  expect_lines_within(outcome.out, 100);
  expect_no_partial_files(run);

  const Json json = Json::parse(read_file(run / "spectrum.json"));
  ASSERT_EQ(json.at("measures").size(), 4u);
  ASSERT_EQ(json.at("layer_means").size(), 2u);
  ASSERT_EQ(json.at("heads").size(), 4u);
  double mean = 0.0;
  for (int head : {0, 1}) mean += json["measures"][static_cast<size_t>(head)]["contraction"].get<double>() / 2.0;
  EXPECT_NEAR(json["layer_means"][0]["contraction"].get<double>(), mean, 1e-12);
  double shares = 0.0;
  for (const auto& [name, share] : json["measures"][3]["shares"].items()) {
    if (name != "decoupled") shares += share.get<double>();
  }
  EXPECT_NEAR(shares, 1.0, 1e-9);

  const SafetensorsFile arrays = SafetensorsFile::open(run / "spectrum.safetensors");
  EXPECT_EQ(arrays.metadata().at("format"), "phasor spectrum 1");
  const int64_t n = json["source"]["n"];
  const int64_t k = std::min<int64_t>(n, 8);
  const auto values = arrays.data<double>("singular_values");
  EXPECT_GE(arrays.tensor("singular_values").shape[2], k);
  EXPECT_EQ(values[0], json["heads"][0]["spectral_norm"]["mean"].get<double>());
  EXPECT_EQ(arrays.tensor("kernels").shape, (TensorShape{2, 2, 2 * n - 1}));
  EXPECT_EQ(arrays.tensor("numerical_range").shape, (TensorShape{2, 2, 64, 2}));
  EXPECT_EQ(arrays.tensor("eigenvalues").shape[3], 2);
  EXPECT_EQ(arrays.tensor("symbols").shape[2], arrays.tensor("symbol_frequencies").shape[0]);
  double radius = 0.0;
  const auto boundary = arrays.data<double>("numerical_range");
  for (size_t i = 0; i < 64; ++i) radius = std::max(radius, std::hypot(boundary[2 * i], boundary[2 * i + 1]));
  EXPECT_NEAR(radius, json["heads"][0]["first"]["numerical_radius"].get<double>(), 0.01 * radius);

  // A snapshot has files of its own, and the same command gives the same bytes.
  const std::string before = read_file(run / "spectrum.json");
  ASSERT_EQ(phasor_command({"spectrum", run.string(), "--step", "0"}).code, 0);
  ASSERT_EQ(phasor_command({"spectrum", run.string()}).code, 0);
  EXPECT_EQ(read_file(run / "spectrum.json"), before);
  EXPECT_EQ(Json::parse(read_file(run / "spectrum_step_000000.json")).at("source").at("step"), 0);
}

// Members of objects, at any depth.
void collect_members(const Json& json, std::set<std::string>& names) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object()) names.insert(key);
    if (value.is_structured()) collect_members(value, names);
  }
}

TEST(SpectrumCommand, EveryMemberAndArrayIsInTheDocument) {
  const std::string text = read_file(fs::path(fixtures_folder()) / "../../docs/formats.md");
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "run", {"--encoding", "rope+alibi"});
  ASSERT_EQ(phasor_command({"spectrum", run.string()}).code, 0);
  std::set<std::string> names;
  collect_members(Json::parse(read_file(run / "spectrum.json")), names);
  collect_members(spectrum_json({"encoding", "rope", "--length", "16"}), names);
  collect_members(spectrum_json({"separation", "--length", "4", "--seeds", "1"}), names);
  testing_support::ForeignFile file;
  file.add("queries", {2, 8, 4}).add("keys", {2, 8, 4}, 1.0, 1);
  collect_members(spectrum_json({"queries", file.path().string()}), names);
  for (const std::string& name : SafetensorsFile::open(run / "spectrum.safetensors").names()) names.insert(name);
  for (const std::string& name : names) {
    const bool found = text.find(fmt::format("`{}`", name)) != std::string::npos ||
                       text.find(fmt::format(".{}`", name)) != std::string::npos;
    EXPECT_TRUE(found) << name;
  }
}

TEST(SpectrumCommand, ExportedQueriesGiveTheNumbersOfTheRun) {
  const TemporaryFolder folder;
  int number_of_run = 0;
  for (const char* encoding : {"rope", "alibi", "rope+scale(\"1+i/4\")[heads=1]"}) {
    const std::string stem = fmt::format("run{}", ++number_of_run);
    const fs::path run = train_tiny(folder / stem, {"--encoding", encoding});
    const fs::path inside = folder / fmt::format("{}.safetensors", stem);
    ASSERT_EQ(phasor_command({"export", run.string(), "--samples", "32", "--tensors", "queries,keys,logits", "--out",
                              inside.string()})
                  .code,
              0);
    const Json exported = spectrum_json({"queries", inside.string(), "--layer", "1", "--samples", "32"});
    const Json own = spectrum_json({run.string(), "--samples", "32"});
    EXPECT_EQ(exported.at("source").at("bias"), std::string(encoding) == "alibi");
    for (size_t h = 0; h < 2; ++h) {
      const Json& mine = own["measures"][2 + h];
      const Json& theirs = exported["heads"][h];
      const auto number = [&](const char* name) { return theirs[name]["mean"].get<double>(); };
      EXPECT_NEAR(number("spectral_norm"), mine["spectral_norm"].get<double>(), 1e-4 * number("spectral_norm"));
      EXPECT_NEAR(number("contraction"), mine["contraction"].get<double>(), 1e-4);
      EXPECT_NEAR(number("relative_r2"), mine["relative_r2"].get<double>(), 1e-3);
    }
  }
}

// --- Queries and keys from elsewhere ----------------------------------------------------------------------------

TEST(SpectrumQueries, OfGroupedHeadsAndSeveralSamples) {
  testing_support::ForeignFile file;
  file.add("queries", {3, 4, 20, 6}).add("keys", {3, 2, 20, 6}, 1.0, 1).say("scale", "0.5");
  const std::string path = file.path().string();
  const std::string out = (file.folder() / "out").string();
  const Json json = spectrum_json({"queries", path, "--samples", "2", "--out", out});
  EXPECT_EQ(json["source"]["scale"], 0.5);
  EXPECT_EQ(json["source"]["samples"], 2);
  EXPECT_EQ(json["source"]["samples_in_file"], 3);
  ASSERT_EQ(json["heads"].size(), 4u);
  EXPECT_TRUE(json["heads"][0]["contraction"].is_null());
  EXPECT_EQ(verdict(json, "Ando, Horn and Johnson"), "does not apply");
  Json written = Json::parse(read_file(out + "/spectrum.json"));
  written.erase("xxh64");
  EXPECT_EQ(written, json);
  EXPECT_EQ(SafetensorsFile::open(out + "/spectrum.safetensors").tensor("singular_values").shape[1], 4);
  EXPECT_EQ(spectrum_json({"queries", path, "--scale", "1"})["heads"][0]["spectral_norm"]["count"], 3);
}

// What an export has from before rotation, turned by the run's own encoding, is what it has from behind it.
TEST(SpectrumQueries, PlainOnesCanBeTriedUnderAnEncoding) {
  const TemporaryFolder folder;
  const fs::path run = train_tiny(folder / "rope", {"--encoding", "rope"});
  const std::string inside = folder / "rope.safetensors";
  ASSERT_EQ(
      phasor_command({"export", run.string(), "--samples", "8", "--tensors", "queries,keys", "--out", inside}).code, 0);
  const auto norm = [&](const Arguments& more) {
    const Json json = spectrum_json(Arguments{"queries", inside, "--layer", "1"} + more);
    return json["heads"][1]["spectral_norm"]["mean"].get<double>();
  };
  EXPECT_NEAR(norm({"--encoding", "rope"}), norm({}), 1e-4 * norm({}));
  EXPECT_GT(std::abs(norm({"--encoding", "rope(base=100)"}) - norm({})), 1e-4 * norm({}));
  EXPECT_GT(std::abs(norm({"--encoding", "rope", "--positions", "0:4"}) - norm({})), 1e-4 * norm({}));
  const Json source = spectrum_json({"queries", inside, "--encoding", "rope", "--positions", "2:4"})["source"];
  EXPECT_EQ(source["encoding"], "rope");
  EXPECT_EQ(source["positions"]["step"], 4);
  const Outcome text =
      phasor_command({"spectrum", "queries", inside, "--layer", "1", "--encoding", "rope", "--causal"});
  expect_words(text.out, {"layer 1 of layers 0 to 1", "with rope:", "queries_plain and keys_plain",
                          "all columns masked", " unmasked"});
  expect_error(phasor_command({"spectrum", "queries", inside, "--positions", "0:4"}), 2, {"--encoding"});
  expect_error(phasor_command({"spectrum", "queries", inside, "--encoding", "sinusoidal"}), 2,
               {"adds to the embeddings"});
  expect_error(phasor_command({"spectrum", "queries", inside, "--encoding", "rope", "--positions", "0:0"}), 2,
               {"--positions", "1"});
}

TEST(SpectrumQueries, OfAFileWithPlainOnesAlone) {
  testing_support::ForeignFile file;
  file.add("queries_plain", {2, 12, 4}).add("keys_plain", {2, 12, 4}, 1.0, 1);
  const std::string path = file.path().string();
  const Outcome turned = phasor_command({"spectrum", "queries", path, "--encoding", "rope"});
  EXPECT_EQ(turned.code, 0) << turned.err;
  expect_error(phasor_command({"spectrum", "queries", path}), 1, {"no tensor 'queries'"});
}

TEST(SpectrumEncoding, SaysThatContractionHasTheAttentionFactor) {
  const Outcome yarn =
      phasor_command({"spectrum", "encoding", "rope(scaling=yarn,factor=4,original=8)", "--length", "16"});
  expect_words(yarn.out, {"are times 1.296, the square of the attention factor"});
}

TEST(SpectrumQueries, OfTheOtherLayout) {
  testing_support::ForeignFile file;
  file.add("queries", {20, 4, 6}).add("keys", {20, 2, 6}, 1.0, 1);
  const std::string path = file.path().string();
  expect_error(phasor_command({"spectrum", "queries", path}), 1, {"--layout n,heads,width"});
  const Json json = spectrum_json({"queries", path, "--layout", "n,heads,width"});
  EXPECT_EQ(json["heads"].size(), 4u);
  EXPECT_EQ(json["source"]["n"], 20);
  expect_error(phasor_command({"spectrum", "queries", path, "--layout", "nhd"}), 2, {"--layout nhd", "n,heads,width"});
  const Outcome noted = phasor_command({"spectrum", "queries", path, "--layout", "n,heads,width"});
  expect_words(noted.out, {"one layer, which the file does not name", "all columns unmasked"});
  testing_support::ForeignFile swapped;
  swapped.add("queries", {20, 4, 6}).add("keys", {20, 4, 6}, 1.0, 1);
  expect_words(phasor_command({"spectrum", "queries", swapped.path().string()}).err,
               {"20 heads of 4 positions", "add --layout n,heads,width"});
}

TEST(SpectrumQueries, SayWhichTensorIsWrong) {
  testing_support::ForeignFile lacking;
  lacking.add("q", {2, 8, 4}).add("keys", {2, 8, 4});
  expect_error(phasor_command({"spectrum", "queries", lacking.path().string()}), 1,
               {"mine.safetensors", "no tensor 'queries'", "keys, q"});
  testing_support::ForeignFile beyond;
  beyond.add<double>("queries", {1, 6, 4}, 1e200).add<double>("keys", {1, 6, 4}, 1e200, 1);
  expect_error(phasor_command({"spectrum", "queries", beyond.path().string()}), 1,
               {"mine.safetensors", "head 0", "range"});
}

TEST(SpectrumCommand, RefusesWrongCalls) {
  const auto refused = [](const Arguments& words, std::initializer_list<std::string_view> expected) {
    expect_error(phasor_command(Arguments{"spectrum"} + words), 2, expected);
  };
  refused({}, {"RUN", "encoding", "queries", "separation", "correlate", "match"});
  refused({"encoding"}, {"EXPRESSION"});
  refused({"encoding", "roep"}, {"rope"});
  refused({"encoding", "rope", "--content", "gaussan"}, {"--content", "gaussian"});
  refused({"encoding", "rope", "--length", "1"}, {"--length", "2"});
  refused({"encoding", "rope", "--length", "100000"}, {"--length", "2 to 2048"});
  refused({"encoding", "rope", "--scale", "2"}, {"no option --scale"});
  refused({"encoding", "rope", "--layer", "2"}, {"--layer", "0 to 1"});
  refused({"encoding", "rope", "--samples", "0"}, {"--samples"});
  refused({"encoding", "rope", "--samples", "many"}, {"--samples", "many"});
  refused({"encoding", "rope", "--head-width", "7"}, {"rope"});
  refused({"separation", "--content", "psd"}, {"no option --content"});
  refused({"separation", "--head-width", "6"}, {"multiple of 4"});
  refused({"somewhere", "else"}, {"else"});
  // What these were called before.
  refused({"--encoding", "rope", "--length", "40"}, {"phasor spectrum encoding EXPRESSION"});
  refused({"--queries", "x.safetensors"}, {"phasor spectrum queries FILE"});
  refused({"--separation", "--length", "12"}, {"phasor spectrum separation"});
  refused({"--correlate", "runs"}, {"phasor spectrum correlate FOLDER"});
  refused({"runs/x", "--match", "rope"}, {"phasor spectrum match RUN EXPRESSION"});
  refused({"queries", "x.safetensors", "--scale", "0"}, {"--scale"});
  expect_error(phasor_command({"spectrum", "queries", "missing.safetensors"}), 1, {"missing.safetensors"});
  expect_error(phasor_command({"spectrum", "encoding", "rope", "--out", "/dev/null/x"}), 1, {"/dev/null/x"});
}

}  // namespace spectrum_test
}  // namespace phasor
