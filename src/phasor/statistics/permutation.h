#pragma once
// Permutation tests. Exact where all arrangements can be counted: p is the share of arrangements at least as extreme as
// the one observed, which is itself one of them. Else Monte Carlo: p = (1 + extreme) / (1 + draws), which never is 0
// and never rejects too often; p_range then says where the exact p lies.
//
// Two-sided means by absolute value. Statistics within rounding of the observed one count as equal to it.
#include <cstdint>
#include <functional>

#include "phasor/statistics/sample.h"

namespace phasor::statistics {

enum class Alternative : uint8_t { two_sided, greater, less };

struct PermutationOptions {
  Alternative alternative = Alternative::two_sided;
  int64_t most_exact = 200'000;  // more arrangements than this are drawn at random; 10 against 10 are 184,756
  int64_t draws = 20'000;
  uint64_t seed = 0;
};

struct PermutationTest {
  double statistic = 0.0;  // as observed
  double p = 1.0;
  Interval p_range;          // p itself if exact, else a 99 % interval of the p that all arrangements would give
  double smallest_p = 0.0;   // what samples of these sizes can reach at best, whatever their values
  int64_t arrangements = 0;  // counted or drawn
  bool exact = false;
};

// Do x and y come from one distribution? Splits the pooled values in all ways; the statistic is mean(x) - mean(y).
PermutationTest permute_two_samples(Sample x, Sample y, const PermutationOptions& options = {});
PermutationTest permute_two_samples(Sample x, Sample y, const std::function<double(Sample, Sample)>& statistic,
                                    const PermutationOptions& options = {});

// Are paired differences symmetric about 0? Turns signs in all ways; the statistic is their mean.
PermutationTest flip_signs(Sample differences, const PermutationOptions& options = {});

// The smallest p of exact tests. Two samples of equal size and signs have mirror images that are equally extreme, for
// statistics that turn their sign where samples change places, as a difference does.
double smallest_p_two_samples(int64_t x, int64_t y, Alternative alternative = Alternative::two_sided);
double smallest_p_signs(int64_t differences, Alternative alternative = Alternative::two_sided);

}  // namespace phasor::statistics
