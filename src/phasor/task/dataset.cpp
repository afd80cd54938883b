#include "phasor/task/dataset.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"
#include "phasor/task/distinct_index.h"

namespace phasor {
namespace {

constexpr int64_t kMostSamples = std::numeric_limits<int32_t>::max();

// So many repeats in a row mean that well under a thousandth of the draws is new.
constexpr int64_t kLongestStreak = 10000;

std::span<const int32_t> segment(const std::vector<int32_t>& values, const std::vector<int64_t>& offsets, int64_t i) {
  const auto at = offsets.begin() + i;
  return {values.data() + at[0], static_cast<size_t>(at[1] - at[0])};
}

}  // namespace

int64_t Dataset::length(int64_t sample) const { return static_cast<int64_t>(tokens(sample).size()); }

std::span<const int32_t> Dataset::tokens(int64_t sample) const { return segment(tokens_, token_offsets_, sample); }

std::span<const int32_t> Dataset::targets(int64_t sample) const { return segment(targets_, target_offsets_, sample); }

void Dataset::append_to(Batch& batch, int64_t sample) const {
  const std::span<const int32_t> words = tokens(sample);
  const std::span<const int32_t> answers = targets(sample);
  batch.append(words.data(), static_cast<int64_t>(words.size()), answers.data(), static_cast<int64_t>(answers.size()),
               places_[static_cast<size_t>(sample)]);
}

void Dataset::append(const Sample& sample) {
  tokens_.insert(tokens_.end(), sample.tokens.begin(), sample.tokens.end());
  targets_.insert(targets_.end(), sample.targets.begin(), sample.targets.end());
  token_offsets_.push_back(static_cast<int64_t>(tokens_.size()));
  target_offsets_.push_back(static_cast<int64_t>(targets_.size()));
  places_.push_back(sample.place);
}

Split make_split(const Task& task, uint64_t data_seed, int64_t train_size, int64_t test_size) {
  if (train_size < 0 || test_size < 0 || train_size > kMostSamples - test_size) {
    fail_usage("data.train: {} training and {} test samples are out of range, together 0 to {}", train_size, test_size,
               kMostSamples);
  }
  const int64_t wanted = train_size + test_size;
  Split split;
  DistinctIndex seen(wanted);
  RandomStream stream{.seed = data_seed, .purpose = Purpose::data};
  int64_t found = 0;
  for (int64_t draws = 0, streak = 0; found < wanted; ++draws) {
    if (streak == kLongestStreak || draws > std::numeric_limits<uint32_t>::max()) {
      fail_usage(
          "data.train: the task gave only {} different samples in {} draws, and {} are asked for ({} train, {} test); "
          "ask for fewer, or widen the task's options",
          found, draws, wanted, train_size, test_size);
    }
    stream.step = static_cast<uint32_t>(draws);
    const Sample sample = task.sample(stream);
    const auto is_sample = [&](int64_t number) {
      const bool in_train = number < train_size;
      const auto known = in_train ? split.train.tokens(number) : split.test.tokens(number - train_size);
      return std::equal(known.begin(), known.end(), sample.tokens.begin(), sample.tokens.end());
    };
    if (!seen.insert(hash_sequence(sample.tokens), is_sample)) {
      ++streak;
      continue;
    }
    streak = 0;
    (found < train_size ? split.train : split.test).append(sample);
    ++found;
  }
  return split;
}

int64_t EpochOrder::sample(int64_t place) {
  const int64_t epoch = place / samples_;
  if (epoch != epoch_) {
    permutation_.resize(static_cast<size_t>(samples_));
    std::iota(permutation_.begin(), permutation_.end(), 0);
    Draws draws({.seed = data_seed_, .purpose = Purpose::shuffle, .step = static_cast<uint32_t>(epoch)});
    for (uint32_t i = static_cast<uint32_t>(samples_); i > 1; --i) {
      std::swap(permutation_[i - 1], permutation_[draws.below(i)]);
    }
    epoch_ = epoch;
  }
  return permutation_[static_cast<size_t>(place % samples_)];
}

}  // namespace phasor
