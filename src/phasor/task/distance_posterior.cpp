#include "phasor/task/distance_posterior.h"

#include <algorithm>
#include <cmath>

namespace phasor {
namespace {

// Which stretches of the tokens repeat a word, and how often all of them do.
class Repeats {
 public:
  Repeats(const std::vector<int32_t>& tokens, int32_t vocabulary)
      : tokens_(tokens), counts_(static_cast<size_t>(vocabulary)), distinct_from_(tokens.size() + 1) {
    std::vector<int32_t> after_last(static_cast<size_t>(vocabulary));
    for (size_t i = 0; i < tokens.size(); ++i) {
      const auto word = static_cast<size_t>(tokens[i]);
      distinct_from_[i + 1] = std::max(distinct_from_[i], after_last[word]);
      after_last[word] = static_cast<int32_t>(i) + 1;
      repeats_ += counts_[word]++ > 0 ? 1 : 0;
    }
  }

  bool distinct(int32_t begin, int32_t end) const { return distinct_from_[static_cast<size_t>(end)] <= begin; }

  // Whether all tokens but these two, which are different words, are different.
  bool distinct_without(int32_t first, int32_t second) const {
    return repeats_ == (repeated(first) ? 1 : 0) + (repeated(second) ? 1 : 0);
  }

 private:
  bool repeated(int32_t place) const { return counts_[static_cast<size_t>(tokens_[static_cast<size_t>(place)])] > 1; }

  const std::vector<int32_t>& tokens_;
  std::vector<int32_t> counts_;         // [vocabulary]
  std::vector<int32_t> distinct_from_;  // [tokens + 1]: where the longest stretch without repeats ending here begins
  int32_t repeats_ = 0;                 // tokens less different words
};

}  // namespace

DistancePosterior::DistancePosterior(const DistanceLaw& law) : law_(law) {
  const int32_t most = std::max(law.gap, law.sides);
  log_ways_.push_back(0.0);
  for (int32_t drawn = 0; drawn < most; ++drawn) {
    log_ways_.push_back(log_ways_.back() + std::log(static_cast<double>(law.vocabulary - drawn)));
  }
}

std::vector<DistancePosterior::Split> DistancePosterior::possible_splits(const std::vector<int32_t>& tokens) const {
  const auto length = static_cast<int32_t>(tokens.size());
  std::vector<Split> splits;
  const auto is_word = [&](int32_t token) { return token >= 0 && token < law_.vocabulary; };
  if (!std::all_of(tokens.begin(), tokens.end(), is_word)) return splits;
  if (law_.fixed_length && length != law_.longest()) return splits;
  const auto log_ways = [&](int32_t count) { return log_ways_[static_cast<size_t>(count)]; };
  const Repeats repeats(tokens, law_.vocabulary);
  for (int32_t left = 1; left <= law_.sides && left < length; ++left) {
    const int32_t first = tokens[static_cast<size_t>(left)];
    if (first >= law_.trigger_words) continue;
    for (int32_t gap = 1; gap <= law_.gap && left + gap + 2 < length; ++gap) {
      const int32_t second_place = left + gap + 1;
      const int32_t right = length - second_place - 1;
      if (!law_.is_pair(first, tokens[static_cast<size_t>(second_place)])) continue;
      if (law_.fixed_length) {
        // One draw of as many words for all splits: they are equally likely.
        if (repeats.distinct_without(left, second_place)) splits.push_back({gap, 0.0});
      } else if (right <= law_.sides && repeats.distinct(0, left) && repeats.distinct(left + 1, second_place) &&
                 repeats.distinct(second_place + 1, length)) {
        splits.push_back({gap, -log_ways(left) - log_ways(gap) - log_ways(right)});
      }
    }
  }
  return splits;
}

DistancePosterior::Answer DistancePosterior::likeliest(const std::vector<int32_t>& tokens) const {
  const std::vector<Split> splits = possible_splits(tokens);
  if (splits.empty()) return {};
  // The weights themselves may be too small for a double; relative to the largest they are not.
  double largest = splits[0].log_weight;
  for (const Split& split : splits) largest = std::max(largest, split.log_weight);
  std::vector<double> weights(static_cast<size_t>(law_.gap) + 1);
  for (const Split& split : splits) weights[static_cast<size_t>(split.gap)] += std::exp(split.log_weight - largest);
  double total = 0.0;
  for (const double weight : weights) total += weight;
  const auto best = std::max_element(weights.begin(), weights.end());
  return {.gap = static_cast<int32_t>(best - weights.begin()), .probability = *best / total};
}

}  // namespace phasor
