#include "phasor/ablation/encoding_verdict.h"

#include <algorithm>
#include <functional>

#include "phasor/ablation/verdict_clauses.h"
#include "phasor/base/error.h"
#include "phasor/statistics/concentration.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/hierarchical_bootstrap.h"
#include "phasor/statistics/proportion.h"
#include "phasor/statistics/summary.h"

namespace phasor {
namespace {

const LayerVerdict& key_verdict(const SeedRun& run, size_t seed) {
  const auto layer = static_cast<size_t>(run.run.layer);
  if (run.run.layer < 0 || layer >= run.run.layers.size()) {
    fail("seed {} names layer {} of {} as the one that matters most", seed, run.run.layer, run.run.layers.size());
  }
  require_drops(run.key_layer, run.run.layer);
  const LayerVerdict& verdict = run.run.layers[layer];
  if (verdict.effect.heads.size() != run.key_layer.alone.size()) {
    fail("seed {}: layer {} was judged with {} heads and comes with drops of {}", seed, layer,
         verdict.effect.heads.size(), run.key_layer.alone.size());
  }
  return verdict;
}

SeedShares shares_of(const SeedRun& run, const LayerVerdict& key) {
  SeedShares result{.verdict = run.run.verdict, .layer = run.run.layer};
  if (key.verdict == Deposit::not_used || !key.effect.shares.defined) return result;
  result.max_share = key.effect.max_share;
  result.n2 = key.effect.n2;
  result.necessity = key.effect.necessity;
  result.sufficiency = key.effect.sufficiency;
  result.shares = key.effect.shares.shares;
  std::sort(result.shares.begin(), result.shares.end(), std::greater<>());
  return result;
}

// tables: the key layers of the seeds with shares.
void bootstrap_means(std::vector<DropTable>& tables, double most_heads, const EncodingOptions& options,
                     EncodingVerdict& result) {
  std::vector<int64_t> sizes;
  sizes.reserve(tables.size());
  for (const DropTable& table : tables) sizes.push_back(table.rows());
  const auto evaluate = [&](std::span<const statistics::DrawnGroup> seeds, std::span<double> values) {
    std::fill(values.begin(), values.end(), 0.0);
    for (const statistics::DrawnGroup& seed : seeds) {
      const DropTable::Means means = tables[seed.group].means(seed.items);
      const statistics::Concentration shares = statistics::concentration(means.alone);
      values[0] += shares.max_share;
      values[1] += shares.n2;
      values[2] += means.share(*std::max_element(means.alone.begin(), means.alone.end()));
      values[3] += means.sufficiency();
    }
    for (double& value : values) value /= static_cast<double>(seeds.size());
  };
  const auto intervals =
      statistics::bootstrap_hierarchy(sizes, 4, evaluate, {.resamples = options.resamples, .seed = options.seed});
  const auto estimate = [](const statistics::BootstrapInterval& interval) {
    return Estimate{interval.estimate, interval.low, interval.high};
  };
  result.max_share = estimate(intervals[0].within(0.0, 1.0));
  result.n2 = estimate(intervals[1].within(1.0, most_heads));
  result.necessity = estimate(intervals[2]);
  result.sufficiency = estimate(intervals[3]);
}

Prevalence prevalence(const std::vector<SeedShares>& seeds, Deposit verdict) {
  const int64_t count =
      std::count_if(seeds.begin(), seeds.end(), [&](const SeedShares& seed) { return seed.verdict == verdict; });
  return {count, statistics::clopper_pearson(count, std::ssize(seeds)),
          statistics::clopper_pearson_lower(count, std::ssize(seeds))};
}

void decide(EncodingVerdict& result) {
  const int64_t seeds = std::ssize(result.seeds);
  const std::pair<Deposit, const Prevalence*> candidates[] = {{Deposit::deposit, &result.deposit},
                                                              {Deposit::partial, &result.partial},
                                                              {Deposit::spread, &result.spread},
                                                              {Deposit::not_used, &result.not_used}};
  for (const auto& [verdict, found] : candidates) {
    if (!(found->lower > 0.5)) continue;
    result.verdict = verdict;
    result.reason = fmt::format("{} of {} seeds are {}: at least {} of all seeds would be (95 %)", found->seeds, seeds,
                                name(verdict), show(found->lower));
    return;
  }
  result.reason =
      fmt::format("of {} seeds {} are DEPOSIT, {} PARTIAL, {} SPREAD, {} NOT USED and {} UNDETERMINED: ", seeds,
                  result.deposit.seeds, result.partial.seeds, result.spread.seeds, result.not_used.seeds,
                  result.undetermined.seeds);
  const double best = statistics::clopper_pearson_lower(seeds, seeds);
  result.reason += best > 0.5 ? std::string("none is that of more than half of all seeds by its bound")
                              : fmt::format(
                                    "fewer than 5 seeds can never decide, for {} of {} bound what all seeds "
                                    "would be by {} only",
                                    seeds, seeds, show(best));
}

ShareComparison compare_numbers(const char* what, const std::vector<double>& x, const std::vector<double>& y,
                                const EncodingOptions& options) {
  if (x.empty() || y.empty()) {
    return {.text = fmt::format("{}: {} against {} seeds with shares; nothing to compare", what, x.size(), y.size()),
            .test = {},
            .cliffs_delta = {}};
  }
  const statistics::PermutationOptions permutation{.seed = options.seed};
  const statistics::PermutationTest test = statistics::permute_two_samples(x, y, permutation);
  const statistics::BootstrapInterval delta = statistics::cliffs_delta_interval(
      x, y, {.resamples = std::max<int64_t>(options.resamples, 4000), .seed = options.seed});
  std::string text = fmt::format(
      "{}: {} against {}, means of {} and {} seeds; {} permutation p = {}, at best {} with so many seeds; "
      "Cliff's delta {} [{}, {}]",
      what, show(statistics::mean(x)), show(statistics::mean(y)), x.size(), y.size(), test.exact ? "exact" : "drawn",
      show(test.p), show(test.smallest_p), show(delta.estimate), show(delta.low), show(delta.high));
  return {.text = std::move(text), .test = test, .cliffs_delta = delta};
}

std::vector<double> values_of(const EncodingVerdict& encoding, Estimate SeedShares::*number) {
  std::vector<double> values;
  for (const SeedShares& seed : encoding.seeds) {
    if (!seed.shares.empty()) values.push_back((seed.*number).value);
  }
  return values;
}

}  // namespace

EncodingVerdict judge_encoding(const std::vector<SeedRun>& runs, const EncodingOptions& options) {
  if (runs.empty()) fail("an encoding without runs cannot be judged");
  EncodingVerdict result;
  std::vector<DropTable> tables;
  size_t most_heads = 1;
  for (size_t seed = 0; seed < runs.size(); ++seed) {
    const LayerVerdict& key = key_verdict(runs[seed], seed);
    result.seeds.push_back(shares_of(runs[seed], key));
    if (result.seeds.back().shares.empty()) {
      ++result.without_shares;
      continue;
    }
    const LayerDrops& drops = runs[seed].key_layer;
    tables.emplace_back(drops, all_samples(drops), key.effect.top);
    most_heads = std::max(most_heads, drops.alone.size());
  }
  if (!tables.empty()) bootstrap_means(tables, static_cast<double>(most_heads), options, result);
  result.deposit = prevalence(result.seeds, Deposit::deposit);
  result.partial = prevalence(result.seeds, Deposit::partial);
  result.spread = prevalence(result.seeds, Deposit::spread);
  result.not_used = prevalence(result.seeds, Deposit::not_used);
  result.undetermined = prevalence(result.seeds, Deposit::undetermined);
  decide(result);
  return result;
}

EncodingComparison compare(const EncodingVerdict& first, const EncodingVerdict& second,
                           const EncodingOptions& options) {
  EncodingComparison result{.max_share = compare_numbers("max share", values_of(first, &SeedShares::max_share),
                                                         values_of(second, &SeedShares::max_share), options),
                            .n2 = compare_numbers("effective heads (N2)", values_of(first, &SeedShares::n2),
                                                  values_of(second, &SeedShares::n2), options),
                            .left_out_first = first.without_shares,
                            .left_out_second = second.without_shares};
  if (first.without_shares + second.without_shares > 0) {
    const std::string left_out = fmt::format("; {} and {} seeds left out: no layer of theirs has shares",
                                             first.without_shares, second.without_shares);
    result.max_share.text += left_out;
    result.n2.text += left_out;
  }
  return result;
}

}  // namespace phasor
