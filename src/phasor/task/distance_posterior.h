#pragma once
// How likely each gap is, given the tokens of a distance sample: Bayes' rule on the law by which samples are drawn.
#include <cstdint>
#include <vector>

namespace phasor {

// What a distance sample is drawn from. The gap and the left side are uniform from 1 on, and so is the right side
// unless the length is fixed: then it takes what is left. To each of them comes what longer samples have more.
struct DistanceLaw {
  int32_t vocabulary = 0;
  int32_t gap = 0;               // most tokens between the triggers
  int32_t sides = 0;             // most tokens left of the first trigger (and right of the second)
  int32_t trigger_words = 0;     // the words 0 .. trigger_words - 1
  bool varied_triggers = false;  // any two different trigger words, drawn anew; else word 0, then word 1
  bool fillers_any = false;      // fillers may be trigger words
  bool fixed_length = false;     // fillers are all different; else different within a segment
  int32_t more_left = 0;         // tokens that longer samples have there. Fillers that need more words than there are
  int32_t more_gap = 0;          // come in rounds of all words
  int32_t more_right = 0;

  int32_t longest() const { return 2 * sides + gap + 2 + more_left + more_gap + more_right; }
  bool is_pair(int32_t first, int32_t second) const {
    if (!varied_triggers) return first == 0 && second == 1;
    return first < trigger_words && second < trigger_words && first != second;
  }
};

class DistancePosterior {
 public:
  explicit DistancePosterior(const DistanceLaw& law);

  struct Answer {
    int32_t gap = 0;           // the likeliest one, the smallest among equals; 0 when the law cannot make the tokens
    double probability = 0.0;  // 1 exactly where no other gap is possible
  };
  Answer likeliest(const std::vector<int32_t>& tokens) const;

 private:
  struct Split {
    int32_t gap;
    double log_weight;
  };
  std::vector<Split> possible_splits(const std::vector<int32_t>& tokens) const;

  DistanceLaw law_;
  // The logarithm of V (V - 1) ... (V - k + 1), then of V again: of the number of ways to draw k words in rounds.
  std::vector<double> log_ways_;
};

}  // namespace phasor
