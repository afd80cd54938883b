#include "phasor/report/report_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "phasor/study/carry_out/head_curves.h"
#include "study/records.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace report_data_test {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using namespace testing_support;

class ReportData : public testing::Test {
 protected:
  ReportData() {
    results_.cells = {cell_runs(kRope, {0.4, 0.9}), {.cell = kAlibi, .planned = 1}};
    std::vector<RunRecord>& runs = results_.cells[0].runs;
    runs[0].converged = false;
    runs[0].curve = {{.step = 0, .gradient_norm = 0.0, .test_loss = 3.0},
                     {.step = 50, .learning_rate = 1e-3, .gradient_norm = 2.0, .test_loss = 2.5}};
    runs[1].curve = {{.step = 50, .learning_rate = 2e-3, .gradient_norm = std::nan(""), .test_loss = 1.5}};
    const HeadCurves head{.layer = 1,
                          .head = 2,
                          .singular = {3.0, 1.0},
                          .eigenvalues = {{0.5, -0.25}},
                          .kernel = {-1.0, 0.0, 1.0},
                          .shares = {.content_content = 0.75, .bias = 0.25},
                          .contraction = 0.9};
    fs::create_directories(folder(runs[1]));
    write_head_curves({.tokens = 2, .heads = {head}}, folder(runs[1]) / kHeadCurvesFile);
    std::ofstream(folder(runs[1]) / "config.json") << R"({"task": {"name": "distance"}})";
  }

  fs::path folder(const RunRecord& run) const { return temporary_ / run.id; }

  Json data() const {
    return report_data({.kind = "study",
                        .folder = "mine",
                        .repeat = "phasor study",
                        .report = "phasor report mine",
                        .run_folder = [this](const RunRecord& run) { return folder(run); }},
                       results_, {{"format", "x"}});
  }

  TemporaryFolder temporary_;
  StudyResults results_;
};

TEST_F(ReportData, HasAnEntryForEveryCell) {
  const Json json = data();
  EXPECT_EQ(json["format"], "phasor report 2");
  EXPECT_EQ(json["kind"], "study");
  EXPECT_EQ(json["summary"]["format"], "x");
  EXPECT_EQ(json["commands"]["repeat"], "phasor study");
  ASSERT_EQ(json["cells"].size(), 2u);
  for (const auto& [member, value] : json["cells"][1].items()) EXPECT_TRUE(value.is_null()) << member << ": no run";
}

TEST_F(ReportData, TheFirstConvergedRunStandsForItsCell) {
  const Json cell = data()["cells"][0];
  EXPECT_EQ(cell["head_curves"]["seed"], 1);
  EXPECT_EQ(cell["config"]["task"]["name"], "distance");
  EXPECT_NE(cell["command"].get<std::string>().find("rope-1/config.json"), std::string::npos);
  const Json head = cell["head_curves"]["heads"][0];
  EXPECT_EQ(head["layer"], 1);
  EXPECT_EQ(head["singular"], Json({3.0, 1.0}));
  EXPECT_TRUE(head["singular_plain"].is_null());
  EXPECT_EQ(head["eigenvalues"], Json::parse("[[0.5,-0.25]]"));
  EXPECT_EQ(head["kernel"]["distance"], Json({-1, 0, 1}));
  EXPECT_EQ(head["shares"]["bias"], 0.25);
  results_.cells[0].runs[1].converged = false;
  EXPECT_TRUE(data()["cells"][0]["head_curves"].is_null()) << "the first run has no such file";
}

TEST_F(ReportData, TelemetryIsByStepWithMeansAndIntervals) {
  const Json telemetry = data()["cells"][0]["telemetry"];
  EXPECT_EQ(telemetry["steps"], Json({0, 50}));
  EXPECT_EQ(telemetry["test_loss"]["seeds"], Json::parse("[[3.0,2.5],[null,1.5]]"));
  EXPECT_EQ(telemetry["test_loss"]["mean"], Json({3.0, 2.0}));
  EXPECT_TRUE(telemetry["test_loss"]["low"][0].is_null()) << "of one run";
  EXPECT_EQ(telemetry["test_loss"]["low"][1], 0.0) << "a loss is not below 0";
  EXPECT_NEAR(telemetry["test_loss"]["high"][1].get<double>(), 2.0 + 12.706 * 0.5, 1e-3) << "Student's t";
  EXPECT_EQ(telemetry["gradient_norm"]["seeds"], Json::parse("[[0.0,2.0],[null,null]]")) << "no number is null";
  EXPECT_EQ(telemetry["gradient_norm"]["mean"], Json({0.0, 2.0}));
  EXPECT_EQ(telemetry["learning_rate"], Json({0.0, 1e-3}));
}

TEST_F(ReportData, HeadCurvesHaveMeansOverHeads) {
  const fs::path file = folder(results_.cells[0].runs[1]) / kHeadCurvesFile;
  const auto head = [](int64_t layer, double singular, double content) {
    return HeadCurves{.layer = layer,
                      .singular = {singular},
                      .kernel = {0.0},
                      .shares = {.content_content = content, .bias = 1.0 - content}};
  };
  write_head_curves({.tokens = 1, .heads = {head(0, 1.0, 0.5), head(0, 3.0, 1.0), head(1, 5.0, 0.0)}}, file);
  const Json curves = data()["cells"][0]["head_curves"];
  EXPECT_EQ(curves["largest_singular"], 3.0);
  EXPECT_EQ(curves["shares"]["content_content"], 0.5);
  EXPECT_EQ(curves["layer_shares"][0]["shares"]["content_content"], 0.75);
  EXPECT_EQ(curves["layer_shares"][1]["layer"], 1);
  EXPECT_EQ(curves["layer_shares"][1]["shares"]["bias"], 1.0);
}

TEST_F(ReportData, DamagedFilesAreLeftOut) {
  const fs::path run = folder(results_.cells[0].runs[1]);
  std::ofstream(run / kHeadCurvesFile) << "{";
  std::ofstream(run / "config.json") << "[1,";
  const Json cell = data()["cells"][0];
  EXPECT_TRUE(cell["head_curves"].is_null());
  EXPECT_TRUE(cell["config"].is_null());
}

}  // namespace report_data_test
}  // namespace phasor
