#include "phasor/statistics/hierarchical_bootstrap.h"

#include <limits>
#include <numeric>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"
#include "phasor/statistics/resampling_stream.h"
#include "phasor/statistics/summary.h"

namespace phasor::statistics {
namespace {

constexpr int64_t kMostItems = std::numeric_limits<uint32_t>::max();

// All groups in order with all their items; keeps the lists that the spans point into.
class Hierarchy {
 public:
  explicit Hierarchy(std::span<const int64_t> sizes) : items_(sizes.size()), drawn_(sizes.size()) {
    if (sizes.empty()) fail("a hierarchical bootstrap needs at least one group");
    for (size_t g = 0; g < sizes.size(); ++g) {
      if (sizes[g] < 1 || sizes[g] > kMostItems) {
        fail("group {} of a hierarchical bootstrap has {} items; 1 to {} are possible", g, sizes[g], kMostItems);
      }
      items_[g].resize(static_cast<size_t>(sizes[g]));
      std::iota(items_[g].begin(), items_[g].end(), 0u);
      groups_.push_back({static_cast<uint32_t>(g), items_[g]});
    }
  }

  const std::vector<DrawnGroup>& all() const { return groups_; }

  const std::vector<DrawnGroup>& draw(const RandomStream& stream) {
    Draws draws(stream);
    resample_.clear();
    for (std::vector<uint32_t>& items : drawn_) {
      const uint32_t group = draws.below(static_cast<uint32_t>(groups_.size()));
      const auto count = static_cast<uint32_t>(items_[group].size());
      items.resize(count);
      for (uint32_t& item : items) item = draws.below(count);
      resample_.push_back({group, items});
    }
    return resample_;
  }

 private:
  std::vector<std::vector<uint32_t>> items_;
  std::vector<std::vector<uint32_t>> drawn_;
  std::vector<DrawnGroup> groups_;
  std::vector<DrawnGroup> resample_;
};

void add_influences(const std::vector<DrawnGroup>& all, const HierarchicalStatistics& evaluate,
                    std::vector<Resamples>& results) {
  if (all.size() < 2) return;
  std::vector<double> values(results.size());
  std::vector<std::vector<double>> without(results.size());
  for (size_t left_out = 0; left_out < all.size(); ++left_out) {
    std::vector<DrawnGroup> rest = all;
    rest.erase(rest.begin() + static_cast<int64_t>(left_out));
    evaluate(rest, values);
    for (size_t s = 0; s < results.size(); ++s) without[s].push_back(values[s]);
  }
  for (size_t s = 0; s < results.size(); ++s) results[s].influences = jackknife_influences(without[s]);
}

}  // namespace

std::vector<BootstrapInterval> bootstrap_hierarchy(std::span<const int64_t> sizes, size_t statistics,
                                                   const HierarchicalStatistics& evaluate,
                                                   const BootstrapOptions& options) {
  require_options(options);
  if (statistics == 0) fail("a bootstrap needs at least one statistic");
  Hierarchy hierarchy(sizes);
  std::vector<double> values(statistics);
  evaluate(hierarchy.all(), values);
  std::vector<Resamples> results(statistics);
  for (size_t s = 0; s < statistics; ++s) {
    results[s].estimate = values[s];
    results[s].units = static_cast<int64_t>(sizes.size());
  }
  for (int64_t b = 0; b < options.resamples; ++b) {
    evaluate(hierarchy.draw(resampling_stream(options.seed, Drawn::hierarchy, b)), values);
    for (size_t s = 0; s < statistics; ++s) results[s].values.push_back(values[s]);
  }
  if (options.method == BootstrapMethod::bca) add_influences(hierarchy.all(), evaluate, results);
  std::vector<BootstrapInterval> intervals;
  intervals.reserve(statistics);
  for (Resamples& result : results) intervals.push_back(bootstrap_interval(std::move(result), options));
  return intervals;
}

BootstrapInterval bootstrap_hierarchical(std::span<const std::vector<double>> groups, const GroupedStatistic& statistic,
                                         const BootstrapOptions& options) {
  std::vector<int64_t> sizes;
  for (const std::vector<double>& group : groups) {
    require_values(group, "a hierarchical bootstrap");
    sizes.push_back(static_cast<int64_t>(group.size()));
  }
  std::vector<std::vector<double>> drawn(groups.size());
  std::vector<Sample> samples;
  const auto evaluate = [&](std::span<const DrawnGroup> chosen, std::span<double> values) {
    samples.clear();
    for (size_t g = 0; g < chosen.size(); ++g) {
      drawn[g].clear();
      for (const uint32_t item : chosen[g].items) drawn[g].push_back(groups[chosen[g].group][item]);
      samples.emplace_back(drawn[g]);
    }
    values[0] = statistic(samples);
  };
  return bootstrap_hierarchy(sizes, 1, evaluate, options)[0];
}

double mean_of_means(std::span<const Sample> groups) {
  std::vector<double> means;
  means.reserve(groups.size());
  for (const Sample group : groups) means.push_back(mean(group));
  return mean(means);
}

}  // namespace phasor::statistics
