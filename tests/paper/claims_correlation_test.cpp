#include <gtest/gtest.h>

#include "paper/hand_made.h"
#include "phasor/ablation/verdict_clauses.h"
#include "phasor/random/distributions.h"

namespace phasor::paper {
namespace claims_correlation_test {

// Four encodings of eight seeds. Within each, unsteadiness follows the norm before training with `slope`, beside noise.
HandMade stability_study(double slope, double noise = 0.1) {
  HandMade study;
  Draws draws({.seed = 5, .purpose = Purpose::test});
  const auto random = [&] { return (draws.below(1u << 20) + 0.5) / (1u << 20) - 0.5; };
  for (const char* encoding : {"NoPE", "Absolute", "ALiBi", "RoPE"}) {
    for (RunRecord& run : study.add(encoding, kDistance, kClean, Numbers(8, 0.9)).runs) {
      const double deviation = random();
      spectrum_of(run).start = {.contraction = 1.0, .product_norm = 5.0 + deviation};
      run.gradient_variation = 1.0 + slope * deviation + noise * random();
      run.loss_area = 0.5 + 0.1 * random();
      run.loss_spikes = static_cast<double>(draws.below(3));
    }
  }
  return study;
}

TEST(Stability, ThreeWays) {
  const auto judged = [](const HandMade& study) { return judge(study.results, "contraction_goes_with_stability"); };
  const JudgedClaim holds = judged(stability_study(1.0));
  EXPECT_EQ(holds.verdict, kHolds) << holds.reason;
  EXPECT_TRUE(contains(holds.reason, "Sigma_1 of products ~ gradient variation: +0.")) << holds.reason;
  EXPECT_EQ(holds.evidence.size(), 3u) << "contraction does not vary and is left out";
  const JudgedClaim fails = judged(stability_study(-1.0));
  EXPECT_EQ(fails.verdict, kFails) << fails.reason;
  EXPECT_TRUE(contains(fails.reason, "The other way round"));
  EXPECT_EQ(judged(stability_study(0.0)).verdict, kUndetermined) << judged(stability_study(0.0)).reason;
}

TEST(Stability, ASmallCorrelationIsARefutationToo) {
  HandMade study;
  Draws draws({.seed = 3, .purpose = Purpose::test});
  for (const char* encoding : {"NoPE", "Absolute", "ALiBi", "RoPE"}) {
    CellRuns& cell = study.add(encoding, kDistance, kClean, Numbers(200, 0.9));
    for (RunRecord& run : cell.runs) {
      spectrum_of(run).start = {.contraction = 1.0, .product_norm = 5.0 + draws.below(1000) * 1e-3};
      run.gradient_variation = draws.below(1000) * 1e-3;
      run.loss_area = draws.below(1000) * 1e-3;
      run.loss_spikes = draws.below(1000) * 1e-3;
    }
  }
  const JudgedClaim judged = judge(study.results, "contraction_goes_with_stability");
  EXPECT_EQ(judged.verdict, kFails) << judged.reason;
  EXPECT_TRUE(contains(judged.reason, "The interval of every correlation ends below 0.2")) << judged.reason;
}

TEST(Stability, EncodingsWithFewRunsAreLeftOut) {
  HandMade study = stability_study(1.0);
  for (CellRuns& cell : study.results.cells) cell.runs.resize(2);
  const JudgedClaim judged = judge(study.results, "contraction_goes_with_stability");
  EXPECT_EQ(judged.verdict, kUndetermined);
  EXPECT_TRUE(contains(judged.reason, "No encoding on distance has spectra of 3 finished runs")) << judged.reason;
  EXPECT_TRUE(judged.evidence.empty());
}

// Two encodings of five seeds whose share of the top head is as given; the area under the loss follows it.
HandMade speed_study(double slope, const Numbers& noise = {0.0, 0.0, 0.0, 0.0, 0.0}) {
  HandMade study;
  double level = 0.9;
  for (const char* encoding : {"RoPE", "Absolute"}) {
    CellRuns& cell = study.add(encoding, kDistance, kClean, Numbers(5, 0.95));
    const Numbers shares = {0.4, 0.5, 0.6, 0.7, 0.8};
    for (size_t i = 0; i < cell.runs.size(); ++i) {
      const double rest = (1.0 - shares[i]) / 3.0;
      cell.runs[i].ablation = ablation_record(Deposit::undetermined, {shares[i], rest, rest, rest});
      cell.runs[i].loss_area = level + slope * (shares[i] - 0.6) + noise[i];
    }
    level -= 0.4;
  }
  return study;
}

TEST(ConcentrationAndSpeed, ThreeWays) {
  const auto judged = [](const HandMade& study) { return judge(study.results, "concentration_goes_with_speed"); };
  const JudgedClaim holds = judged(speed_study(-0.3));
  EXPECT_EQ(holds.verdict, kHolds) << holds.reason;
  EXPECT_TRUE(contains(holds.reason, "-1.00 (95 % ")) << holds.reason;
  const JudgedClaim fails = judged(speed_study(0.3));
  EXPECT_EQ(fails.verdict, kFails);
  EXPECT_TRUE(contains(fails.reason, "The other way round")) << fails.reason;
  EXPECT_EQ(judged(speed_study(0.0, {0.1, -0.1, 0.05, -0.2, 0.12})).verdict, kUndetermined);
  EXPECT_EQ(judged(speed_study(0.0)).verdict, kUndetermined) << "nothing varies";
}

TEST(ConcentrationAndSpeed, ASmallCorrelationIsARefutationToo) {
  HandMade study;
  Draws draws({.seed = 4, .purpose = Purpose::test});
  CellRuns& cell = study.add("RoPE", kDistance, kClean, Numbers(600, 0.9));
  for (RunRecord& run : cell.runs) {
    const double share = 0.4 + draws.below(1000) * 5e-4;
    const double rest = (1.0 - share) / 3.0;
    run.ablation = ablation_record(Deposit::undetermined, {share, rest, rest, rest});
    run.loss_area = 0.5 + draws.below(1000) * 1e-4;
  }
  const JudgedClaim judged = judge(study.results, "concentration_goes_with_speed");
  EXPECT_EQ(judged.verdict, kFails) << judged.reason;
  EXPECT_TRUE(contains(judged.reason, "The interval leaves no correlation of -0.2")) << judged.reason;
}

TEST(ConcentrationAndSpeed, RunsAtTheirFloorDoNotCount) {
  HandMade study = speed_study(-0.3);
  for (RunRecord& run : study.cell("Absolute", kDistance, kClean).runs) {
    for (LayerVerdict& layer : run.ablation->position->judged.run.layers) {
      layer.clauses = {{.name = kFloorClause, .holds = false}};
    }
  }
  const JudgedClaim judged = judge(study.results, "concentration_goes_with_speed");
  EXPECT_TRUE(contains(judged.evidence[0].text, "5 runs of 1 encodings")) << judged.evidence[0].text;
}

// Three runs of one encoding have six orders, of which two are as extreme as any.
TEST(ConcentrationAndSpeed, SaysWhenRunsAreTooFew) {
  HandMade study = speed_study(-0.3);
  study.remove("Absolute", kDistance, kClean);
  keep(study.cell("RoPE", kDistance, kClean), 3);
  const JudgedClaim judged = judge(study.results, "concentration_goes_with_speed");
  EXPECT_EQ(judged.verdict, kUndetermined);
  EXPECT_TRUE(contains(judged.reason, "0.33 is the smallest p of so few runs")) << judged.reason;
}

TEST(TrainingSpectraClaim, ThreeWays) {
  const auto judged = [](const Numbers& correlations) {
    HandMade study;
    each(study.add("RoPE", kDistance, kClean, Numbers(correlations.size(), 0.9)), correlations,
         [](RunRecord& run, double value) {
           run.training = TrainingSpectra{.gradient = value, .speed = 0.1, .changes = 20};
         });
    return judge(study.results, "spectra_go_with_gradients");
  };
  EXPECT_EQ(judged({0.6, 0.7, 0.65}).verdict, kHolds);
  EXPECT_EQ(judged({-0.1, 0.0, 0.05}).verdict, kFails);
  EXPECT_EQ(judged({0.1, 0.5, 0.3}).verdict, kUndetermined);
  EXPECT_EQ(judged({0.6, 0.7}).verdict, kUndetermined);
  HandMade without;
  without.add("RoPE", kDistance, kClean, Numbers(5, 0.9));
  EXPECT_TRUE(
      contains(judge(without.results, "spectra_go_with_gradients").reason, "elemetry measured in fewer than 3"));
}

}  // namespace claims_correlation_test
}  // namespace phasor::paper
