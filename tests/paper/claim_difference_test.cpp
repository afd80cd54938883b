#include "phasor/paper/claim_difference.h"

#include <gtest/gtest.h>

#include "paper/hand_made.h"
#include "phasor/paper/claim_sample.h"
#include "phasor/random/distributions.h"

namespace phasor::paper {
namespace claim_difference_test {

const Numbers kFirst = {99.1, 98.7, 99.4, 99.0, 98.8};
const Numbers kSecond = {95.2, 97.9, 96.4, 96.0, 97.1};

ClaimSample sample(const std::string& label, const Numbers& values) { return {.label = label, .values = values}; }

Difference of(const Numbers& x, const Numbers& y, double margin = 1.0, size_t k = 1) {
  return difference(sample("x", x), sample("y", y), "points", margin, k);
}

// SciPy 1.10: Welch's interval by t.ppf.
TEST(Difference, AgreesWithScipy) {
  const Difference found = of(kFirst, kSecond);
  EXPECT_NEAR(found.interval.difference, 2.48, 1e-12);
  EXPECT_NEAR(found.interval.low, 1.2149215298229388, 1e-9);
  EXPECT_NEAR(found.interval.high, 3.745078470177069, 1e-9);
  EXPECT_EQ(found.text(), "x - y: +2.5 points (95 % +1.2 to +3.7)");
}

TEST(Difference, MoreAndNoMore) {
  EXPECT_TRUE(of(kFirst, kSecond).is_more());
  EXPECT_FALSE(of(kFirst, kSecond).is_no_more());
  EXPECT_FALSE(of(kSecond, kFirst).is_more());
  EXPECT_TRUE(of(kSecond, kFirst).is_no_more()) << "less is no more";
  EXPECT_TRUE(of(kSecond, kFirst).is_less());
  // More, and by less than the margin: no difference of interest.
  EXPECT_FALSE(of(kFirst, kSecond, 4.0).is_more());
  EXPECT_TRUE(of(kFirst, kSecond, 4.0).is_no_more());
  // The interval reaches from below 0 to above the margin.
  const Difference open = of({90, 95, 99, 97, 92}, {91, 96, 93, 95, 94});
  EXPECT_FALSE(open.is_more() || open.is_no_more());
}

TEST(Difference, ThreeAgainstThreeDecide) {
  EXPECT_TRUE(of({99.0, 99.1, 99.2}, {50.0, 51.0, 52.0}).is_more());
  EXPECT_TRUE(of({28, 25, 30}, {99, 99.5, 100}).is_less());
  EXPECT_FALSE(of({99.0, 99.1}, {50.0, 51.0}).is_more()) << "two against two do not";
}

// Three runs of 100 % have no spread; what their test set allows is known all the same.
TEST(Difference, AFloorDecidesWhereNothingVaries) {
  ClaimSample x = sample("x", {100.0, 100.0, 100.0}), y = sample("y", {99.9, 99.9, 99.9});
  EXPECT_FALSE(difference(x, y, "points", 1.0).is_no_more()) << "a point says nothing of its precision";
  for (ClaimSample* side : {&x, &y}) side->variance_floor = 1e4 * statistics::accuracy_variance_floor(1.0, 4096);
  EXPECT_TRUE(difference(x, y, "points", 1.0).is_no_more());
  EXPECT_FALSE(difference(x, y, "points", 1.0).is_more());
}

// Where one of k is enough the deciding end has an error of 5 % / k.
TEST(Difference, TheLevelForOneOfSeveral) {
  EXPECT_EQ(level_for_any_of(1), 0.95);
  EXPECT_EQ(level_for_any_of(2), 0.95);
  EXPECT_NEAR(level_for_any_of(5), 0.98, 1e-12);
  const Numbers x = {98.0, 98.2, 98.4, 97.9, 98.3}, y = {97.9, 98.3, 98.0, 98.2, 97.4};
  const Difference one = of(x, y, 0.65), five = of(x, y, 0.65, 5);
  EXPECT_TRUE(one.is_no_more());
  EXPECT_FALSE(five.is_no_more());
  EXPECT_TRUE(five.is_open_by_number());
  EXPECT_GT(five.any.high, five.interval.high);
  EXPECT_EQ(five.interval.high, one.interval.high);
  EXPECT_TRUE(contains(five.evidence("accuracy").text, "98 %")) << five.evidence("accuracy").text;
}

// By chance the interval of a lead that all five rivals just have ends below the margin in at most 5 % of studies.
TEST(Difference, RefutesATrueLeadOverFiveInAtMostFivePercent) {
  Draws draws({.seed = 11, .purpose = Purpose::test, .site = 900});
  const auto runs = [&](double mean) {
    Numbers values;
    for (int i = 0; i < 5; ++i) {
      double sum = 0.0;
      for (int k = 0; k < 12; ++k) sum += (draws.below(1u << 20) + 0.5) / (1u << 20);
      values.push_back(mean + sum - 6.0);
    }
    return values;
  };
  int refuted = 0;
  constexpr int kStudies = 1000;
  for (int study = 0; study < kStudies; ++study) {
    const Numbers rope = runs(91.0);
    bool any = false;
    for (int rival = 0; rival < 5; ++rival) any = any || of(rope, runs(90.0), 1.0, 5).is_no_more();
    refuted += any ? 1 : 0;
  }
  EXPECT_LE(refuted, 60) << "of " << kStudies;
}

// Half the width is 4.07 of five runs each; it has to come down to 1.6, the distance from -0.6 to the margin.
TEST(Difference, SaysHowManyRunsWouldDecide) {
  Difference open = of({90, 95, 99, 97, 92}, {91, 96, 93, 95, 94});
  open.interval.difference = -0.6;
  open.any.low = -4.67;
  open.any.high = 3.47;
  EXPECT_EQ(open.runs_to_decide_text(), "about 33 runs of each, if they scatter as these do");
  open.interval.difference = 0.5;
  open.any.low = -99.5;
  open.any.high = 100.5;
  EXPECT_EQ(open.runs_to_decide_text(), "more than 1000 runs of each, if they scatter as these do");
}

// One run of x that was still improving makes it look better.
TEST(Difference, SaysWhereImprovingRunsMakeTheSign) {
  ClaimSample x = sample("x", {60.0, 61.0, 90.0}), y = sample("y", {65.0, 66.0, 67.0});
  EXPECT_FALSE(difference(x, y, "points", 1.0).turns);
  x.improving = {false, false, true};
  EXPECT_TRUE(difference(x, y, "points", 1.0).turns);
  EXPECT_TRUE(contains(difference(x, y, "points", 1.0).text(), "another sign without the runs that were still"));
  x.improving = {true, true, false};
  EXPECT_FALSE(difference(x, y, "points", 1.0).turns);
}

TEST(Difference, FiguresHaveTheDigitsOfTheirUnit) {
  EXPECT_EQ(figure(98.765, "%"), "98.8 %");
  EXPECT_EQ(signed_figure(-0.04, "points"), "0.0 points") << "what rounds to 0 has no sign";
  EXPECT_EQ(signed_figure(0.06, "points"), "+0.1 points");
  EXPECT_EQ(figure(-0.25, ""), "-0.25");
  EXPECT_EQ(figure(212.6, "steps"), "213 steps");
  EXPECT_EQ(figure(0.24931, ""), "0.249");
}

TEST(ClaimSample, TakesAllFinishedRunsAndNamesTheOthers) {
  HandMade study;
  CellRuns& cell = study.add("RoPE", kDistance, kClean, {0.9, 0.8, 0.7, 0.6});
  cell.runs[1].converged = false;
  cell.planned = 6;
  cell.failures.push_back({.id = "x", .cell = cell.cell, .seed = 4, .what = "it diverged"});
  const ClaimSample found = claim_sample(study.results, cell.cell, "RoPE", "accuracy",
                                         [](const RunRecord& run) { return run.test_accuracy; });
  EXPECT_EQ(found.values, (Numbers{0.9, 0.8, 0.7, 0.6}));
  EXPECT_EQ(found.settled(), (Numbers{0.9, 0.7, 0.6}));
  EXPECT_TRUE(found.decides());
  EXPECT_EQ(found.notes, "of 6 runs of RoPE 1 failed, 1 not finished, 1 was still improving at the end");
  keep(cell, 2);
  const ClaimSample few =
      claim_sample(study.results, cell.cell, "RoPE", "accuracy", [](const RunRecord&) { return 1.0; });
  EXPECT_FALSE(few.decides());
  EXPECT_EQ(text({few.lack}),
            "fewer than 3 finished runs: RoPE on distance (of 3 runs of RoPE 1 failed, 1 was still improving at the "
            "end)");
}

TEST(ClaimSample, AccuraciesHaveTheFloorOfTheirTestSets) {
  HandMade study;
  CellRuns& cell = study.add("RoPE", kDistance, kClean, {0.9, 0.9, 0.9});
  for (RunRecord& run : cell.runs) run.test_samples = 4096;
  const ClaimSample shared = accuracy_sample(study.results, cell.cell, "RoPE");
  EXPECT_NEAR(shared.values[0], 90.0, 1e-12);
  EXPECT_NEAR(shared.variance_floor, 1e4 * 0.9 * 0.1 / 4096.0, 5e-3 * shared.variance_floor);
  for (size_t i = 0; i < 3; ++i) cell.runs[i].data_seed = i;
  EXPECT_NEAR(accuracy_sample(study.results, cell.cell, "RoPE").variance_floor, shared.variance_floor / 3.0,
              5e-3 * shared.variance_floor)
      << "three test sets";
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
  EXPECT_TRUE(found.notes.empty());
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
