#include "phasor/ablation/layer_effect.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ablation/drop_world.h"
#include "phasor/base/error.h"
#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/multiplicity.h"
#include "phasor/statistics/permutation.h"

namespace phasor {
namespace layer_effect_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kBound = 64.0 * std::numeric_limits<double>::epsilon();
constexpr EffectOptions kFew{.resamples = 200, .flips = 199, .seed = 3};

// Every sample alike.
LayerDrops constant_drops(const std::vector<double>& alone, double whole, const std::vector<double>& only,
                          size_t samples = 40) {
  LayerDrops drops{.whole = std::vector<double>(samples, whole)};
  for (const double drop : alone) drops.alone.emplace_back(samples, drop);
  for (const double drop : only) drops.only.emplace_back(samples, drop);
  return drops;
}

// Heads of rising drops with noise.
LayerDrops noisy_drops(size_t heads, size_t samples, uint32_t number = 0) {
  std::vector<double> means(heads);
  for (size_t h = 0; h < heads; ++h) means[h] = static_cast<double>(h) - 1.0;
  DropWorld world = additive_world(means);
  world.whole = static_cast<double>(heads);
  world.base = 2.0;
  return draw_drops(world, samples, number);
}

void expect_point(const Estimate& estimate, double value) {
  const double bound = kBound * std::abs(value);
  EXPECT_NEAR(estimate.value, value, bound);
  EXPECT_NEAR(estimate.low, value, bound);
  EXPECT_NEAR(estimate.high, value, bound);
}

void expect_undefined(const Estimate& estimate) {
  EXPECT_TRUE(std::isnan(estimate.value));
  EXPECT_LT(estimate.low, estimate.high);
}

std::string error_of(const LayerDrops& drops, int64_t layer = 0) {
  try {
    require_drops(drops, layer);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Shares 1/2, 1/4, 1/8, 1/8 beside a head whose removal helps.
TEST(LayerEffect, HasClosedForms) {
  const LayerEffect effect =
      measure_effect(constant_drops({1.0, 4.0, 1.0, -3.0, 2.0}, 12.0, {11, 3, 11, 12, 10}), kFew);
  EXPECT_EQ(effect.top, 1);
  EXPECT_EQ(effect.shares.shares, (std::vector<double>{0.125, 0.5, 0.125, 0.0, 0.25}));
  expect_point(effect.layer, 12.0);
  ASSERT_EQ(effect.heads.size(), 5u);
  expect_point(effect.heads[1], 4.0);
  expect_point(effect.heads[3], -3.0);
  expect_point(effect.max_share, 0.5);
  expect_point(effect.dominance, 0.25);
  expect_point(effect.gini, (-2 * 0.125 + 0.0 + 2 * 0.25 + 4 * 0.5) / 5);  // ascending: 0, 1/8, 1/8, 1/4, 1/2
  expect_point(effect.n1, std::pow(2.0, 1.75));
  expect_point(effect.n2, 64.0 / 22);
  expect_point(effect.redundancy, 12.0 / 8);
  expect_point(effect.necessity, 4.0 / 12);
  expect_point(effect.sufficiency, 1.0 - 3.0 / 12);
}

TEST(LayerEffect, OfTheHeldOutHalfHasClosedForms) {
  const LayerEffect effect =
      measure_effect(constant_drops({1.0, 4.0, 1.0, -3.0, 2.0}, 12.0, {11, 3, 11, 12, 10}), kFew);
  const LayerEffect::HeldOut& head = effect.held_out;
  EXPECT_EQ(head.head, 1);
  expect_point(head.layer, 12.0);
  expect_point(head.drop, 4.0);
  expect_point(head.lead, 2.0);
  expect_point(head.share, 0.5);
  expect_point(head.necessity, 4.0 / 12);
  expect_point(head.sufficiency, 0.75);
  expect_point(head.n1, std::pow(2.0, 1.75));
  expect_point(head.n2, 64.0 / 22);
  EXPECT_EQ(head.p, 1.0 / 200);  // no drawn assignment leaves all twenty signs as they are
  EXPECT_EQ(head.head_p, (std::vector<double>{1.0 / 200, 1.0 / 200, 1.0 / 200, 1.0, 1.0 / 200}));
}

// Each number by another way from the rows of a resample: means head by head, then the formula.
struct Naive {
  const LayerDrops& drops;
  std::vector<uint32_t> samples;  // that rows stand for
  size_t head;

  double mean(const std::vector<double>& values, std::span<const uint32_t> rows) const {
    double sum = 0.0;
    for (const uint32_t row : rows) sum += values[samples[row]];
    return sum / static_cast<double>(rows.size());
  }

  // whole, drop, largest drop, lead, share, largest share, dominance, gini, n1, n2, sum of drops / whole, necessity of
  // the largest, necessity, sufficiency
  std::vector<double> operator()(std::span<const uint32_t> rows) const {
    std::vector<double> means;
    for (const auto& column : drops.alone) means.push_back(mean(column, rows));
    const double whole = mean(drops.whole, rows);
    const double drop = means[head];
    double total = 0.0, squares = 0.0, entropy = 0.0, distances = 0.0, others = -kInfinity;
    std::vector<double> shares;
    for (size_t h = 0; h < means.size(); ++h) {
      total += std::max(0.0, means[h]);
      if (h != head) others = std::max(others, means[h]);
    }
    for (const double value : means) shares.push_back(std::max(0.0, value) / total);
    for (const double a : shares) {
      squares += a * a;
      entropy += a == 0.0 ? 0.0 : -a * std::log(a);  // NaN where no head costs anything
      for (const double b : shares) distances += std::abs(a - b);
    }
    const double share = shares[head];
    std::sort(shares.rbegin(), shares.rend());
    const double largest = *std::max_element(means.begin(), means.end());
    const auto count = static_cast<double>(means.size());
    const auto part = [&](double value) { return whole > 0.0 ? value / whole : std::nan(""); };
    return {whole,
            drop,
            largest,
            drop - others,
            share,
            shares[0],
            shares[0] - shares[1],
            distances / (2.0 * count),  // mean difference over twice the mean, 1 / count
            std::exp(entropy),
            1.0 / squares,
            part(total),
            part(largest),
            part(drop),
            1.0 - part(mean(drops.only[head], rows))};
  }

  std::vector<Estimate> estimates() const {
    const auto evaluate = [&](std::span<const uint32_t> rows, std::span<double> values) {
      const std::vector<double> numbers = (*this)(rows);
      std::copy(numbers.begin(), numbers.end(), values.begin());
    };
    const std::vector<int64_t> blocks = {static_cast<int64_t>(samples.size())};
    std::vector<Estimate> result;
    for (const auto& interval : statistics::bootstrap_rows(
             blocks, 14, evaluate,
             {.resamples = kFew.resamples, .seed = kFew.seed, .method = statistics::BootstrapMethod::percentile})) {
      result.push_back({interval.estimate, interval.low, interval.high});
    }
    return result;
  }
};

// Means of n drops of size s are off by n eps s at most, ratios by a few times that over the denominator.
void expect_equal(const Estimate& found, const Estimate& expected, double bound) {
  EXPECT_NEAR(found.value, expected.value, bound);
  EXPECT_NEAR(found.low, expected.low, bound);
  EXPECT_NEAR(found.high, expected.high, bound);
}

std::vector<uint32_t> samples_from(size_t first, size_t step, size_t count) {
  std::vector<uint32_t> samples;
  for (size_t i = first; i < count; i += step) samples.push_back(static_cast<uint32_t>(i));
  return samples;
}

// 6, 7 and 14 heads end at, after and before a group of eight columns.
TEST(LayerEffect, IntervalsAreThoseOfANaiveBootstrap) {
  for (const size_t heads : {3u, 6u, 7u, 14u, 31u}) {
    constexpr size_t kSamples = 301;
    const LayerDrops drops = noisy_drops(heads, kSamples);
    const LayerEffect effect = measure_effect(drops, kFew);
    SCOPED_TRACE(heads);
    const double size = 20.0 * (static_cast<double>(heads) + 2.0);
    const double bound = 16.0 * kSamples * std::numeric_limits<double>::epsilon() * size;

    const Naive all{drops, samples_from(0, 1, kSamples), static_cast<size_t>(effect.top)};
    const std::vector<Estimate> expected = all.estimates();
    expect_equal(effect.layer, expected[0], bound);
    expect_equal(effect.heads[static_cast<size_t>(effect.top)], expected[1], bound);
    expect_equal(effect.max_share, expected[5], bound);
    expect_equal(effect.dominance, expected[6], bound);
    expect_equal(effect.gini, expected[7], bound);
    expect_equal(effect.n1, expected[8], static_cast<double>(heads) * bound);
    expect_equal(effect.n2, expected[9], static_cast<double>(heads) * bound);
    expect_equal(effect.redundancy, {1 / expected[10].value, 1 / expected[10].high, 1 / expected[10].low}, bound);
    expect_equal(effect.necessity, expected[11], bound);
    expect_equal(effect.sufficiency, expected[13], bound);

    const Naive odd{drops, samples_from(1, 2, kSamples), static_cast<size_t>(effect.held_out.head)};
    const std::vector<Estimate> half = odd.estimates();
    expect_equal(effect.held_out.layer, half[0], bound);
    expect_equal(effect.held_out.drop, half[1], bound);
    expect_equal(effect.held_out.lead, half[3], bound);
    expect_equal(effect.held_out.share, half[4], bound);
    expect_equal(effect.held_out.n1, half[8], static_cast<double>(heads) * bound);
    expect_equal(effect.held_out.n2, half[9], static_cast<double>(heads) * bound);
    expect_equal(effect.held_out.necessity, half[12], bound);
    expect_equal(effect.held_out.sufficiency, half[13], bound);
  }
}

// Even samples name head 0, odd ones and all together head 2.
TEST(LayerEffect, MeasuresTheHeldOutHeadOnOtherSamples) {
  LayerDrops drops = constant_drops({0.0, 1.0, 0.0}, 6.0, {5.0, 4.0, 1.0});
  for (size_t i = 0; i < 40; i += 2) drops.alone[0][i] = 3.0;
  for (size_t i = 1; i < 40; i += 2) drops.alone[2][i] = 5.0;
  const LayerEffect effect = measure_effect(drops, kFew);
  EXPECT_EQ(effect.top, 2);
  EXPECT_EQ(effect.held_out.head, 0);
  expect_point(effect.held_out.drop, 0.0);
  expect_point(effect.held_out.lead, -5.0);
  expect_point(effect.held_out.share, 0.0);
  expect_point(effect.held_out.sufficiency, 1.0 - 5.0 / 6);
  EXPECT_EQ(effect.held_out.p, 1.0);

  // Whatever the even samples measure beyond the choice of the head changes nothing.
  LayerDrops other = drops;
  for (size_t i = 0; i < 40; i += 2) {
    other.alone[0][i] = 100.0 + static_cast<double>(i);
    other.whole[i] = -7.0;
    other.only[0][i] = 9.0;
  }
  const LayerEffect moved = measure_effect(other, kFew);
  EXPECT_EQ(moved.held_out.drop, effect.held_out.drop);
  EXPECT_EQ(moved.held_out.lead, effect.held_out.lead);
  EXPECT_EQ(moved.held_out.necessity, effect.held_out.necessity);
  EXPECT_EQ(moved.held_out.sufficiency, effect.held_out.sufficiency);
  EXPECT_EQ(moved.held_out.head_p, effect.held_out.head_p);
}

// Drops of few whole numbers tie often. 17 rows are the most whose signs are turned in all ways; 32 and 128 are bounds
// of words and blocks of random bits.
TEST(LayerEffect, SignFlipsAreThoseOfStatistics) {
  for (const size_t rows : {10u, 17u, 18u, 31u, 32u, 33u, 128u, 200u, 257u}) {
    LayerDrops drops = noisy_drops(9, rows);
    for (auto& column : drops.alone) {
      for (double& value : column) value = std::round(value);
    }
    drops.alone[4] = noisy_drops(9, rows).alone[2];
    DropTable table(drops, all_samples(drops), 0);
    const std::vector<double> p = table.flip_signs(500, 11);
    for (size_t h = 0; h < 9; ++h) {
      const auto expected = statistics::flip_signs(
          drops.alone[h], {.alternative = statistics::Alternative::greater, .draws = 500, .seed = 11});
      EXPECT_EQ(p[h], expected.p) << rows << " rows, head " << h;
    }
  }
}

TEST(LayerEffect, OfNoDropsIsUndefined) {
  const LayerEffect effect = measure_effect(constant_drops({0.0, 0.0}, 0.0, {0.0, 0.0}), kFew);
  expect_point(effect.layer, 0.0);
  EXPECT_FALSE(effect.shares.defined);
  for (const Estimate& estimate :
       {effect.max_share, effect.dominance, effect.gini, effect.n1, effect.n2, effect.redundancy, effect.necessity,
        effect.sufficiency, effect.held_out.share, effect.held_out.necessity, effect.held_out.sufficiency}) {
    expect_undefined(estimate);
  }
  EXPECT_EQ(effect.held_out.p, 1.0);
}

TEST(LayerEffect, RedundancyIsInfiniteWhereNoHeadCosts) {
  const LayerEffect effect = measure_effect(constant_drops({0.0, -1.0}, 2.0, {0.0, 0.0}), kFew);
  EXPECT_EQ(effect.redundancy, (Estimate{kInfinity, kInfinity, kInfinity}));
  expect_point(effect.necessity, 0.0);
}

// A whole layer whose resamples are not all positive bounds no ratio to it.
TEST(LayerEffect, ResamplesWithoutACostBoundNothing) {
  LayerDrops drops = constant_drops({1.0, 0.5}, 0.1, {0.05, 0.1});
  for (size_t i = 0; i < 40; ++i) drops.whole[i] += i % 4 < 2 ? 1.0 : -1.0;
  const LayerEffect effect = measure_effect(drops, kFew);
  ASSERT_LT(effect.layer.low, 0.0);
  EXPECT_NEAR(effect.necessity.value, 10.0, 1e-12);
  for (const Estimate& estimate : {effect.necessity, effect.sufficiency, effect.redundancy}) {
    EXPECT_EQ(estimate.low, -kInfinity);
    EXPECT_EQ(estimate.high, kInfinity);
  }
  expect_point(effect.max_share, 2.0 / 3);
}

TEST(LayerEffect, SufficiencyIsUnknownWithoutItsMeasurement) {
  const LayerEffect effect = measure_effect(constant_drops({1.0, 0.5}, 2.0, {}), kFew);
  expect_undefined(effect.sufficiency);
  expect_undefined(effect.held_out.sufficiency);
  expect_point(effect.necessity, 0.5);
}

TEST(LayerEffect, OneHeadLeadsNobody) {
  const LayerEffect effect = measure_effect(constant_drops({1.0}, 1.0, {0.0}), kFew);
  expect_point(effect.max_share, 1.0);
  expect_undefined(effect.held_out.lead);
}

TEST(LayerEffect, HolmCoversAllLayers) {
  std::vector<LayerEffect> layers = {measure_effect(noisy_drops(3, 60, 1), kFew),
                                     measure_effect(noisy_drops(5, 60, 2), kFew)};
  std::vector<double> p;
  for (const LayerEffect& layer : layers) {
    p.insert(p.end(), layer.held_out.head_p.begin(), layer.held_out.head_p.end());
  }
  const std::vector<double> expected = statistics::holm(p);
  adjust_for_all_heads(layers);
  std::vector<double> found = layers[0].held_out.head_p_holm;
  found.insert(found.end(), layers[1].held_out.head_p_holm.begin(), layers[1].held_out.head_p_holm.end());
  EXPECT_EQ(found, expected);
  for (const LayerEffect& layer : layers) {
    const auto head = static_cast<size_t>(layer.held_out.head);
    EXPECT_EQ(layer.held_out.p, layer.held_out.head_p[head]);
    EXPECT_EQ(layer.held_out.p_holm, layer.held_out.head_p_holm[head]);
  }
}

TEST(LayerEffect, IsAFunctionOfItsSeed) {
  const LayerDrops drops = noisy_drops(4, 100);
  const LayerEffect first = measure_effect(drops, kFew), again = measure_effect(drops, kFew);
  EXPECT_EQ(first.layer, again.layer);
  EXPECT_EQ(first.heads, again.heads);
  EXPECT_EQ(first.n2, again.n2);
  EXPECT_EQ(first.held_out.lead, again.held_out.lead);
  EXPECT_EQ(first.held_out.head_p, again.held_out.head_p);
  const LayerEffect other = measure_effect(drops, {.resamples = 200, .flips = 199, .seed = 4});
  EXPECT_EQ(first.layer.value, other.layer.value);
  EXPECT_NE(first.layer.low, other.layer.low);
  EXPECT_NE(first.held_out.head_p, other.held_out.head_p);
}

TEST(LayerEffect, RefusesBadDrops) {
  const LayerDrops good = constant_drops({1.0, 2.0}, 3.0, {2.0, 1.0});
  EXPECT_EQ(error_of(good), "");
  EXPECT_NE(error_of(constant_drops({1.0}, 1.0, {}, 19), 4).find("layer 4 was measured on 19 samples"),
            std::string::npos);
  EXPECT_EQ(error_of(constant_drops({1.0}, 1.0, {}, 20)), "");
  EXPECT_NE(error_of(constant_drops({}, 1.0, {}), 2).find("layer 2 has no heads"), std::string::npos);
  LayerDrops bad = good;
  bad.alone[1][7] = std::nan("");
  EXPECT_NE(error_of(bad, 3).find("layer 3, head 1 ablated: the drop of sample 7 is nan"), std::string::npos);
  bad = good;
  bad.whole[0] = kInfinity;
  EXPECT_NE(error_of(bad, 3).find("layer 3, all heads ablated: the drop of sample 0 is inf"), std::string::npos);
  bad = good;
  bad.only[0][39] = -kInfinity;
  EXPECT_NE(error_of(bad, 3).find("layer 3, all heads but 0 ablated"), std::string::npos);
  bad = good;
  bad.alone[0].pop_back();
  EXPECT_NE(error_of(bad, 3).find("head 0 ablated has 39 samples, the whole layer has 40"), std::string::npos);
  bad = good;
  bad.only.pop_back();
  EXPECT_NE(error_of(bad, 3).find("layer 3 has 2 heads, but 1 were"), std::string::npos);
  EXPECT_THROW(measure_effect(bad), Error);
}

}  // namespace layer_effect_test
}  // namespace phasor
