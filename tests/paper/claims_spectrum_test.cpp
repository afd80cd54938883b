#include <gtest/gtest.h>

#include "paper/hand_made.h"

namespace phasor::paper {
namespace claims_spectrum_test {

HandMade contraction_study(const Numbers& before, const Numbers& after) {
  HandMade study;
  CellRuns& rope = study.add("RoPE", kDistance, kClean, Numbers(before.size(), 0.9));
  each(rope, before, [](RunRecord& run, double value) { spectrum_of(run).start.contraction = value; });
  each(rope, after, [](RunRecord& run, double value) {
    spectrum_of(run).end.contraction = value;
    spectrum_of(run).end_contractions = {value, 1.1, 0.9, 1.2};
  });
  return study;
}

TEST(Contraction, ThreeWays) {
  const auto judged = [](const Numbers& before, const Numbers& after) {
    return judge(contraction_study(before, after).results, "coupling_contracts_spectra");
  };
  EXPECT_EQ(judged(about(0.95), about(0.93)).verdict, kHolds);
  EXPECT_EQ(judged(about(0.95), about(1.05)).verdict, kFails) << "trained heads expand";
  EXPECT_EQ(judged(about(0.996), about(0.93)).verdict, kFails) << "less than 1 % before training";
  EXPECT_EQ(judged(about(0.95), {0.90, 1.02, 0.97, 1.05, 0.93}).verdict, kUndetermined);
  EXPECT_EQ(judged({0.95, 0.94}, {0.93, 0.92}).verdict, kUndetermined) << "two runs";
  EXPECT_TRUE(contains(judged(about(0.95), about(0.93)).reason,
                       "Sigma_1 with angles / without is 0.95 (95 % 0.948 to 0.952) before training and 0.93"))
      << judged(about(0.95), about(0.93)).reason;
}

TEST(Contraction, ShowsTheShareOfHeadsThatContract) {
  const JudgedClaim judged = judge(contraction_study(about(0.95), about(0.93)).results, "coupling_contracts_spectra");
  EXPECT_EQ(judged.evidence[2].what, "share of trained heads that contract, RoPE");
  EXPECT_EQ(judged.evidence[2].value, 0.5) << "two of four";
}

TEST(Contraction, RunsWithoutSpectraAreNotCounted) {
  HandMade study = contraction_study(about(0.95), about(0.93));
  for (size_t i = 0; i < 3; ++i) study.results.cells[0].runs[i].spectrum.reset();
  const JudgedClaim judged = judge(study.results, "coupling_contracts_spectra");
  EXPECT_EQ(judged.verdict, kUndetermined);
  EXPECT_TRUE(contains(judged.reason, "Contraction measured in fewer than 3 runs: RoPE on distance")) << judged.reason;
}

TEST(SolutionSpace, ThreeWays) {
  const auto verdict = [](const Numbers& rope, const Numbers& relative) {
    return judge({}, "rope_solution_space_larger", kAnyProtocol, separation_of(rope, relative)).verdict;
  };
  const Numbers relative = {0.10, 0.11, 0.12, 0.10, 0.11};
  EXPECT_EQ(verdict({0.20, 0.21, 0.22, 0.20, 0.25}, relative), kHolds);
  EXPECT_EQ(verdict({0.05, 0.11, 0.12, 0.09, 0.10}, relative), kFails);
  EXPECT_EQ(verdict({0.105, 0.115, 0.125, 0.105, 0.115}, relative), kFails) << "larger by less than a tenth";
  EXPECT_EQ(verdict({0.20, 0.09, 0.22, 0.20, 0.25}, relative), kUndetermined);
  EXPECT_EQ(verdict({0.20, 0.21, 0.22, 0.20}, {0.1, 0.1, 0.1, 0.1}), kUndetermined) << "four seeds";
}

// Of 4,000 parameters for each of four distances and five seeds.
TEST(SolutionSpace, FewHitsDecideByTheirCounts) {
  const auto judged = [](double rope, double relative) {
    return judge({}, "rope_solution_space_larger", kAnyProtocol,
                 separation_of(Numbers(5, rope / 80000.0), Numbers(5, relative / 80000.0)));
  };
  EXPECT_EQ(judged(0, 0).verdict, kUndetermined) << "no hit says nothing";
  EXPECT_EQ(judged(1, 3).verdict, kUndetermined);
  EXPECT_EQ(judged(1, 36).verdict, kFails);
  EXPECT_TRUE(contains(judged(1, 36).reason, "of 80000 random parameters 1 separate with RoPE, 36 with a relative"))
      << judged(1, 36).reason;
  EXPECT_EQ(judged(36, 1).verdict, kHolds);
}

TEST(SolutionSpace, ContentVariedMayRefuteAlone) {
  SeparationTable table = separation_of(Numbers(5, 0.2), Numbers(5, 0.1));
  table.rows[2].positive.seeds = Numbers(5, 0.05);
  table.rows[2].positive.mean = 0.05;
  EXPECT_TRUE(table.rows[2].varied);
  EXPECT_EQ(judge({}, "rope_solution_space_larger", kAnyProtocol, table).verdict, kFails);
}

HandMade interaction_study(const Numbers& absolute, const Numbers& rope) {
  HandMade study;
  const auto set = [](RunRecord& run, double value) { spectrum_of(run).stream_interaction = value; };
  each(study.add("Absolute", kDistance, kClean, Numbers(5, 0.9)), absolute, set);
  each(study.add("RoPE", kDistance, kClean, Numbers(5, 0.9)), rope, set);
  return study;
}

TEST(AdditiveStates, ThreeWays) {
  const auto judged = [](const Numbers& absolute, const Numbers& rope) {
    return judge(interaction_study(absolute, rope).results, "assumption_3_1");
  };
  EXPECT_EQ(judged(about(0.002), about(0.01)).verdict, kHolds);
  EXPECT_EQ(judged(about(0.002), about(0.20)).verdict, kFails);
  EXPECT_EQ(judged(about(0.002), {0.01, 0.09, 0.03, 0.06, 0.05}).verdict, kUndetermined);
  EXPECT_TRUE(contains(judged(about(0.002), about(0.20)).reason,
                       "0.2 (95 % 0.198 to 0.202) of the states' variance in "
                       "RoPE"))
      << judged(about(0.002), about(0.20)).reason;
}

TEST(AdditiveStates, NeedsBothAbsoluteAndRopeAndAllThatIsThere) {
  HandMade study = interaction_study(about(0.002), about(0.01));
  study.remove("Absolute", kDistance, kClean);
  EXPECT_EQ(judge(study.results, "assumption_3_1").verdict, kUndetermined);
  study = interaction_study(about(0.002), about(0.01));
  study.add("MLA", kDistance, kClean, Numbers(5, 0.9));
  EXPECT_EQ(judge(study.results, "assumption_3_1").verdict, kUndetermined) << "MLA is there, without spectra";
}

// One of eight encodings is above by chance more often: its interval is that of 99.4 %.
TEST(AdditiveStates, FailsOnlyAtALevelForAllEncodings) {
  const Numbers barely = {0.051, 0.052, 0.054, 0.051, 0.057};  // its 95 % interval begins at 0.0498
  const Numbers clear = {0.0515, 0.0525, 0.0540, 0.0515, 0.0545};
  HandMade alone = interaction_study(about(0.002), clear);
  EXPECT_EQ(judge(alone.results, "assumption_3_1").verdict, kFails);
  HandMade many = interaction_study(about(0.002), clear);
  for (const char* other : {"NoPE", "Random", "Relative", "ALiBi", "RoPE+Absolute", "MLA"}) {
    each(many.add(other, kDistance, kClean, Numbers(5, 0.9)), about(0.002),
         [](RunRecord& run, double value) { spectrum_of(run).stream_interaction = value; });
  }
  EXPECT_EQ(judge(many.results, "assumption_3_1").verdict, kUndetermined);
  EXPECT_EQ(judge(interaction_study(about(0.002), barely).results, "assumption_3_1").verdict, kUndetermined);
}

HandMade toeplitz_study(const Numbers& absolute) {
  HandMade study;
  each(study.add("Absolute", kDistance, kClean, Numbers(absolute.size(), 0.9)), absolute,
       [](RunRecord& run, double value) { spectrum_of(run).position_toeplitz = value; });
  return study;
}

TEST(Toeplitz, ThreeWays) {
  const auto verdict = [](const Numbers& r2) { return judge(toeplitz_study(r2).results, "assumption_3_2").verdict; };
  EXPECT_EQ(verdict(about(0.97)), kHolds);
  EXPECT_EQ(verdict(about(0.24)), kFails);
  EXPECT_EQ(verdict({0.80, 0.95, 0.93, 0.85, 0.97}), kUndetermined);
  EXPECT_EQ(verdict({0.97, 0.96}), kUndetermined);
}

// Gaps in shares of 1, fits in R2.
HandMade overfitting_study(double random_gap, double absolute_gap, double random_fit, double absolute_fit,
                           double spread = 0.005) {
  HandMade study;
  const auto fill = [&](const char* encoding, double gap, double fit) {
    CellRuns& cell = study.add(encoding, kDistance, kClean, Numbers(5, 0.5));
    each(cell, about(gap, spread), [](RunRecord& run, double value) { run.train_accuracy = 0.5 + value; });
    each(cell, about(fit, spread), [](RunRecord& run, double value) { spectrum_of(run).position_toeplitz = value; });
  };
  fill("Random", random_gap, random_fit);
  fill("Absolute", absolute_gap, absolute_fit);
  return study;
}

TEST(RandomOverfits, ThreeWays) {
  const auto judged = [](const HandMade& study) { return judge(study.results, "random_overfits_low_toeplitz"); };
  const JudgedClaim holds = judged(overfitting_study(0.31, 0.18, 0.05, 0.30));
  EXPECT_EQ(holds.verdict, kHolds) << holds.reason;
  EXPECT_TRUE(contains(holds.reason, "Random - Absolute: +13.0 points")) << holds.reason;
  EXPECT_TRUE(contains(holds.reason, "after Holm 0.016")) << holds.reason;
  EXPECT_EQ(judged(overfitting_study(0.10, 0.18, 0.05, 0.30)).verdict, kFails) << "gap";
  EXPECT_EQ(judged(overfitting_study(0.31, 0.18, 0.30, 0.30)).verdict, kFails) << "fit";
  EXPECT_EQ(judged(overfitting_study(0.20, 0.18, 0.05, 0.30, 0.02)).verdict, kUndetermined);
}

TEST(RandomOverfits, AtTheCeilingNoGapCanShow) {
  HandMade study = overfitting_study(0.0, 0.0, 0.05, 0.30);
  for (CellRuns& cell : study.results.cells) {
    for (RunRecord& run : cell.runs) {
      run.floors.ceiling = 1.0;
      run.train_accuracy = run.test_accuracy = 1.0;
    }
  }
  const JudgedClaim judged = judge(study.results, "random_overfits_low_toeplitz");
  EXPECT_EQ(judged.verdict, kUndetermined) << judged.reason;
  EXPECT_TRUE(contains(judged.reason, "ceiling on test samples")) << judged.reason;
}

TEST(RandomOverfits, FourRunsAreTooFewForTwoTests) {
  HandMade study = overfitting_study(0.31, 0.18, 0.05, 0.30);
  for (CellRuns& cell : study.results.cells) cell.runs.resize(4);
  const JudgedClaim judged = judge(study.results, "random_overfits_low_toeplitz");
  EXPECT_EQ(judged.verdict, kUndetermined);
  EXPECT_TRUE(contains(judged.reason, "p can be 0.057 at best after Holm over 2 comparisons")) << judged.reason;
}

}  // namespace claims_spectrum_test
}  // namespace phasor::paper
