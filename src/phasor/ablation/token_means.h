#pragma once
// Means of numbers that every token has, over the tokens of other sequences.
#include <cstdint>
#include <vector>

#include "phasor/task/batch.h"

namespace phasor {

class TokenMeans {
 public:
  // Every batch of the set once: [tokens, columns], or nothing at all.
  void add(const Batch& batch, const std::vector<float>& rows);
  // Over the other samples; `own` are this one's [length, columns], which were added. Of a set with no other sample,
  // its own mean.
  std::vector<double> others(const float* own, int64_t length) const;

 private:
  std::vector<double> sums_;  // [columns]
  int64_t tokens_ = 0;
};

}  // namespace phasor
