// Distance and counting in one model, told apart by the first token.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// A task word, then a sample of that task: word `vocabulary` for distance, the next one for counting. Both tasks use
// the same words and the same classes.
class JointTask final : public Task {
 public:
  explicit JointTask(const TaskValues& values, int32_t extra = 0)
      : values_(values),
        extra_(extra),
        vocabulary_(static_cast<int32_t>(values[0])),
        gap_(static_cast<int32_t>(values[1])),
        sides_(static_cast<int32_t>(values[2])),
        distance_(distance_task().make({values[0], values[1], values[2], 0, 0, 0, 0, 0})->longer(extra)),
        counting_(counting_task().make({values[0], values[3], values[4], values[5]})->longer(extra)) {}

  TaskShape shape() const override {
    const TaskShape distance = distance_->shape();
    const TaskShape counting = counting_->shape();
    return {.vocabulary = vocabulary_ + 2,
            .classes = std::max(distance.classes, counting.classes),
            .max_length = 1 + std::max(distance.max_length, counting.max_length),
            .readout = Readout::mean,
            .words = {{"tasks", vocabulary_, vocabulary_ + 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    const bool counts = Draws(stream).below(2) == 1;
    // The tasks draw at a site of their own, apart from the choice between them.
    RandomStream part = stream;
    ++part.site;
    Sample sample = (counts ? counting_ : distance_)->sample(part);
    sample.tokens.insert(sample.tokens.begin(), counts ? vocabulary_ + 1 : vocabulary_);
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const int32_t task = tokens.empty() ? -1 : tokens[0] - vocabulary_;
    if (task != 0 && task != 1) {
      fail("joint: the first of {} tokens is neither word {} (distance) nor word {} (counting)", tokens.size(),
           vocabulary_, vocabulary_ + 1);
    }
    return (task == 1 ? counting_ : distance_)->solve({tokens.begin() + 1, tokens.end()});
  }

  // Samples of counting have one length. At every other the best is distance's, at this one it depends on both.
  std::optional<double> best_from_length() const override {
    const TaskShape counting = counting_->shape();
    const auto length = static_cast<int32_t>(counting.max_length) - extra_;  // both tasks are as much longer
    double distance_there = 0.0, best_there = 0.0;
    for (int32_t target = 0; target < shape().classes; ++target) {
      const double of_distance = target < gap_ ? distance_share(length, target + 1) : 0.0;
      const double of_counting = target < counting.classes ? 1.0 / static_cast<double>(counting.classes) : 0.0;
      distance_there = std::max(distance_there, of_distance);
      best_there = std::max(best_there, of_distance + of_counting);
    }
    return 0.5 * (distance_->best_from_length().value() - distance_there + best_there);
  }

  // Both tasks grow by as much, so that the length tells them apart no better than in training.
  std::unique_ptr<Task> longer(int64_t extra) const override {
    return std::make_unique<JointTask>(values_, add_extra(extra_, extra));
  }

 private:
  // The chance that a sample of distance has this length and this gap.
  double distance_share(int32_t length, int32_t gap) const {
    const int32_t both_sides = length - gap - 2;
    const int32_t ways = std::max(0, sides_ - std::abs(both_sides - sides_ - 1));
    return static_cast<double>(ways) / (static_cast<double>(gap_) * sides_ * sides_);
  }

  TaskValues values_;
  int32_t extra_;
  int32_t vocabulary_;
  int32_t gap_;
  int32_t sides_;
  std::unique_ptr<Task> distance_;
  std::unique_ptr<Task> counting_;
};

// The option of a task that is part of this one, under the same name.
TaskOption option_of(const TaskEntry& entry, const char* name) {
  const auto found = std::find_if(entry.options.begin(), entry.options.end(),
                                  [name](const TaskOption& option) { return option.name == name; });
  TaskOption option = *found;
  option.help = fmt::format("{}: {}", entry.name, option.help);
  return option;
}

}  // namespace

TaskEntry joint_task() {
  const TaskEntry distance = distance_task(), counting = counting_task();
  TaskOption vocabulary = option_of(distance, "vocabulary");
  vocabulary.help = "words that both tasks use, the triggers included; two more name the task";
  return {
      .name = "joint",
      .summary = "distance or counting, whichever the first token names",
      .options = {vocabulary, option_of(distance, "gap"), option_of(distance, "sides"), option_of(counting, "triggers"),
                  option_of(counting, "length"), option_of(counting, "most")},
      .notes =
          "One model for a task that needs position and one to which position is a nuisance, half of the samples each: "
          "does learning one cost the other, and do the same heads carry both? Words, triggers 0 and 1 and the classes "
          "are shared, so that the task word has to be read. Distance has the settings `triggers=fixed`, "
          "`fillers=distinct` and `length=natural`. Without an encoding and without a causal mask the counting half "
          "can "
          "be learned and of the distance half what its length allows.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<JointTask>(values); },
  };
}

}  // namespace phasor
