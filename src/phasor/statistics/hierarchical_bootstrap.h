#pragma once
// Bootstrap over two levels: groups are drawn first (seeds, runs), then items within each drawn group (examples). A
// group that is drawn twice gets two sets of items. Units of the interval are the groups: one group alone says nothing
// about the spread between groups, however many items it has, so its interval is (-inf, inf).
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "phasor/statistics/bootstrap.h"

namespace phasor::statistics {

struct DrawnGroup {
  uint32_t group = 0;
  std::span<const uint32_t> items;  // drawn with replacement, or all of them
};

// Writes one value per statistic.
using HierarchicalStatistics = std::function<void(std::span<const DrawnGroup>, std::span<double> values)>;

// sizes: the items of each group.
std::vector<BootstrapInterval> bootstrap_hierarchy(std::span<const int64_t> sizes, size_t statistics,
                                                   const HierarchicalStatistics& evaluate,
                                                   const BootstrapOptions& options = {});

using GroupedStatistic = std::function<double(std::span<const Sample>)>;

BootstrapInterval bootstrap_hierarchical(std::span<const std::vector<double>> groups, const GroupedStatistic& statistic,
                                         const BootstrapOptions& options = {});

// The mean of the groups' means: every seed counts alike.
double mean_of_means(std::span<const Sample> groups);

}  // namespace phasor::statistics
