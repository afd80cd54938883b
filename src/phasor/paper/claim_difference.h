#pragma once
// Two samples of runs against each other, and the two things that claims ask of them, both by the one interval that
// decides (statistics/mean_difference.h). With a margin, the smallest difference of interest:
//   more     the interval lies above 0, and not wholly below the margin
//   no more  it ends below the margin: the first is not higher by anything of interest
// Both at once never hold; neither holds where the runs are too few or too scattered.
//
// "More than each of k" is an intersection-union test: every interval has 95 %. Where one of k is enough, the end that
// decides has an error of 5 % / k (Bonferroni): that of the 95 % interval for k of 1 or 2, of 98 % for 5.
#include <string>
#include <vector>

#include "phasor/paper/claim.h"
#include "phasor/paper/claim_sample.h"

namespace phasor::paper {

inline constexpr double kClaimLevel = 0.05;

// Of a two-sided interval whose one end decides, where one of k comparisons is enough: at least 95 %.
double level_for_any_of(size_t k);

struct Difference {
  std::string first, second;  // labels
  std::string unit;           // of the interval: "points"
  double margin = 0.0;
  statistics::MeanDifference interval;  // first - second, 95 %
  statistics::MeanDifference any;       // the same at the level for one of k; equal to it for k of 1 or 2
  // Without the runs that were still improving the difference has another sign.
  bool turns = false;

  bool is_more() const { return interval.decides() && interval.low > 0.0 && interval.high >= margin; }
  bool is_less() const { return any.decides() && any.high < 0.0; }
  bool is_no_more() const { return any.decides() && any.high < margin; }
  // Only at the level for one of k does the interval reach the margin.
  bool is_open_by_number() const { return interval.decides() && interval.high < margin && !is_no_more(); }

  // "RoPE - ALiBi: +3.1 points (95 % +1.2 to +5.0)"
  std::string text() const;
  Evidence evidence(const std::string& what) const;
  // "about 12 runs of each, if they scatter as these do": so that the interval ends above 0 or below the margin.
  std::string runs_to_decide_text() const;
};

// Both samples must decide. `k`: how many such comparisons there are of which one is enough to refute.
Difference difference(const ClaimSample& first, const ClaimSample& second, const std::string& unit, double margin,
                      size_t k = 1);

// "+3.1 points", "212 steps", "0.249": as many digits as the unit deserves.
std::string figure(double value, const std::string& unit);
std::string signed_figure(double value, const std::string& unit);
std::string bare_figure(double value, const std::string& unit);  // likewise, without the unit's name

}  // namespace phasor::paper
