#pragma once
// What each head attends to, in plain numbers over a set of samples. a_ij is the attention of query i to key j, indices
// in the sequence; each stands beside what it would be if a query's attention were even over the keys that it may look
// at (all of them, j <= i where attention is causal, those of the head's window or chunk).
#include <cstdint>
#include <vector>

#include "phasor/model/transformer.h"
#include "phasor/task/dataset.h"

namespace phasor {

struct HeadHabit {
  double mean_distance = 0.0;  // mean over queries of sum_j a_ij |i - j|
  double even_distance = 0.0;
  // The j - i whose mean a_ij / even a_ij is largest, the nearest of equals; only distances that at least a twentieth
  // of the queries have a key at.
  int64_t favourite = 0;
  double favourite_gain = 0.0;  // that mean
  // How much of the variance of w_ij = a_ij / even a_ij distance alone explains,
  //   1 - [sum (w - mean_d w)^2 / (pairs - distances)] / [sum (w - 1)^2 / pairs],
  // mean_d over the pairs with j - i = d. It is 1 where attention is a function of distance, about 0, and then often
  // below it, where distance says nothing, and 0 where attention is even to the rounding of fp32.
  double distance_share = 0.0;
  double entropy = 0.0;  // mean over queries of that of a_i., nats
  double even_entropy = 0.0;

  bool operator==(const HeadHabit&) const = default;
};

// [layers][heads], over the first samples of the set; `batch` of them at once, on which no number depends. Throws
// UsageError where there are none.
std::vector<std::vector<HeadHabit>> head_habits(Transformer& model, const Dataset& data, int64_t samples = 256,
                                                int64_t batch = 64);

}  // namespace phasor
