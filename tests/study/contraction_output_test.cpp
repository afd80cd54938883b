#include "phasor/study/summary/contraction_output.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/temporary_folder.h"

namespace phasor {
namespace contraction_output_test {

using Json = nlohmann::ordered_json;

RunFacts facts(const char* encoding, double scale, uint64_t seed, double level) {
  RunFacts run;
  run.folder = std::string("runs/") + encoding;
  run.encoding = encoding;
  run.logit_scale = scale;
  run.seed = seed;
  run.converged = seed == 0;
  run.test_accuracy = 0.01 * level;
  run.start = {
      .contraction = level, .product_norm = 10 + level, .spectral_norm = 20 + level, .stable_rank = 30 + level};
  run.end = {.contraction = 2 * level, .product_norm = 40 + level, .spectral_norm = 5.0, .stable_rank = 6.0};
  run.gradient_variation = 50 + level;
  run.loss_area = 60 + level;
  run.loss_spikes = 70 + level;
  return run;
}

ContractionStudy one_correlation() {
  ContractionCorrelation found{.cause = "sigma_1 of products", .effect = "loss area"};
  found.within.estimate = 0.25;
  found.within.low = -0.5;
  found.within.high = 0.75;
  found.test.p = 0.125;
  found.holm = 0.375;
  found.runs = 12;
  found.between = -0.9;
  found.between_p = 0.0625;
  found.verdict = ContractionVerdict::contradicted;
  ContractionStudy study;
  study.correlations.push_back(found);
  return study;
}

ScaleIntervention intervention() {
  ScaleIntervention found{.encoding = "rope", .effect = "loss area"};
  found.scale = 0.5;
  found.norm_before = 4.0;
  found.norm_after = 2.0;
  found.change.estimate = -0.25;
  found.change.low = -0.5;
  found.change.high = -0.125;
  found.test.p = 0.03125;
  found.test.smallest_p = 0.015625;
  found.holm = 0.0625;
  found.verdict = ContractionVerdict::holds;
  return found;
}

std::string line_with(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return "";
  const size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(ContractionOutput, GroupsRunsByEncodingAndScale) {
  const std::vector<RunFacts> runs = {facts("rope", 1.0, 0, 2.0), facts("alibi", 1.0, 0, 3.0),
                                      facts("rope", 0.5, 0, 5.0), facts("rope", 1.0, 1, 4.0)};
  const std::string text = contraction_text(runs, one_correlation());
  // Two runs at 2 and 4: mean 3, deviation sqrt(2), whatever is added to both.
  const std::string both = line_with(text, "rope   ");
  expect_words(both, {"   2 ", " 3.000+-1.414", "13.000+-1.414", "43.000+-1.414", "53.000+-1.414", "63.000+-1.414",
                      "0.030+-0.014"});
  const std::string scaled = line_with(text, "rope scale 0.5");
  expect_words(scaled, {"   1 ", " 5.000", "15.000", "45.000", "55.000", "65.000"});
  EXPECT_EQ(scaled.find("+-"), std::string::npos) << "one run has no deviation: " << scaled;
  EXPECT_LT(text.find("alibi"), text.find("rope"));
}

TEST(ContractionOutput, SaysWhatSeedsAndScalesShow) {
  const std::vector<RunFacts> runs = {facts("rope", 1.0, 0, 2.0), facts("rope", 1.0, 1, 4.0)};
  ContractionStudy study = one_correlation();
  std::string text = contraction_text(runs, study);
  expect_words(line_with(text, "~ loss area"),
               {"sigma_1 of products", "+0.25 (-0.50 to +0.75)", "12 runs", "p 0.125", "adjusted 0.375: contradicted"});
  expect_words(text, {"between encodings -0.90, p 0.062", "No runs with another model.logit_scale"});
  study.interventions.push_back(intervention());
  text = contraction_text(runs, study);
  EXPECT_EQ(text.find("No runs with another"), std::string::npos);
  expect_words(line_with(text, "sigma_1 4.00 -> 2.00"),
               {"rope", "loss area", "-0.250 (-0.500 to -0.125)", "p 0.031", "adjusted 0.062: holds"});
  // A cause that no seed moves has no correlation, and none is made up.
  study.correlations[0].within.estimate = std::numeric_limits<double>::quiet_NaN();
  expect_words(line_with(contraction_text(runs, study), "~ loss area"), {"the same for every seed"});
  study = one_correlation();
  study.correlations[0].runs = 0;
  expect_words(line_with(contraction_text(runs, study), "~ loss area"), {"the same for every seed"});
}

TEST(ContractionOutput, JsonHasEveryNumberUnderItsName) {
  ContractionStudy study = one_correlation();
  study.interventions.push_back(intervention());
  const Json json = contraction_json({facts("rope", 0.5, 3, 2.0)}, study);
  EXPECT_EQ(
      json.at("runs").at(0),
      Json::parse(R"({"folder": "runs/rope", "encoding": "rope", "logit_scale": 0.5, "seed": 3, "converged": false,
                            "test_accuracy": 0.02,
                            "start": {"contraction": 2.0, "product_norm": 12.0, "spectral_norm": 22.0, "stable_rank": 32.0},
                            "end": {"contraction": 4.0, "product_norm": 42.0, "spectral_norm": 5.0, "stable_rank": 6.0},
                            "gradient_variation": 52.0, "loss_area": 62.0, "loss_spikes": 72.0})"));
  EXPECT_EQ(json.at("correlations").at(0),
            Json::parse(R"({"cause": "sigma_1 of products", "effect": "loss area", "runs": 12, "within": 0.25,
                            "within_low": -0.5, "within_high": 0.75, "p": 0.125, "adjusted_p": 0.375, "between": -0.9,
                            "between_p": 0.0625, "verdict": "contradicted"})"));
  EXPECT_EQ(json.at("interventions").at(0),
            Json::parse(R"({"encoding": "rope", "logit_scale": 0.5, "effect": "loss area", "norm_before": 4.0,
                            "norm_after": 2.0, "change": -0.25, "change_low": -0.5, "change_high": -0.125,
                            "p": 0.03125, "smallest_p": 0.015625, "adjusted_p": 0.0625, "verdict": "holds"})"));
  study.correlations[0].within.estimate = std::numeric_limits<double>::quiet_NaN();
  study.correlations[0].within.low = -std::numeric_limits<double>::infinity();
  const Json unknown = contraction_json({}, study);
  EXPECT_TRUE(unknown.at("correlations").at(0).at("within").is_null());
  EXPECT_TRUE(unknown.at("correlations").at(0).at("within_low").is_null());
}

}  // namespace contraction_output_test
}  // namespace phasor
