#pragma once
// What an accuracy has to be held against: what can be had without reading the tokens, what the simple rule gives,
// and the most that anything can reach. Estimated from drawn samples, apart from those of any data set.
#include <cstdint>

#include "phasor/task/task.h"

namespace phasor {

struct TaskFloors {
  double chance = 0.0;     // a class at random
  double constant = 0.0;   // the commonest class, always
  double length = 0.0;     // the commonest class for the sequence's length (and place, where every token is asked)
  double rule = 0.0;       // the simple rule
  double ceiling = 0.0;    // the best answer that tokens allow
  double ambiguous = 0.0;  // share of samples whose tokens leave more than one answer open
  double decoys = 0.0;     // share of samples with a trigger word in a filler's place
  int64_t samples = 0;
  double error = 0.0;  // one standard deviation of these estimates, at most
};

// The choices of `constant` and `length` are made on one half of the samples and scored on the other, so that they
// can be had in earnest; where the task knows its best_from_length(), `length` is that. All shares are those of the
// second half. Throws UsageError for fewer than 2 samples.
TaskFloors measure_floors(const Task& task, int64_t samples);

}  // namespace phasor
