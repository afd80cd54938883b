#pragma once
// Bootstrap intervals (Efron and Tibshirani 1993). Resample b is a function of (seed, b) alone, so that equal options
// draw equal resamples for every statistic of one sample.
//
// Degenerate samples: one unit says nothing about spread, so its interval is everything, (-inf, inf). Where all
// resamples agree the interval is that point and `degenerate` says that its width is no evidence of precision.
// Resamples in which the statistic is NaN count as "could be anything": below the low end and above the high one.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "phasor/statistics/sample.h"

namespace phasor::statistics {

// How often a nominal 95 % interval of a mean covers, by simulation (normal / exponential data):
//   n            5            10           20
//   percentile   .84 / .79    .90 / .86    .93 / .90
//   bca          .84 / .80    .90 / .87    .92 / .91
//   expanded     .92 / .87    .94 / .90    .94 / .93
// Accuracies of models that differ by a normal deviation are like normal data. `expanded` covers .81 (n = 5) and .86
// (10) where log-odds of the accuracy are N(3, 1.5), and .67 and .89 where one model in five never learns: with
// probability 0.8^n none of these is drawn, and no interval sees what was not drawn.
// No resampling leaves the range of the data, so for a mean of n values it can cover at most 1 - 2^(1 - n): 75 % of
// three seeds, 94 % of five. Below five, mean_interval and mean_difference of effect.h (Student's t) are the better
// choice.
enum class BootstrapMethod : uint8_t {
  percentile,  // quantiles of the resamples
  expanded,    // the same at quantiles moved out as Student's t asks for (Hesterberg 2015)
  bca,         // corrected for bias and skewness (Efron 1987); evaluates the statistic once more per unit
};

struct BootstrapOptions {
  int64_t resamples = 4000;
  uint64_t seed = 0;
  double level = 0.95;
  BootstrapMethod method = BootstrapMethod::expanded;
};

struct BootstrapInterval {
  double estimate = 0.0;  // of the sample itself
  double low = 0.0;
  double high = 0.0;
  double level = 0.0;
  double standard_error = 0.0;  // deviation of the defined resamples; NaN below two of them
  int64_t resamples = 0;
  int64_t undefined = 0;  // resamples without a value
  // As used: bca becomes percentile where its corrections do not exist (all resamples on one side of the estimate, or
  // no statistic without some unit).
  BootstrapMethod method = BootstrapMethod::percentile;
  bool degenerate = false;

  // For statistics with a range: what the data do not bound, the range does.
  BootstrapInterval within(double lowest, double highest) const;
};

using Statistic = std::function<double(Sample)>;
using PairedStatistic = std::function<double(Sample, Sample)>;

BootstrapInterval bootstrap(Sample sample, const Statistic& statistic, const BootstrapOptions& options = {});
// Draws pairs (x_i, y_i).
BootstrapInterval bootstrap_paired(Sample x, Sample y, const PairedStatistic& statistic,
                                   const BootstrapOptions& options = {});
// Draws from x and from y apart.
BootstrapInterval bootstrap_two_samples(Sample x, Sample y, const PairedStatistic& statistic,
                                        const BootstrapOptions& options = {});

// The general form, for rows of any data. Rows 0 .. n - 1 stand in consecutive blocks of the given sizes; each block is
// resampled apart. The statistics get the drawn rows, block after block (one row less when influences are measured),
// and write one value each; all come from the same resamples.
using RowStatistics = std::function<void(std::span<const uint32_t> rows, std::span<double> values)>;
std::vector<BootstrapInterval> bootstrap_rows(std::span<const int64_t> blocks, size_t statistics,
                                              const RowStatistics& evaluate, const BootstrapOptions& options = {});

// What a bootstrap is read from, for resampling schemes of one's own.
struct Resamples {
  double estimate = 0.0;
  std::vector<double> values;      // in any order; NaN where undefined
  std::vector<double> influences;  // of each unit, divided by its block's size; bca only
  int64_t units = 0;               // what was drawn,
  int64_t blocks = 1;              // in so many blocks: units - blocks degrees of freedom
};
BootstrapInterval bootstrap_interval(Resamples resamples, const BootstrapOptions& options);

// Influences of the units of one block, from the statistic without each of them.
std::vector<double> jackknife_influences(Sample without);

void require_options(const BootstrapOptions& options);

}  // namespace phasor::statistics
