#pragma once
// What the runs of one encoding with different seeds say together. Heads are exchangeable between seeds: shares are
// compared in falling order, never by the heads' numbers.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "phasor/ablation/layer_drops.h"
#include "phasor/ablation/verdict.h"
#include "phasor/statistics/bootstrap.h"
#include "phasor/statistics/permutation.h"
#include "phasor/statistics/sample.h"

namespace phasor {

struct SeedRun {
  RunVerdict run;
  LayerDrops key_layer;  // the drops of layer run.layer that it was judged by
};

// How many seeds got a verdict, and which part of all seeds would.
struct Prevalence {
  int64_t seeds = 0;
  statistics::Interval interval;  // 95 %, Clopper and Pearson
  double lower = 0.0;             // one-sided 95 % bound
};

// The key layer of one seed. A layer that is not used, or none of whose heads costs anything, has no shares: the
// estimates are then undefined and the list is empty.
struct SeedShares {
  Deposit verdict = Deposit::undetermined;
  int64_t layer = 0;
  Estimate max_share, n2, necessity, sufficiency;
  std::vector<double> shares;  // falling
};

struct EncodingVerdict {
  // The one that more than half of all seeds would get, by a one-sided 95 % bound, else UNDETERMINED.
  Deposit verdict = Deposit::undetermined;
  std::string reason;
  Prevalence deposit, partial, spread, not_used, undetermined;
  std::vector<SeedShares> seeds;
  // Means over the seeds with shares, by a bootstrap over seeds and then samples. Sufficiency is undefined where one of
  // them lacks it.
  Estimate max_share, n2, necessity, sufficiency;
  int64_t without_shares = 0;
};

struct EncodingOptions {
  int64_t resamples = 1000;
  uint64_t seed = 0;
};

EncodingVerdict judge_encoding(const std::vector<SeedRun>& runs, const EncodingOptions& options = {});

// One number of the key layers of two encodings' seeds. Without test where an encoding has no seed with shares.
struct ShareComparison {
  std::string text;
  std::optional<statistics::PermutationTest> test;            // of the seeds' labels; two-sided
  std::optional<statistics::BootstrapInterval> cliffs_delta;  // positive where the first encoding has more
};

struct EncodingComparison {
  ShareComparison max_share, n2;
  int64_t left_out_first = 0, left_out_second = 0;  // seeds without shares
};

EncodingComparison compare(const EncodingVerdict& first, const EncodingVerdict& second,
                           const EncodingOptions& options = {});

}  // namespace phasor
