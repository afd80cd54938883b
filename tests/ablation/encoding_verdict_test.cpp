#include "phasor/ablation/encoding_verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ablation/drop_world.h"
#include "phasor/base/error.h"
#include "phasor/statistics/concentration.h"
#include "phasor/statistics/hierarchical_bootstrap.h"
#include "phasor/statistics/proportion.h"

namespace phasor {
namespace encoding_verdict_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Judged as it comes, then given the verdict that the test is about.
SeedRun seed_run(const std::vector<double>& alone, uint32_t number, Deposit verdict, size_t samples = 60) {
  DropWorld world = additive_world(alone);
  world.base = 0.05;
  world.slope = 0.5;
  const RunEvidence evidence = draw_run(world, samples, number);
  SeedRun result{.run = judge_run(evidence, {.resamples = 100, .flips = 99}), .key_layer = evidence.layers[0]};
  result.run.verdict = result.run.layers[0].verdict = verdict;
  return result;
}

SeedRun seed_run(Deposit verdict, uint32_t number = 0) { return seed_run({0.7, 0.1, 0.1, 0.1}, number, verdict); }

std::vector<SeedRun> seed_runs(int deposits, int spreads, int not_used = 0, int undetermined = 0) {
  std::vector<SeedRun> runs;
  const auto add = [&](int count, Deposit verdict) {
    for (int i = 0; i < count; ++i) runs.push_back(seed_run(verdict, static_cast<uint32_t>(runs.size())));
  };
  add(deposits, Deposit::deposit);
  add(spreads, Deposit::spread);
  add(not_used, Deposit::not_used);
  add(undetermined, Deposit::undetermined);
  return runs;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(EncodingVerdict, CountsAndBoundsPrevalence) {
  const EncodingVerdict result = judge_encoding(seed_runs(3, 2, 1, 1));
  EXPECT_EQ(result.deposit.seeds, 3);
  EXPECT_EQ(result.spread.seeds, 2);
  EXPECT_EQ(result.not_used.seeds, 1);
  EXPECT_EQ(result.undetermined.seeds, 1);
  EXPECT_EQ(result.deposit.interval, statistics::clopper_pearson(3, 7));
  EXPECT_EQ(result.spread.lower, statistics::clopper_pearson_lower(2, 7));
  EXPECT_EQ(result.verdict, Deposit::undetermined);
  EXPECT_TRUE(contains(result.reason, "of 7 seeds 3 are DEPOSIT, 0 PARTIAL, 2 SPREAD, 1 NOT USED and 1 UNDETERMINED"))
      << result.reason;
}

// k of k seeds bound the prevalence by 0.05^(1 / k): 0.549 for five, 0.473 for four. 7 of 8 do by 0.529, 6 of 7 by
// 0.479.
TEST(EncodingVerdict, NeedsMoreThanHalfOfAllSeedsForSure) {
  EXPECT_EQ(judge_encoding(seed_runs(5, 0)).verdict, Deposit::deposit);
  EXPECT_EQ(judge_encoding(seed_runs(0, 5)).verdict, Deposit::spread);
  EXPECT_EQ(judge_encoding(seed_runs(0, 0, 5)).verdict, Deposit::not_used);
  EXPECT_EQ(judge_encoding(seed_runs(0, 0, 0, 8)).verdict, Deposit::undetermined);
  EXPECT_EQ(judge_encoding(seed_runs(7, 1)).verdict, Deposit::deposit);
  EXPECT_EQ(judge_encoding(seed_runs(6, 1)).verdict, Deposit::undetermined);
  EXPECT_NEAR(judge_encoding(seed_runs(5, 0)).deposit.lower, std::pow(0.05, 0.2), 1e-12);
  EXPECT_TRUE(contains(judge_encoding(seed_runs(5, 0)).reason, "5 of 5 seeds are DEPOSIT: at least 0.549"));
}

TEST(EncodingVerdict, FewSeedsNeverDecide) {
  for (const int seeds : {1, 2, 3, 4}) {
    const EncodingVerdict result = judge_encoding(seed_runs(seeds, 0));
    EXPECT_EQ(result.verdict, Deposit::undetermined);
    EXPECT_TRUE(contains(result.reason, "fewer than 5 seeds can never decide")) << result.reason;
  }
  EXPECT_TRUE(contains(judge_encoding(seed_runs(4, 0)).reason, "by 0.473 only"));
  EXPECT_FALSE(contains(judge_encoding(seed_runs(4, 2)).reason, "fewer than 5"));
}

TEST(EncodingVerdict, ListsEverySeedsSharesInFallingOrder) {
  const std::vector<SeedRun> runs = seed_runs(2, 0, 1);
  const EncodingVerdict result = judge_encoding(runs);
  ASSERT_EQ(result.seeds.size(), 3u);
  for (size_t seed = 0; seed < 2; ++seed) {
    const LayerEffect& effect = runs[seed].run.layers[0].effect;
    EXPECT_EQ(result.seeds[seed].max_share, effect.max_share);
    EXPECT_EQ(result.seeds[seed].n2, effect.n2);
    EXPECT_EQ(result.seeds[seed].necessity, effect.necessity);
    EXPECT_EQ(result.seeds[seed].sufficiency, effect.sufficiency);
    EXPECT_TRUE(std::is_sorted(result.seeds[seed].shares.rbegin(), result.seeds[seed].shares.rend()));
    EXPECT_EQ(result.seeds[seed].shares[0], effect.max_share.value);
  }
  EXPECT_EQ(result.without_shares, 1);
  EXPECT_EQ(result.seeds[2].verdict, Deposit::not_used);
  EXPECT_TRUE(result.seeds[2].shares.empty());
  EXPECT_TRUE(std::isnan(result.seeds[2].max_share.value));
}

// Which number a head has says nothing.
TEST(EncodingVerdict, DoesNotDependOnTheOrderOfHeads) {
  std::vector<SeedRun> runs = seed_runs(3, 0);
  const EncodingVerdict before = judge_encoding(runs);
  for (SeedRun& run : runs) {
    std::rotate(run.key_layer.alone.begin(), run.key_layer.alone.begin() + 1, run.key_layer.alone.end());
    std::rotate(run.key_layer.only.begin(), run.key_layer.only.begin() + 1, run.key_layer.only.end());
    run.run.layers[0].effect = measure_effect(run.key_layer, {.resamples = 100, .flips = 99});
  }
  const EncodingVerdict after = judge_encoding(runs);
  const double bound = 1e-13;
  EXPECT_NEAR(after.max_share.low, before.max_share.low, bound);
  EXPECT_NEAR(after.n2.high, before.n2.high, bound);
  EXPECT_NEAR(after.sufficiency.low, before.sufficiency.low, bound);
  for (size_t h = 0; h < 4; ++h) EXPECT_NEAR(after.seeds[1].shares[h], before.seeds[1].shares[h], bound);
}

// Means of drawn seeds' numbers, each from the drawn samples, by another way. The seed that is not used is left out.
TEST(EncodingVerdict, MeansAreThoseOfANaiveHierarchicalBootstrap) {
  std::vector<SeedRun> runs = {
      seed_run({0.7, 0.1, 0.1, 0.1}, 1, Deposit::deposit, 50), seed_run({0.7, 0.1, 0.1, 0.1}, 9, Deposit::not_used, 50),
      seed_run({0.2, 0.5, 0.3, 0.1}, 2, Deposit::deposit, 70), seed_run({0.1, 0.2, 0.3, 0.4}, 3, Deposit::spread, 60)};
  const EncodingOptions options{.resamples = 300, .seed = 8};
  const EncodingVerdict result = judge_encoding(runs, options);
  runs.erase(runs.begin() + 1);
  const auto evaluate = [&](std::span<const statistics::DrawnGroup> drawn, std::span<double> values) {
    std::fill(values.begin(), values.end(), 0.0);
    for (const statistics::DrawnGroup& group : drawn) {
      const LayerDrops& drops = runs[group.group].key_layer;
      const auto mean = [&](const std::vector<double>& column) {
        double sum = 0.0;
        for (const uint32_t item : group.items) sum += column[item];
        return sum / static_cast<double>(group.items.size());
      };
      std::vector<double> means;
      for (const std::vector<double>& head : drops.alone) means.push_back(mean(head));
      const double whole = mean(drops.whole);
      const auto top = static_cast<size_t>(runs[group.group].run.layers[0].effect.top);
      const double seeds = static_cast<double>(drawn.size());
      values[0] += statistics::concentration(means).max_share / seeds;
      values[1] += statistics::concentration(means).n2 / seeds;
      values[2] += *std::max_element(means.begin(), means.end()) / whole / seeds;
      values[3] += (1.0 - mean(drops.only[top]) / whole) / seeds;
    }
  };
  const std::vector<int64_t> sizes = {50, 70, 60};
  const auto expected = statistics::bootstrap_hierarchy(sizes, 4, evaluate, {.resamples = 300, .seed = 8});
  const Estimate found[] = {result.max_share, result.n2, result.necessity, result.sufficiency};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(found[i].value, expected[i].estimate, 1e-13) << i;
    EXPECT_NEAR(found[i].low, expected[i].low, 1e-13) << i;
    EXPECT_NEAR(found[i].high, expected[i].high, 1e-13) << i;
  }
}

TEST(EncodingVerdict, OneSeedBoundsNothing) {
  const EncodingVerdict result = judge_encoding(seed_runs(1, 0));
  EXPECT_EQ(result.max_share.low, 0.0);
  EXPECT_EQ(result.max_share.high, 1.0);
  EXPECT_EQ(result.n2.low, 1.0);
  EXPECT_EQ(result.n2.high, 4.0);
  EXPECT_EQ(result.necessity.low, -kInfinity);
}

TEST(EncodingVerdict, UnusedSeedsAloneHaveNoShares) {
  const EncodingVerdict result = judge_encoding(seed_runs(0, 0, 6));
  EXPECT_EQ(result.verdict, Deposit::not_used);
  EXPECT_EQ(result.without_shares, 6);
  EXPECT_TRUE(std::isnan(result.max_share.value));
}

TEST(EncodingVerdict, SufficiencyIsUndefinedWhereASeedLacksIt) {
  std::vector<SeedRun> runs = seed_runs(3, 0);
  runs[1].key_layer.only.clear();
  const EncodingVerdict result = judge_encoding(runs);
  EXPECT_TRUE(std::isnan(result.sufficiency.value));
  EXPECT_FALSE(std::isnan(result.necessity.value));
}

std::vector<SeedRun> alike(const std::vector<double>& alone, int seeds, uint32_t first) {
  std::vector<SeedRun> runs;
  for (int i = 0; i < seeds; ++i) {
    runs.push_back(seed_run(alone, first + static_cast<uint32_t>(i), Deposit::undetermined));
  }
  return runs;
}

// Five seeds of each, fully apart: 2 of the 252 ways to split them are as extreme.
TEST(EncodingVerdict, ComparesSeedsExactly) {
  const EncodingVerdict concentrated = judge_encoding(alike({0.7, 0.1, 0.1, 0.1}, 5, 0));
  const EncodingVerdict even = judge_encoding(alike({0.25, 0.25, 0.25, 0.25}, 5, 100));
  const EncodingComparison result = compare(concentrated, even);
  ASSERT_TRUE(result.max_share.test.has_value());
  EXPECT_TRUE(result.max_share.test->exact);
  EXPECT_NEAR(result.max_share.test->p, 2.0 / 252, 1e-15);
  EXPECT_NEAR(result.max_share.test->smallest_p, 2.0 / 252, 1e-15);
  EXPECT_GT(result.max_share.test->statistic, 0.0);
  EXPECT_EQ(result.max_share.cliffs_delta->estimate, 1.0);
  EXPECT_EQ(result.n2.cliffs_delta->estimate, -1.0);
  EXPECT_NEAR(result.n2.test->p, 2.0 / 252, 1e-15);
  EXPECT_TRUE(contains(result.max_share.text, "exact permutation p = 0.00794, at best 0.00794"))
      << result.max_share.text;
  EXPECT_FALSE(contains(result.max_share.text, "left out"));
  EXPECT_EQ(compare(even, even).max_share.test->p, 1.0);
}

TEST(EncodingVerdict, ComparesOnlySeedsWithShares) {
  std::vector<SeedRun> runs = alike({0.7, 0.1, 0.1, 0.1}, 3, 0);
  runs.push_back(seed_run(Deposit::not_used, 7));
  const EncodingVerdict first = judge_encoding(runs);
  const EncodingVerdict second = judge_encoding(alike({0.25, 0.25, 0.25, 0.25}, 3, 100));
  const EncodingComparison result = compare(first, second);
  EXPECT_EQ(result.left_out_first, 1);
  EXPECT_EQ(result.left_out_second, 0);
  EXPECT_NEAR(result.n2.test->smallest_p, 2.0 / 20, 1e-15);
  EXPECT_TRUE(contains(result.n2.text, "1 and 0 seeds left out")) << result.n2.text;
  const EncodingComparison nothing = compare(first, judge_encoding(seed_runs(0, 0, 2)));
  EXPECT_FALSE(nothing.max_share.test.has_value());
  EXPECT_TRUE(contains(nothing.max_share.text, "nothing to compare")) << nothing.max_share.text;
}

TEST(EncodingVerdict, RefusesBadRuns) {
  EXPECT_THROW(judge_encoding({}), Error);
  std::vector<SeedRun> runs = seed_runs(2, 0);
  runs[1].run.layer = 3;
  EXPECT_THROW(judge_encoding(runs), Error);
  runs = seed_runs(2, 0);
  runs[0].key_layer.alone.pop_back();
  runs[0].key_layer.only.pop_back();
  EXPECT_THROW(judge_encoding(runs), Error);
  runs = seed_runs(2, 0);
  runs[0].key_layer.whole[3] = std::nan("");
  EXPECT_THROW(judge_encoding(runs), Error);
}

}  // namespace encoding_verdict_test
}  // namespace phasor
