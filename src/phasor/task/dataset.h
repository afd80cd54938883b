#pragma once
// A fixed set of distinct samples, kept ragged, and the order in which training visits it. Both are
// pure functions of the data seed.
#include <cstdint>
#include <span>
#include <vector>

#include "phasor/task/batch.h"
#include "phasor/task/task.h"

namespace phasor {

class Dataset {
 public:
  int64_t size() const { return static_cast<int64_t>(places_.size()); }
  int64_t length(int64_t sample) const;
  std::span<const int32_t> tokens(int64_t sample) const;
  std::span<const int32_t> targets(int64_t sample) const;
  void append_to(Batch& batch, int64_t sample) const;
  void append(const Sample& sample);

 private:
  std::vector<int32_t> tokens_, targets_, places_;
  std::vector<int64_t> token_offsets_{0}, target_offsets_{0};
};

// Train and test share no sample: they are the first train_size and the next test_size of the
// distinct samples of one stream (a repeated token sequence is skipped).
struct Split {
  Dataset train;
  Dataset test;
};

// Throws UsageError when the task has too few distinct samples to fill the sets.
Split make_split(const Task& task, uint64_t data_seed, int64_t train_size, int64_t test_size);

// Epochs of fresh permutations laid end to end; batch b holds places b * batch_size .. + batch_size - 1
// of that row, so every batch has the same size and an epoch may end inside one.
class EpochOrder {
 public:
  EpochOrder(uint64_t data_seed, int64_t samples) : data_seed_(data_seed), samples_(samples) {}
  // The sample visited at this place of the row.
  int64_t sample(int64_t place);

 private:
  uint64_t data_seed_;
  int64_t samples_;
  int64_t epoch_ = -1;
  std::vector<int32_t> permutation_;
};

}  // namespace phasor
