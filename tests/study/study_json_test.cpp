#include "phasor/study/summary/study_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "study/records.h"

namespace phasor {
namespace study_json_test {

using namespace testing_support;
using Json = nlohmann::ordered_json;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Everything that can be measured, and a failure.
CellRuns full_cell() {
  CellRuns cell = cell_runs(kRope, {0.95, 0.96, 0.97, 1.0 / 3.0, 0.99});
  cell.planned = 6;
  for (size_t r = 0; r < cell.runs.size(); ++r) {
    RunRecord& run = cell.runs[r];
    run.curve = {{.step = 0, .train_accuracy = 0.1, .test_accuracy = 0.1},
                 {.step = 50, .train_accuracy = 0.9, .test_accuracy = run.test_accuracy}};
    run.lengths = {{2.0, 80, 0.5}};
    run.spectrum = SpectrumRecord{.start_contractions = {0.5, 0.6}, .end_contractions = {0.7, kNaN}};
    run.spectrum->position_toeplitz = kNaN;
    run.ablation = ablation_record(2000, run.test_accuracy, concentrated(static_cast<uint32_t>(r)));
    run.ablation->importance = even(static_cast<uint32_t>(r));
    run.ablation->removal = StreamRemoval{.layers = {{.random = {{1.0, 0.5}}}}};
    run.snapshots = {ablation_record(100, 0.3, even())};
    run.published = PublishedAblation{.baseline = 0.9, .accuracy = {{0.5, 0.9}}, .samples = 7};
  }
  cell.runs[1].steps_to_90 = 250;
  cell.runs[3].converged = false;
  cell.failures.push_back({.id = "rope-5", .cell = kRope, .seed = 5, .what = "loss is not finite"});
  return cell;
}

StudyResults full_study() {
  StudyResults results{.name = "quick", .preset = "quick", .cells = {full_cell(), cell_runs(kAlibi, {0.8, 0.9, 0.85})}};
  results.rates.push_back(
      {.cell = kRope, .rate = 1e-3, .trials = {{"a", 1e-3, 0.9, 0.2}, {"b", 3e-3, std::nullopt, std::nullopt}}});
  return results;
}

std::string text_of(const StudyResults& results) {
  return study_json_text(
      summarize(results, compare_all(results, {{kRope, kAlibi, {ComparedQuantity::test_accuracy}}})));
}

TEST(StudyJson, HasWhatAReportNeeds) {
  const Json json = Json::parse(text_of(full_study()));
  EXPECT_EQ(json.at("format"), "phasor study summary 2");
  EXPECT_EQ(json.at("study"), (Json{{"name", "quick"}, {"preset", "quick"}}));
  ASSERT_EQ(json.at("cells").size(), 2u);
  const Json& cell = json.at("cells")[0];
  EXPECT_EQ(cell.at("cell").at("encoding"), "rope");
  EXPECT_EQ(cell.at("name"), text(kRope));
  EXPECT_EQ(cell.at("planned"), 6);
  EXPECT_EQ(cell.at("unconverged"), Json({"rope-3"}));
  EXPECT_EQ(cell.at("failed"), Json({"rope-5"}));
  EXPECT_EQ(cell.at("runs")[4].at("seed"), 4);
  EXPECT_EQ(cell.at("floors").at("chance"), 0.04);
  EXPECT_EQ(cell.at("numbers").at("runs"), 5);
  EXPECT_EQ(cell.at("numbers").at("success").at("successes"), 4);
  EXPECT_EQ(cell.at("numbers").at("success").at("trials"), 6);
  EXPECT_EQ(cell.at("numbers").at("mixed"), true);
  EXPECT_EQ(cell.at("numbers").at("steps_to_90").at("values"), Json({nullptr, 250, nullptr, nullptr, nullptr}));
  EXPECT_TRUE(cell.at("numbers").at("steps_to_90").at("median").is_null());
  EXPECT_TRUE(cell.at("numbers").at("steps_to_90").at("mean").is_null());
  EXPECT_EQ(cell.at("lengths")[0].at("accuracy").at("mean"), 0.5);
  const Json& failure = json.at("failures")[0];
  EXPECT_EQ(failure.at("id"), "rope-5");
  EXPECT_EQ(failure.at("what"), "loss is not finite");
  EXPECT_EQ(json.at("rates")[0].at("rate"), 1e-3);
  EXPECT_TRUE(json.at("rates")[0].at("trials")[1].at("accuracy").is_null());
}

TEST(StudyJson, CurvesAreColumns) {
  const Json curves = Json::parse(text_of(full_study())).at("cells")[0].at("curves");
  EXPECT_EQ(curves.at("steps"), Json({0, 50}));
  EXPECT_EQ(curves.at("test_accuracy").at("mean").size(), 2u);
  ASSERT_EQ(curves.at("test_accuracy").at("seeds").size(), 5u);
  EXPECT_EQ(curves.at("test_accuracy").at("seeds")[3], Json({0.1, 1.0 / 3.0}));
  EXPECT_EQ(curves.at("train_accuracy").at("seeds")[3], Json({0.1, 0.9}));
  EXPECT_EQ(curves.at("test_accuracy").at("low")[0], 0.1);
}

TEST(StudyJson, HeadsOfEverySeed) {
  const Json cell = Json::parse(text_of(full_study())).at("cells")[0];
  const Json& position = cell.at("position");
  EXPECT_EQ(position.at("over_seeds").at("seeds"), 5);
  EXPECT_EQ(position.at("over_seeds").at("deposit").at("seeds"), 5);
  EXPECT_EQ(position.at("over_seeds").at("verdict"), "DEPOSIT");
  ASSERT_EQ(position.at("seeds").size(), 5u);
  const Json& seed = position.at("seeds")[2];
  EXPECT_EQ(seed.at("layer"), 1);
  EXPECT_EQ(seed.at("loss_drops")[1][2], 1.0);
  EXPECT_EQ(seed.at("layers")[1].at("top"), 2);
  EXPECT_EQ(seed.at("layers")[0].at("verdict"), "NOT USED");
  EXPECT_FALSE(seed.at("layers")[1].at("clauses").empty());
  EXPECT_EQ(cell.at("importance").at("over_seeds").at("spread").at("seeds"), 5);
  EXPECT_EQ(cell.at("removal")[0].at("random").at("mean"), 0.5);
  EXPECT_EQ(cell.at("snapshots")[0].at("step"), 100);
  EXPECT_EQ(cell.at("snapshots")[0].at("position").at("max_share").at("values").size(), 5u);
  EXPECT_EQ(cell.at("published")[4].at("ablation").at("samples"), 7);
  EXPECT_TRUE(Json::parse(text_of(full_study())).at("cells")[1].at("position").is_null());
}

TEST(StudyJson, ComparisonsHaveTheirEvidence) {
  const Json found = Json::parse(text_of(full_study())).at("comparisons")[0];
  EXPECT_EQ(found.at("number"), "test_accuracy");
  EXPECT_EQ(found.at("first").at("cell").at("encoding"), "rope");
  EXPECT_EQ(found.at("first").at("values"), Json({0.95, 0.96, 0.97, 1.0 / 3.0, 0.99}));
  EXPECT_EQ(found.at("first").at("unconverged"), 1);
  EXPECT_EQ(found.at("first").at("failed"), 1);
  EXPECT_EQ(found.at("first").at("mixed"), true);
  EXPECT_TRUE(found.at("permutation").is_null()) << "5 against 3";
  EXPECT_EQ(found.at("p_holm"), found.at("difference").at("p")) << "a family of one";
  EXPECT_EQ(found.at("reading"), "open");
  EXPECT_EQ(found.at("significant"), false);
  EXPECT_EQ(found.at("margin"), 0.01);
  EXPECT_NEAR(found.at("difference").at("value").get<double>(), (3.87 + 1.0 / 3.0) / 5 - 0.85, 1e-15);
  EXPECT_NE(found.at("sentence").get<std::string>().find("open: whether rope and alibi differ"), std::string::npos);
}

TEST(StudyJson, NumbersReadBackAndWhatIsUndefinedIsNull) {
  const Json cell = Json::parse(text_of(full_study())).at("cells")[0];
  EXPECT_EQ(cell.at("numbers").at("test_accuracy").at("values")[3].get<double>(), 1.0 / 3.0);
  EXPECT_EQ(cell.at("spectrum").at("position_toeplitz").at("values"),
            Json({nullptr, nullptr, nullptr, nullptr, nullptr}));
  EXPECT_TRUE(cell.at("spectrum").at("position_toeplitz").at("mean").is_null());
  EXPECT_EQ(cell.at("spectrum").at("head_contractions_end")[0], Json({0.7, nullptr}));
}

TEST(StudyJson, OnlyTimesDependOnClockAndMachine) {
  StudyResults other = full_study();
  for (CellRuns& cell : other.cells) {
    for (RunRecord& run : cell.runs) {
      run.seconds *= 1.7;
      run.device = "another machine";
    }
  }
  const std::string first = text_of(full_study()), second = text_of(other);
  EXPECT_NE(first, second);
  const size_t times = first.find("\n \"times\": ");
  ASSERT_NE(times, std::string::npos);
  EXPECT_EQ(first.substr(0, times), second.substr(0, times));
  EXPECT_EQ(first.substr(0, times).find("machine"), std::string::npos);
  const Json json = Json::parse(second);
  EXPECT_EQ(std::prev(json.end()).key(), "times");
  EXPECT_EQ(json.at("times")[0], (Json{{"id", "rope-0"}, {"seconds", 12.5 * 1.7}, {"device", "another machine"}}));
  EXPECT_EQ(json.at("times").size(), 8u);
}

TEST(StudyJson, ARunThatTwoCellsShareIsTimedOnce) {
  StudyResults results = full_study();
  results.cells.push_back(results.cells[1]);
  results.cells.back().cell.variant = "again";
  EXPECT_EQ(Json::parse(text_of(results)).at("times").size(), 8u);
}

TEST(StudyJson, HostileTextsStayTexts) {
  StudyResults results = full_study();
  results.name = "a \"quoted\"\n, name \\";
  results.cells[0].failures[0].what = "bytes \xff\xfe that are no UTF-8";
  const Json json = Json::parse(text_of(results));
  EXPECT_EQ(json.at("study").at("name").get<std::string>(), results.name);
  EXPECT_EQ(json.at("failures")[0].at("what"), "bytes \xEF\xBF\xBD\xEF\xBF\xBD that are no UTF-8");
}

TEST(StudyJson, AnEmptyStudyIsAFileToo) {
  const Json json = Json::parse(study_json_text(summarize(StudyResults{.name = "none"})));
  EXPECT_TRUE(json.at("cells").empty());
  EXPECT_TRUE(json.at("comparisons").empty());
  EXPECT_TRUE(json.at("times").is_array());
  const StudyResults no_runs{.name = "s", .cells = {{.cell = kRope, .planned = 5}}};
  const Json cell = Json::parse(study_json_text(summarize(no_runs))).at("cells")[0];
  EXPECT_TRUE(cell.at("numbers").at("test_accuracy").at("mean").is_null());
  EXPECT_TRUE(cell.at("numbers").at("success").is_null());
  EXPECT_TRUE(cell.at("floors").is_null());
}

}  // namespace study_json_test
}  // namespace phasor
