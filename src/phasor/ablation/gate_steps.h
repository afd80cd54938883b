#pragma once
// How wide a step a token is, on average: what gates come to along a sequence, with the content of its tokens taken
// out.
#include <cstdint>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/task/batch.h"

namespace phasor {

// [tokens, heads] of the last pass; empty without gates.
std::vector<double> prefix_rows(Backend& backend, const Attention& attention, int64_t tokens);

class GateSteps {
 public:
  explicit GateSteps(int64_t heads) : sums_(static_cast<size_t>(heads)) {}

  // Every batch of the set once; `prefix` as from prefix_rows().
  void add(const Batch& batch, const std::vector<double>& prefix);
  // The mean step of each head over the other samples; `own` is the prefix of this one, which was added. Of a set with
  // no other sample, its own mean.
  std::vector<double> others(const double* own, int64_t length) const;

 private:
  std::vector<double> sums_;  // [heads], over all steps
  int64_t steps_ = 0;         // the first token of a sequence makes none: nothing lies in front of it
};

}  // namespace phasor
