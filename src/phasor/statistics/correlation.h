#pragma once
// Correlation of pairs, overall and within groups. NaN where one of the two is constant (within every group).
#include <cstdint>
#include <span>
#include <vector>

#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/permutation.h"
#include "phasor/statistics/sample.h"

namespace phasor::statistics {

enum class CorrelationKind : uint8_t {
  pearson,   // of the values
  spearman,  // of their ranks
};

// 1 .. n; equal values share the mean of their places.
std::vector<double> mid_ranks(Sample sample);

double correlation(CorrelationKind kind, Sample x, Sample y);
BootstrapInterval correlation_interval(CorrelationKind kind, Sample x, Sample y, const BootstrapOptions& options = {});

// Differences between groups taken out: values (or their ranks within the group) are centred by group, then
// correlated over all groups together. groups[i] is the label of pair i, in any order.
double correlation_within(CorrelationKind kind, Sample x, Sample y, std::span<const int64_t> groups);
// Draws pairs within each group: the groups are taken as given. Where they are themselves a sample, use
// bootstrap_hierarchical.
BootstrapInterval correlation_within_interval(CorrelationKind kind, Sample x, Sample y, std::span<const int64_t> groups,
                                              const BootstrapOptions& options = {});

// Are x and y unrelated within groups? Permutes y within each group in all ways. p = 1 where there is no correlation.
PermutationTest permute_correlation(CorrelationKind kind, Sample x, Sample y, std::span<const int64_t> groups,
                                    const PermutationOptions& options = {});
PermutationTest permute_correlation(CorrelationKind kind, Sample x, Sample y, const PermutationOptions& options = {});

// group_sizes: pairs per group. Where no group has more than two, every arrangement has an equally extreme mirror
// image. Ranks have one always: the order turned round or, with ties, the tied ones exchanged.
double smallest_p_correlation(std::span<const int64_t> group_sizes, Alternative alternative = Alternative::two_sided,
                              CorrelationKind kind = CorrelationKind::pearson);

}  // namespace phasor::statistics
