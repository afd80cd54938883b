#include "phasor/paper/claim_difference.h"

#include <gtest/gtest.h>

#include "paper/hand_made.h"
#include "phasor/paper/claim_sample.h"

namespace phasor::paper {
namespace claim_difference_test {

const Numbers kFirst = {99.1, 98.7, 99.4, 99.0, 98.8};
const Numbers kSecond = {95.2, 97.9, 96.4, 96.0, 97.1};

ClaimSample sample(const std::string& label, const Numbers& values) { return {.label = label, .values = values}; }

Difference of(const Numbers& x, const Numbers& y, double margin = 1.0) {
  return difference(sample("x", x), sample("y", y), "points", margin);
}

// SciPy 1.10: Welch's interval by t.ppf, permutation_test over all 252 splits.
TEST(Difference, AgreesWithScipy) {
  const Difference found = of(kFirst, kSecond);
  EXPECT_NEAR(found.interval.estimate, 2.48, 1e-12);
  EXPECT_NEAR(found.interval.low, 1.2149215298229388, 1e-9);
  EXPECT_NEAR(found.interval.high, 3.745078470177069, 1e-9);
  EXPECT_NEAR(found.test.p, 0.007936507936507936, 1e-15);
  EXPECT_EQ(found.holm, found.test.p);
  const Difference wider = difference(sample("x", kFirst), sample("y", kSecond), "points", 1.0, 0.975);
  EXPECT_NEAR(wider.interval.low, 0.9097435203635063, 1e-9);
  EXPECT_EQ(wider.text(), "x - y: +2.5 points (97.5 % +0.9 to +4.1), p = 0.008");
}

TEST(Difference, MoreAndNoMore) {
  EXPECT_TRUE(of(kFirst, kSecond).is_more());
  EXPECT_FALSE(of(kFirst, kSecond).is_no_more());
  EXPECT_FALSE(of(kSecond, kFirst).is_more());
  EXPECT_TRUE(of(kSecond, kFirst).is_no_more()) << "less is no more";
  // Surely more, and surely by less than the margin: no difference of interest.
  EXPECT_FALSE(of(kFirst, kSecond, 4.0).is_more());
  EXPECT_TRUE(of(kFirst, kSecond, 4.0).is_no_more());
  // The interval reaches from below 0 to above the margin.
  const Difference open = of({90, 95, 99, 97, 92}, {91, 96, 93, 95, 94});
  EXPECT_FALSE(open.is_more() || open.is_no_more());
  // Equal everywhere: no spread, no difference.
  EXPECT_TRUE(of({99, 99, 99, 99, 99}, {99, 99, 99, 99, 99}).is_no_more());
  EXPECT_FALSE(of({99, 99, 99, 99}, {99, 99, 99, 99, 99}).is_no_more()) << "too few to be sure";
  const Difference harm = of({28, 25, 30, 26}, {99, 99.5, 100, 99, 99});
  EXPECT_TRUE(harm.is_less() && harm.is_no_more() && !harm.is_short_of_runs()) << "four against five show a harm";
  const Difference three = of({28, 25, 30}, {99, 99.5, 100});
  EXPECT_FALSE(three.is_less() || three.is_no_more()) << "three against three have no p below 0.10";
  EXPECT_TRUE(three.is_short_of_runs());
}

TEST(Difference, ThreeAgainstThreeAreTooFewForAnyTest) {
  const Difference found = of({99.0, 99.1, 99.2}, {50.0, 51.0, 52.0});
  EXPECT_FALSE(found.is_more());
  EXPECT_TRUE(found.is_too_small());
  EXPECT_EQ(too_small_text(found), "x and y have too few runs: p can be 0.10 at best");
  EXPECT_EQ(runs_needed_text(1), "at least 4 converged runs of each");
  EXPECT_EQ(runs_needed_text(5), "at least 5 converged runs of each");
  EXPECT_EQ(runs_needed_text(7), "at least 6 converged runs of each");
}

// Half the width is 4.07 of five runs each; it has to come down to 1.6, the distance from -0.6 to the margin.
TEST(Difference, SaysHowManyRunsWouldDecide) {
  Difference open = of({90, 95, 99, 97, 92}, {91, 96, 93, 95, 94});
  open.interval = {.estimate = -0.6, .low = -4.67, .high = 3.47};
  EXPECT_EQ(open.runs_to_decide_text(), "about 33 runs of each, if they scatter as these do");
  open.interval = {.estimate = 0.5, .low = -99.5, .high = 100.5};
  EXPECT_EQ(open.runs_to_decide_text(), "more than 1000 runs of each, if they scatter as these do");
}

// 2 / 252 times five is below 0.05, times seven is not.
TEST(Difference, HolmCountsWhatWasPlanned) {
  Difference found = of(kFirst, kSecond);
  adjust({&found}, 5);
  EXPECT_NEAR(found.holm, 5.0 * 2.0 / 252.0, 1e-15);
  EXPECT_TRUE(found.is_more());
  EXPECT_FALSE(found.is_too_small());
  adjust({&found}, 7);
  EXPECT_FALSE(found.is_more());
  EXPECT_TRUE(found.is_too_small());
  Difference other = of(kSecond, kFirst);
  adjust({&found, &other}, 2);
  EXPECT_NEAR(found.holm, 2.0 * 2.0 / 252.0, 1e-15);
  EXPECT_EQ(other.family, 2);
}

TEST(Difference, FiguresHaveTheDigitsOfTheirUnit) {
  EXPECT_EQ(figure(98.765, "%"), "98.8 %");
  EXPECT_EQ(signed_figure(-0.04, "points"), "0.0 points") << "what rounds to 0 has no sign";
  EXPECT_EQ(signed_figure(0.06, "points"), "+0.1 points");
  EXPECT_EQ(figure(-0.25, ""), "-0.25");
  EXPECT_EQ(figure(212.6, "steps"), "213 steps");
  EXPECT_EQ(figure(0.24931, ""), "0.249");
}

TEST(ClaimSample, TakesConvergedRunsAndNamesTheOthers) {
  HandMade study;
  CellRuns& cell = study.add("RoPE", kDistance, kClean, {0.9, 0.8, 0.7, 0.6});
  cell.runs[1].converged = false;
  cell.planned = 6;
  cell.failures.push_back({.id = "x", .cell = cell.cell, .seed = 4, .what = "it diverged"});
  const ClaimSample found = claim_sample(study.results, cell.cell, "RoPE", "accuracy",
                                         [](const RunRecord& run) { return run.test_accuracy; });
  EXPECT_EQ(found.values, (Numbers{0.9, 0.7, 0.6}));
  EXPECT_TRUE(found.decides());
  EXPECT_EQ(found.left_out, "of 6 runs of RoPE 1 did not converge, 1 failed, 1 not finished");
  cell.runs[2].converged = false;
  const ClaimSample few =
      claim_sample(study.results, cell.cell, "RoPE", "accuracy", [](const RunRecord&) { return 1.0; });
  EXPECT_FALSE(few.decides());
  EXPECT_EQ(text({few.lack}),
            "fewer than 3 converged runs: RoPE on distance (of 6 runs of RoPE 2 did not converge, 1 failed, 1 not "
            "finished)");
}

TEST(ClaimSample, MissingCellsAndNumbers) {
  HandMade study;
  const CellName name = study.add("RoPE", kDistance, kClean, about(0.5)).cell;
  const CellName other = cell_of(paper_encoding("MLA"), kDistance, kClean);
  const auto number = [](const RunRecord& run) { return run.seed < 2 ? 1.0 : std::nan(""); };
  const Lack missing = claim_sample(study.results, other, "MLA", "accuracy", number).lack;
  EXPECT_EQ(text({missing}), "not part of this study: MLA on distance");
  const ClaimSample found = claim_sample(study.results, name, "RoPE", "contraction", number);
  EXPECT_EQ(found.values.size(), 2u);
  EXPECT_EQ(text({found.lack}), "contraction measured in fewer than 3 runs: RoPE on distance");
  EXPECT_TRUE(found.left_out.empty());
  Lack alibi = missing;
  alibi.cell = "ALiBi on distance";
  EXPECT_EQ(
      text({missing, {}, alibi, found.lack, missing}),
      "not part of this study: MLA on distance, ALiBi on distance; contraction measured in fewer than 3 runs: RoPE "
      "on distance");
  EXPECT_TRUE(text(std::vector<Lack>{{}, {}}).empty());
}

}  // namespace claim_difference_test
}  // namespace phasor::paper
