// Copying and reversing a string, word by word, with a causal model. A sequence of a string of n words has 2 n + 1
// tokens, so longer() adds extra / 2 words, an odd extra rounded down.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// A string, the separator (word `vocabulary`), the answer. The separator and each answer token but the last are asked
// for the next answer token.
class CopyTask final : public Task {
 public:
  CopyTask(const TaskValues& values, bool reversed)
      : vocabulary_(static_cast<int32_t>(values[0])), length_(static_cast<int32_t>(values[1])), reversed_(reversed) {}

  TaskShape shape() const override {
    return {.vocabulary = vocabulary_ + 1,
            .classes = vocabulary_,
            .max_length = int64_t{2} * (length_ + more_words()) + 1,
            .readout = Readout::every,
            .causal = true,
            .words = {{"letters", 0, vocabulary_ - 1}, {"separator", vocabulary_, vocabulary_}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t words = draw_between(draws, 1, length_) + more_words();
    const auto length = static_cast<size_t>(words);
    Sample sample;
    sample.tokens.reserve(2 * length + 1);
    for (size_t i = 0; i < length; ++i) sample.tokens.push_back(draw_between(draws, 0, vocabulary_ - 1));
    sample.tokens.push_back(vocabulary_);
    for (size_t i = 0; i < length; ++i) sample.tokens.push_back(sample.tokens[reversed_ ? length - 1 - i : i]);
    sample.targets.assign(length, kNotScored);
    sample.targets.insert(sample.targets.end(), sample.tokens.end() - static_cast<int64_t>(length),
                          sample.tokens.end());
    sample.targets.push_back(kNotScored);
    return sample;
  }

  // Reads the string alone, never the answer that stands behind it.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    std::vector<int32_t> string(tokens.begin(), std::find(tokens.begin(), tokens.end(), vocabulary_));
    if (tokens.size() != 2 * string.size() + 1) {
      fail("copy: {} tokens are not a string of {}, a separator and an answer as long", tokens.size(), string.size());
    }
    std::vector<int32_t> targets(tokens.size(), kNotScored);
    for (size_t place = string.size(); !string.empty(); ++place) {
      const auto taken = reversed_ ? string.end() - 1 : string.begin();
      targets[place] = *taken;
      string.erase(taken);
    }
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<CopyTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  // A word of the string stands in the answer again.
  int32_t more_words() const { return extra_ / 2; }

  int32_t vocabulary_;
  int32_t length_;
  bool reversed_;
  int32_t extra_ = 0;
};

std::vector<TaskOption> options() {
  return {{.name = "vocabulary",
           .help = "words of the string; also the number of classes; the separator is one more",
           .quick = 64,
           .paper = 574,
           .least = 2,
           .most = 65536},
          {.name = "length",
           .help = "longest string; drawn from 1 on",
           .quick = 12,
           .paper = 20,
           .least = 1,
           .most = 8192}};
}

}  // namespace

TaskEntry copy_task() {
  return {
      .name = "copy",
      .summary = "repeat a string behind a separator, each word predicted from what stands before it (causal)",
      .options = options(),
      .notes =
          "A token that is asked stands as far from the answer's source as the string is long: one distance serves a "
          "whole sample, but another one the next. So by position the length has to be known first; by content, an "
          "induction head looks for the last word in the string and steps right, which repeated words mislead. The "
          "causal mask tells even a model without an encoding how many tokens it sees, and `nope` gets most words "
          "right but "
          "loses its place in one answer of three. An input term that drowns the words cannot do it.\n\n"
          "Scored per token and, as the sharper measure, by whole answers: were errors independent, an accuracy of a "
          "per token would leave a^n of the answers of n words right.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> {
        return std::make_unique<CopyTask>(values, false);
      },
  };
}

TaskEntry reverse_task() {
  return {
      .name = "reverse",
      .summary =
          "repeat a string backwards behind a separator, each word predicted from what stands before it (causal)",
      .options = options(),
      .notes =
          "The sources stand 1, 3, 5 ... places before the tokens that are asked, whatever the string's length. By "
          "position a head has to know how far it is from the separator; by content it looks for the last word in the "
          "string and steps left, which repeated words mislead. Scored as `copy` is, per token and by whole answers.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> {
        return std::make_unique<CopyTask>(values, true);
      },
  };
}

}  // namespace phasor
