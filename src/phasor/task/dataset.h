#pragma once
// A fixed set of distinct samples, kept ragged, and the order in which training visits it. Both are
// pure functions of the data seed.
#include <cstdint>
#include <span>
#include <vector>

#include "phasor/task/batch.h"
#include "phasor/task/distinct_index.h"
#include "phasor/task/sample_rules.h"
#include "phasor/task/task.h"

namespace phasor {

class Dataset {
 public:
  int64_t size() const { return static_cast<int64_t>(places_.size()); }
  int64_t length(int64_t sample) const;
  std::span<const int32_t> tokens(int64_t sample) const;
  std::span<const int32_t> targets(int64_t sample) const;
  bool scored(int64_t sample) const;  // some target counts
  void append_to(Batch& batch, int64_t sample) const;
  void append(const Sample& sample);
  void append(const Dataset& from, int64_t sample);

 private:
  std::vector<int32_t> tokens_, targets_, places_;
  std::vector<int64_t> token_offsets_{0}, target_offsets_{0};
};

struct SplitSizes {
  int64_t train = 0;
  int64_t test = 0;
  int64_t validation = 0;
};

// The three share no sample: they are the first, the next and the last of the distinct samples of one stream (a
// repeated token sequence is skipped).
struct Split {
  Dataset train;
  Dataset test;
  Dataset validation;
};

// Throws UsageError when the task has too few distinct samples to fill the sets.
Split make_split(const Task& task, uint64_t data_seed, const SplitSizes& sizes, const SampleRules& rules = {});

// Endless training samples, numbered from 0, none of them in the test or validation set it was made with. A sample
// depends on its number, the data seed and those sets alone.
class SampleStream {
 public:
  // Keeps references to the task and the split.
  SampleStream(const Task& task, uint64_t data_seed, const Split& split, const SampleRules& rules);
  // Throws UsageError when samples outside the held-out sets are too rare to be found.
  Sample sample(int64_t number) const;

 private:
  bool is_held_out(const Sample& sample) const;

  const Task& task_;
  const Split& split_;
  TaskShape shape_;
  SampleRules rules_;
  uint64_t data_seed_;
  DistinctIndex held_out_;
};

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
