#pragma once
// The draws that tasks are made of.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "phasor/random/distributions.h"

namespace phasor {

// Uniform in least .. most.
inline int32_t draw_between(Draws& draws, int32_t least, int32_t most) {
  return least + static_cast<int32_t>(draws.below(static_cast<uint32_t>(most - least + 1)));
}

// Uniform in (0, 1).
inline double draw_share(Draws& draws) { return (draws.below(1u << 31) + 0.5) * 0x1.0p-31; }

// One of 0 .. count - 1, each with a chance in proportion to its weight(i), which is never negative; not all are 0.
template <class Weight>
size_t draw_weighted(Draws& draws, size_t count, const Weight& weight) {
  double total = 0.0;
  for (size_t i = 0; i < count; ++i) total += weight(i);
  double left = draw_share(draws) * total;
  size_t chosen = count;
  for (size_t i = 0; i < count && left >= 0.0; ++i) {
    if (weight(i) <= 0.0) continue;
    left -= weight(i);
    chosen = i;  // the last one that has a weight, should rounding leave a rest
  }
  return chosen;
}

// Words drawn without repeating one: a Fisher-Yates shuffle that goes as far as it is asked to. Once every word has
// come, a fresh round begins; tasks that promise different words see to it that one round is enough.
class DistinctWords {
 public:
  // Out of the words begin .. end - 1.
  DistinctWords(int32_t begin, int32_t end) : pool_(static_cast<size_t>(end - begin)) {
    std::iota(pool_.begin(), pool_.end(), begin);
  }

  int32_t next(Draws& draws) {
    if (taken_ == pool_.size()) put_back();
    const size_t chosen = taken_ + draws.below(static_cast<uint32_t>(pool_.size() - taken_));
    std::swap(pool_[taken_], pool_[chosen]);
    return pool_[taken_++];
  }

  // Every word may come again. The pool keeps its order, which does not matter to the next draws.
  void put_back() { taken_ = 0; }

 private:
  std::vector<int32_t> pool_;
  size_t taken_ = 0;
};

}  // namespace phasor
