// Trigger counting: how many tokens are trigger words, wherever they stand.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// Trigger words are 0 .. triggers - 1. Both kinds are drawn with replacement; class = number of triggers.
class CountingTask final : public Task {
 public:
  explicit CountingTask(const TaskValues& values)
      : vocabulary_(static_cast<int32_t>(values[0])),
        triggers_(static_cast<int32_t>(values[1])),
        length_(static_cast<int32_t>(values[2])),
        most_(static_cast<int32_t>(values[3])) {
    if (triggers_ >= vocabulary_) {
      fail_usage(
          "task.triggers: {} trigger words leave no other word in a vocabulary of {}; at most {}, or task.vocabulary "
          "at least {}",
          triggers_, vocabulary_, vocabulary_ - 1, triggers_ + 1);
    }
    if (most_ > length_) {
      fail_usage("task.most: {} triggers do not fit into {} tokens; at most {}, or task.length at least {}", most_,
                 length_, length_, most_);
    }
  }

  TaskShape shape() const override {
    return {.vocabulary = vocabulary_,
            .classes = most_ + 1,
            .max_length = length_ + extra_,
            .readout = Readout::mean,
            .pad_word = vocabulary_ - 1,
            .words = {{"triggers", 0, triggers_ - 1}, {"fillers", triggers_, vocabulary_ - 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t count = draw_between(draws, 0, most_);
    const int32_t length = length_ + extra_;
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(length));
    // A place is a trigger's with the chance (triggers left) / (places left): every set of places is equally likely.
    int32_t triggers_left = count;
    for (int32_t places_left = length; places_left > 0; --places_left) {
      const bool trigger = static_cast<int32_t>(draws.below(static_cast<uint32_t>(places_left))) < triggers_left;
      triggers_left -= trigger ? 1 : 0;
      sample.tokens.push_back(trigger ? draw_between(draws, 0, triggers_ - 1)
                                      : draw_between(draws, triggers_, vocabulary_ - 1));
    }
    sample.targets = {count};
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const auto is_trigger = [this](int32_t token) { return token < triggers_; };
    const auto count = std::count_if(tokens.begin(), tokens.end(), is_trigger);
    if (count > most_) fail("counting: the {} tokens hold {} triggers, more than {}", tokens.size(), count, most_);
    return {static_cast<int32_t>(count)};
  }

  // Other words alone are added: the counts are those of training.
  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<CountingTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t vocabulary_;
  int32_t triggers_;
  int32_t length_;
  int32_t most_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry counting_task() {
  return {
      .name = "counting",
      .summary = "how many tokens are trigger words, wherever they stand (class = count)",
      .options =
          {{.name = "vocabulary",
            .help = "words, the triggers included",
            .quick = 64,
            .paper = 574,
            .least = 2,
            .most = 65536},
           {.name = "triggers",
            .help = "how many of the words are triggers: 0 to triggers - 1",
            .quick = 8,
            .paper = 30,
            .least = 1,
            .most = 65535},
           {.name = "length", .help = "tokens in a sample", .quick = 24, .paper = 120, .least = 1, .most = 16384},
           {.name = "most",
            .help = "most triggers in a sample; there is one class more, for none",
            .quick = 20,
            .paper = 100,
            .least = 1,
            .most = 16384}},
      .notes =
          "Position is a nuisance: the answer depends on the bag of tokens alone. A model without any encoding solves "
          "it by the mean over tokens, and an encoding can only get in the way: one that adds places to the input has "
          "to be read around, one that weights near tokens more makes attention count unevenly. All sequences have "
          "one length, and every count is as likely, so that nothing but the words says anything.\n\n"
          "At quick size every encoding of the catalogue that was tried learns it. An input term that drowns the words "
          "does not: with `input(\"300*sin(i*(c+1))\")` the norm leaves one part in 300 of a word.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<CountingTask>(values); },
  };
}

}  // namespace phasor
