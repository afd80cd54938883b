#include "phasor/task/dataset.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

constexpr int64_t kMostSamples = std::numeric_limits<int32_t>::max();

// So many repeats in a row mean that well under a thousandth of the draws is new.
constexpr int64_t kLongestStreak = 10000;

// Tasks may draw at a few sites beside the one they are given.
constexpr uint32_t kSitesPerAttempt = 16;
constexpr uint64_t kNextAttempt = 0xD1342543DE82EF95u;  // far from the data seeds that people choose

bool equal_tokens(std::span<const int32_t> a, const std::vector<int32_t>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

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

bool Dataset::scored(int64_t sample) const {
  const std::span<const int32_t> all = targets(sample);
  return std::any_of(all.begin(), all.end(), [](int32_t target) { return target != kNotScored; });
}

void Dataset::append(const Dataset& from, int64_t sample) {
  const std::span<const int32_t> words = from.tokens(sample);
  const std::span<const int32_t> answers = from.targets(sample);
  append({{words.begin(), words.end()}, {answers.begin(), answers.end()}, from.places_[static_cast<size_t>(sample)]});
}

void Dataset::append(const Sample& sample) {
  tokens_.insert(tokens_.end(), sample.tokens.begin(), sample.tokens.end());
  targets_.insert(targets_.end(), sample.targets.begin(), sample.targets.end());
  token_offsets_.push_back(static_cast<int64_t>(tokens_.size()));
  target_offsets_.push_back(static_cast<int64_t>(targets_.size()));
  places_.push_back(sample.place);
}

Split make_split(const Task& task, uint64_t data_seed, const SplitSizes& sizes, const SampleRules& rules) {
  const int64_t held_out = sizes.test + sizes.validation;
  if (sizes.train < 0 || sizes.test < 0 || sizes.validation < 0 || sizes.test > kMostSamples - sizes.validation ||
      sizes.train > kMostSamples - held_out) {
    fail_usage("data.train: {} training, {} test and {} validation samples are out of range, together 0 to {}",
               sizes.train, sizes.test, sizes.validation, kMostSamples);
  }
  const int64_t wanted = sizes.train + held_out;
  const TaskShape shape = task.shape();
  Split split;
  DistinctIndex seen(wanted);
  RandomStream stream{.seed = data_seed, .purpose = Purpose::data};
  const auto known = [&](int64_t number) {
    if (number < sizes.train) return split.train.tokens(number);
    number -= sizes.train;
    return number < sizes.test ? split.test.tokens(number) : split.validation.tokens(number - sizes.test);
  };
  int64_t found = 0;
  for (int64_t draws = 0, streak = 0; found < wanted; ++draws) {
    if (streak == kLongestStreak || draws > std::numeric_limits<uint32_t>::max()) {
      fail_usage(
          "data.train: the task gave only {} different samples in {} draws, and {} are asked for ({} train, {} test, "
          "{} validation); ask for fewer, or widen the task's options",
          found, draws, wanted, sizes.train, sizes.test, sizes.validation);
    }
    stop_if_cancelled();
    stream.step = static_cast<uint32_t>(draws);
    const Sample sample = rules.apply(task.sample(stream), shape);
    const auto is_sample = [&](int64_t number) { return equal_tokens(known(number), sample.tokens); };
    if (!seen.insert(hash_sequence(sample.tokens), is_sample)) {
      ++streak;
      continue;
    }
    streak = 0;
    const int64_t place = found++ - sizes.train;
    (place < 0 ? split.train : place < sizes.test ? split.test : split.validation).append(sample);
  }
  return split;
}

SampleStream::SampleStream(const Task& task, uint64_t data_seed, const Split& split, const SampleRules& rules)
    : task_(task),
      split_(split),
      shape_(task.shape()),
      rules_(rules),
      data_seed_(data_seed),
      held_out_(split.test.size() + split.validation.size()) {
  for (const Dataset* set : {&split.test, &split.validation}) {
    for (int64_t i = 0; i < set->size(); ++i) {
      held_out_.insert(hash_sequence(set->tokens(i)), [](int64_t) { return false; });  // they are distinct already
    }
  }
}

bool SampleStream::is_held_out(const Sample& sample) const {
  return held_out_.contains(hash_sequence(sample.tokens), [&](int64_t number) {
    const int64_t tests = split_.test.size();
    return equal_tokens(number < tests ? split_.test.tokens(number) : split_.validation.tokens(number - tests),
                        sample.tokens);
  });
}

Sample SampleStream::sample(int64_t number) const {
  RandomStream stream{.seed = data_seed_,
                      .purpose = Purpose::stream,
                      .site = static_cast<uint32_t>(number >> 32) * kSitesPerAttempt,
                      .step = static_cast<uint32_t>(number)};
  for (int64_t attempt = 0; attempt < kLongestStreak; ++attempt) {
    Sample sample = rules_.apply(task_.sample(stream), shape_);
    if (!is_held_out(sample)) return sample;
    stream.seed += kNextAttempt;
  }
  fail_usage(
      "data.source=stream: {} draws in a row are in the test or validation set, so there is nothing left to train on; "
      "ask for smaller sets, or widen the task's options",
      kLongestStreak);
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
