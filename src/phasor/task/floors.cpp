#include "phasor/task/floors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "phasor/base/error.h"

namespace phasor {
namespace {

// Counts of classes for one length and place.
class Counts {
 public:
  void add(int32_t target) { ++counts_[target]; }
  int32_t commonest() const {
    int32_t best = kNotScored;
    int64_t most = 0;
    for (const auto& [target, count] : counts_) {
      if (count > most) best = target;
      most = std::max(most, count);
    }
    return best;
  }

 private:
  std::map<int32_t, int64_t> counts_;
};

}  // namespace

TaskFloors measure_floors(const Task& task, int64_t samples) {
  if (samples < 2) fail_usage("floors: {} samples are too few; at least 2, one to choose by and one to score", samples);
  RandomStream stream{.seed = 0, .purpose = Purpose::floors};
  Counts all;
  std::map<std::pair<size_t, size_t>, Counts> by_length;
  const int64_t half = samples / 2;
  const auto draw = [&](int64_t number) {
    stream.step = static_cast<uint32_t>(number);
    return task.sample(stream);
  };
  for (int64_t number = 0; number < half; ++number) {
    const Sample sample = draw(number);
    for (size_t t = 0; t < sample.targets.size(); ++t) {
      if (sample.targets[t] == kNotScored) continue;
      all.add(sample.targets[t]);
      by_length[{sample.tokens.size(), t}].add(sample.targets[t]);
    }
  }
  const int32_t constant = all.commonest();
  std::map<std::pair<size_t, size_t>, int32_t> choices;
  for (const auto& [place, counts] : by_length) choices[place] = counts.commonest();

  TaskFloors floors;
  double scored = 0.0;
  for (int64_t number = half; number < 2 * half; ++number) {
    const Sample sample = draw(number);
    const std::vector<int32_t> rule = task.simple_rule(sample.tokens);
    const double certainty = task.certainty(sample.tokens);
    floors.ambiguous += certainty < 1.0 ? 1.0 : 0.0;
    floors.decoys += task.has_decoy(sample.tokens) ? 1.0 : 0.0;
    for (size_t t = 0; t < sample.targets.size(); ++t) {
      const int32_t target = sample.targets[t];
      if (target == kNotScored) continue;
      const auto choice = choices.find({sample.tokens.size(), t});
      scored += 1.0;
      floors.constant += target == constant ? 1.0 : 0.0;
      floors.length += choice != choices.end() && choice->second == target ? 1.0 : 0.0;
      floors.rule += rule[t] == target ? 1.0 : 0.0;
      floors.ceiling += certainty;
    }
  }
  floors.chance = 1.0 / static_cast<double>(task.shape().classes);
  for (double* sum : {&floors.constant, &floors.length, &floors.rule, &floors.ceiling}) *sum /= scored;
  floors.length = task.best_from_length().value_or(floors.length);
  floors.ambiguous /= static_cast<double>(half);
  floors.decoys /= static_cast<double>(half);
  floors.samples = 2 * half;
  floors.error = 0.5 / std::sqrt(static_cast<double>(half));
  return floors;
}

}  // namespace phasor
