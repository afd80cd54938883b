#include "phasor/study/summary/contraction_study.h"

#include <gtest/gtest.h>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace contraction_study_test {

// Five encodings with levels of their own; within each, noise and `slope` times the norm's deviation.
std::vector<RunFacts> planted(double slope, uint64_t seed, int64_t seeds = 8) {
  std::vector<RunFacts> runs;
  Draws draws({.seed = seed, .purpose = Purpose::test});
  const auto noise = [&] { return (draws.below(1u << 20) + 0.5) / (1u << 20) - 0.5; };
  for (int e = 0; e < 5; ++e) {
    for (int64_t s = 0; s < seeds; ++s) {
      const double deviation = noise();
      RunFacts run;
      run.encoding = "encoding" + std::to_string(e);
      run.seed = static_cast<uint64_t>(s);
      run.start.contraction = 1.0;  // no angles anywhere
      run.start.product_norm = 3.0 + e + deviation;
      run.gradient_variation = 10.0 - e + slope * deviation + 0.2 * noise();
      run.loss_area = 0.5 + 0.1 * noise();
      run.loss_spikes = draws.below(4);
      runs.push_back(run);
    }
  }
  return runs;
}

const ContractionCorrelation& of_gradient(const ContractionStudy& study) { return study.correlations.at(3); }

TEST(ContractionStudy, FindsAPlantedCorrelationWithinEncodings) {
  const ContractionStudy study = study_contraction(planted(1.0, 1));
  const ContractionCorrelation& found = of_gradient(study);
  EXPECT_EQ(found.cause, "sigma_1 of products");
  EXPECT_EQ(found.effect, "gradient variation");
  EXPECT_EQ(found.runs, 40);
  EXPECT_GT(found.within.low, 0.5);
  EXPECT_EQ(found.verdict, ContractionVerdict::holds);
  // Between encodings the plant runs the other way: the two must not be mixed up.
  EXPECT_LT(found.between, -0.8);
  EXPECT_EQ(of_gradient(study_contraction(planted(-1.0, 2))).verdict, ContractionVerdict::contradicted);
}

TEST(ContractionStudy, NoiseIsUndetermined) {
  int decided = 0;
  for (uint64_t seed = 10; seed < 40; ++seed) {
    for (const ContractionCorrelation& result : study_contraction(planted(0.0, seed)).correlations) {
      decided += result.verdict == ContractionVerdict::undetermined ? 0 : 1;
    }
  }
  EXPECT_LE(decided, 6) << "30 families at 5 %: 1.5 expected, more than 6 once in a thousand";
}

TEST(ContractionStudy, WhatDoesNotVaryOverSeedsIsLeftOut) {
  const ContractionStudy study = study_contraction(planted(1.0, 1));
  EXPECT_EQ(study.correlations.at(0).cause, "contraction");
  EXPECT_EQ(study.correlations.at(0).runs, 0);
  EXPECT_EQ(study.correlations.at(0).verdict, ContractionVerdict::undetermined);
}

TEST(ContractionStudy, AnInterventionMovesWhatTheScaleCauses) {
  std::vector<RunFacts> runs = planted(0.0, 3, 5);
  const size_t before = runs.size();
  for (size_t i = 0; i < before; ++i) {
    if (runs[i].encoding != "encoding0" && runs[i].encoding != "encoding1") continue;
    RunFacts run = runs[i];
    run.logit_scale = 0.5;
    run.start.product_norm *= 0.5;
    if (run.encoding == "encoding0") run.gradient_variation -= 5.0;
    runs.push_back(run);
  }
  const ContractionStudy study = study_contraction(runs);
  ASSERT_EQ(study.interventions.size(), 4u) << "two encodings, two effects";
  EXPECT_EQ(study.interventions[0].encoding, "encoding0");
  EXPECT_EQ(study.interventions[0].verdict, ContractionVerdict::holds);
  EXPECT_NEAR(study.interventions[0].change.estimate, -5.0, 1e-9);
  EXPECT_EQ(study.interventions[0].test.p, 2.0 / 252.0);
  EXPECT_EQ(study.interventions[2].encoding, "encoding1");
  EXPECT_EQ(study.interventions[2].verdict, ContractionVerdict::undetermined);
  EXPECT_EQ(study.correlations.at(3).runs, 25) << "scaled runs are no part of the correlations";
}

TEST(ContractionStudy, OneSeedEachIsRefused) { EXPECT_THROW(study_contraction(planted(1.0, 1, 1)), UsageError); }

}  // namespace contraction_study_test
}  // namespace phasor
