#pragma once
// The largest learning rate that still trains a run's model: short trainings from its first weights, at rates twice as
// large until one fails (or half as large until one succeeds), then between the two by halves of the exponent, down to
// a factor of 2^(1/4). That rates which fail stay above those which train is assumed, not checked.
#include <cstdint>
#include <functional>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/run/config.h"

namespace phasor {

struct RateSearch {
  int64_t steps = 200;   // of a training: the run's warm-up share of them, then at the full rate to the end
  int64_t batches = 10;  // that a mean loss is taken over
  double fall = 0.05;    // a training succeeds where the loss falls by this share of the first one
  int64_t doublings = 16;
};

struct RateTrial {
  double rate = 0.0;
  // Means of batch losses: the first `batches` under the first weights, without dropout; the last ones as trained on.
  double first_loss = 0.0, last_loss = 0.0;
  bool finite = true;  // every loss and gradient was
  int64_t steps = 0;   // done: fewer where something was not finite
  bool trains = false;
};

struct LargestRate {
  double rate = 0.0;     // 0: none of those tried trains
  double failing = 0.0;  // the least that failed; 0: none did
  std::vector<RateTrial> trials;
};

// One training of the configuration at this rate.
RateTrial try_rate(Backend& backend, const RunConfig& config, double rate, const RateSearch& search);

LargestRate largest_rate(Backend& backend, const RunConfig& config, const RateSearch& search,
                         const std::function<void(const RateTrial&)>& progress = {});

// The search alone, from `first` on.
LargestRate largest_rate(const std::function<RateTrial(double)>& attempt, double first, int64_t doublings);

}  // namespace phasor
