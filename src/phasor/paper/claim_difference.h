#pragma once
// Two samples of runs against each other, and the two things that claims ask of them. With a margin, the smallest
// difference of interest:
//   more     the first has more (adjusted p <= 0.05, and Welch's 95 % interval above 0), and not surely less than the
//            margin more
//   no more  at least five runs each, and the interval ends below the margin: surely not more by anything of interest;
//            or the first surely has less
// Both at once never hold; neither holds where the runs are too few or too scattered.
#include <string>
#include <vector>

#include "phasor/paper/claim.h"
#include "phasor/paper/claim_sample.h"
#include "phasor/statistics/effect.h"
#include "phasor/statistics/permutation.h"

namespace phasor::paper {

inline constexpr double kClaimLevel = 0.05;
// Intervals of fewer runs miss too often where runs are skewed, and at three against three nothing else could be shown.
inline constexpr int64_t kLeastForNoMore = 5;

struct Difference {
  std::string first, second;  // labels
  std::string unit;           // of the interval: "points"
  double margin = 0.0;
  double level = 0.95;                // of the interval
  statistics::MeanInterval interval;  // first - second
  statistics::PermutationTest test;   // two-sided
  double holm = 1.0;
  int64_t family = 1;
  int64_t runs = 0;  // of the smaller sample

  bool is_more() const;
  // What is surely less needs no five runs: a test shows it, at the interval's level.
  bool is_less() const { return interval.high < 0.0 && test.p <= 1.0 - level; }
  bool is_no_more() const { return (runs >= kLeastForNoMore && interval.high < margin) || is_less(); }
  // The interval says no more, but of too few runs.
  bool is_short_of_runs() const { return interval.high < margin && !is_no_more(); }
  // Whatever the runs had been, adjusted p could not have reached 0.05.
  bool is_too_small() const { return test.smallest_p * static_cast<double>(family) > kClaimLevel; }

  // "RoPE - ALiBi: +3.1 points (95 % +1.2 to +5.0), p = 0.008, after Holm 0.040"
  std::string text() const;
  Evidence evidence(const std::string& what) const;
  // "about 12 runs of each, if they scatter as these do": so that the interval ends above 0 or below the margin.
  std::string runs_to_decide_text() const;
};

// Both samples must decide. Not adjusted: a comparison of its own.
Difference difference(const ClaimSample& first, const ClaimSample& second, const std::string& unit, double margin,
                      double level = 0.95);

// Holm's correction over all of a claim's comparisons, `planned` of them; those that could not be made count with p
// = 1.
void adjust(const std::vector<Difference*>& family, size_t planned);

// "3 against 3 runs can reach p = 0.30 at best after a correction for 3 comparisons"
std::string too_small_text(const Difference& difference);
// The smallest number of runs on each side whose adjusted p can reach 0.05: "at least 5 converged runs of each".
std::string runs_needed_text(int64_t family);

// "+3.1 points", "212 steps", "0.249": as many digits as the unit deserves.
std::string figure(double value, const std::string& unit);
std::string signed_figure(double value, const std::string& unit);
std::string bare_figure(double value, const std::string& unit);  // likewise, without the unit's name

}  // namespace phasor::paper
