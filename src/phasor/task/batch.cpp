#include "phasor/task/batch.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "phasor/base/error.h"

namespace phasor {

void Batch::clear() {
  tokens.clear();
  offsets.assign(1, 0);
  positions.clear();
  targets.clear();
  target_weights.clear();
  places.clear();
}

void Batch::append(const int32_t* sample_tokens, int64_t length, const int32_t* sample_targets, int64_t target_count,
                   int32_t place) {
  constexpr int64_t kMostTokens = std::numeric_limits<int32_t>::max();
  if (token_count() + length > kMostTokens) {
    fail("a batch of {} tokens has no room for {} more: offsets end at {}", token_count(), length, kMostTokens);
  }
  tokens.insert(tokens.end(), sample_tokens, sample_tokens + length);
  offsets.push_back(static_cast<int32_t>(tokens.size()));
  positions.resize(tokens.size());
  std::iota(positions.end() - length, positions.end(), 0);
  targets.insert(targets.end(), sample_targets, sample_targets + target_count);
  places.push_back(place);
}

void Batch::append(const Sample& sample) {
  append(sample.tokens.data(), static_cast<int64_t>(sample.tokens.size()), sample.targets.data(),
         static_cast<int64_t>(sample.targets.size()), sample.place);
}

void Batch::finish() {
  const int64_t scored = static_cast<int64_t>(targets.size()) - std::count(targets.begin(), targets.end(), kNotScored);
  const float weight = scored == 0 ? 0.0f : 1.0f / static_cast<float>(scored);
  target_weights.resize(targets.size());
  std::transform(targets.begin(), targets.end(), target_weights.begin(),
                 [weight](int32_t target) { return target == kNotScored ? 0.0f : weight; });
}

}  // namespace phasor
