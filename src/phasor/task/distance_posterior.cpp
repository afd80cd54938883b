#include "phasor/task/distance_posterior.h"

#include <algorithm>
#include <cmath>

namespace phasor {
namespace {

// Where words stand again. A draw of words goes in rounds of all of them, none of which repeats a word.
class Repeats {
 public:
  Repeats(const std::vector<int32_t>& tokens, int32_t vocabulary)
      : vocabulary_(vocabulary), previous_(tokens.size()), distinct_from_(tokens.size() + 1) {
    std::vector<int32_t> last(static_cast<size_t>(vocabulary), -1);
    for (size_t i = 0; i < tokens.size(); ++i) {
      int32_t& place = last[static_cast<size_t>(tokens[i])];
      previous_[i] = place;
      distinct_from_[i + 1] = std::max(distinct_from_[i], place + 1);
      place = static_cast<int32_t>(i);
    }
  }

  // Whether the tokens begin .. end - 1 can be one draw.
  bool one_draw(int32_t begin, int32_t end) const {
    for (int32_t round = begin; round < end; round += vocabulary_) {
      if (distinct_from_[static_cast<size_t>(std::min(end, round + vocabulary_))] > round) return false;
    }
    return true;
  }

  // Whether all tokens but these two can be one draw.
  bool one_draw_without(int32_t first, int32_t second) const {
    const auto left_out = [&](int32_t place) { return place == first || place == second; };
    const auto round = [&](int32_t place) {
      return (place - (place > first ? 1 : 0) - (place > second ? 1 : 0)) / vocabulary_;
    };
    for (int32_t place = 0; place < static_cast<int32_t>(previous_.size()); ++place) {
      if (left_out(place)) continue;
      int32_t before = previous(place);
      while (before >= 0 && left_out(before)) before = previous(before);
      if (before >= 0 && round(before) == round(place)) return false;
    }
    return true;
  }

 private:
  int32_t previous(int32_t place) const { return previous_[static_cast<size_t>(place)]; }

  int32_t vocabulary_;
  std::vector<int32_t> previous_;       // [tokens]: where the same word stands before, -1: nowhere
  std::vector<int32_t> distinct_from_;  // [tokens + 1]: where the longest stretch without repeats ending here begins
};

}  // namespace

DistancePosterior::DistancePosterior(const DistanceLaw& law) : law_(law) {
  const int32_t most = std::max(law.gap + law.more_gap, law.sides + std::max(law.more_left, law.more_right));
  log_ways_.push_back(0.0);
  for (int32_t drawn = 0; drawn < most; ++drawn) {
    log_ways_.push_back(log_ways_.back() + std::log(static_cast<double>(law.vocabulary - drawn % law.vocabulary)));
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
  for (int32_t left = law_.more_left + 1; left <= law_.more_left + law_.sides && left < length; ++left) {
    const int32_t first = tokens[static_cast<size_t>(left)];
    if (first >= law_.trigger_words) continue;
    for (int32_t gap = law_.more_gap + 1; gap <= law_.more_gap + law_.gap && left + gap + 2 < length; ++gap) {
      const int32_t second_place = left + gap + 1;
      const int32_t right = length - second_place - 1;
      if (!law_.is_pair(first, tokens[static_cast<size_t>(second_place)])) continue;
      if (law_.fixed_length) {
        // One draw of as many words for all splits: they are equally likely.
        if (repeats.one_draw_without(left, second_place)) splits.push_back({gap, 0.0});
      } else if (right > law_.more_right && right <= law_.more_right + law_.sides && repeats.one_draw(0, left) &&
                 repeats.one_draw(left + 1, second_place) && repeats.one_draw(second_place + 1, length)) {
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
  std::vector<double> weights(static_cast<size_t>(law_.more_gap + law_.gap) + 1);
  for (const Split& split : splits) weights[static_cast<size_t>(split.gap)] += std::exp(split.log_weight - largest);
  double total = 0.0;
  for (const double weight : weights) total += weight;
  const auto best = std::max_element(weights.begin(), weights.end());
  return {.gap = static_cast<int32_t>(best - weights.begin()), .probability = *best / total};
}

}  // namespace phasor
