// Stack manipulation: what is on a stack after pushes and pops. longer() adds extra / 2 items or instructions, each of
// which also lengthens the answer.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

constexpr int32_t kPop = 2;   // words 0 and 1 are the items
constexpr int32_t kPush = 3;  // item 0; the next word pushes item 1
constexpr int32_t kStackAnswer = 5;
constexpr int32_t kBottom = 2;  // the class of what lies below the lowest item

// A stack from the bottom up, instructions, then places for the answer, one more than tokens before them. The places
// are asked for the stack from the top down and its end; those behind it for nothing. A pop of nothing does nothing.
class StackTask final : public Task {
 public:
  explicit StackTask(const TaskValues& values) : length_(static_cast<int32_t>(values[0])) {}

  TaskShape shape() const override {
    return {.vocabulary = 6,
            .classes = 3,
            .max_length = int64_t{2} * (length_ + extra_ / 2) + 1,
            .readout = Readout::every,
            .words = {{"items", 0, 1},
                      {"pop", kPop, kPop},
                      {"pushes", kPush, kPush + 1},
                      {"answer", kStackAnswer, kStackAnswer}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t length = draw_between(draws, 1, length_) + extra_ / 2;
    const int32_t items = length == 1 ? 1 : draw_between(draws, 1, length - 1);
    std::vector<int32_t> stack;
    Sample sample;
    sample.tokens.reserve(2 * static_cast<size_t>(length) + 1);
    for (int32_t i = 0; i < length; ++i) {
      const int32_t word = i < items ? draw_between(draws, 0, 1) : draw_between(draws, kPop, kPush + 1);
      sample.tokens.push_back(word);
      if (word != kPop) {
        stack.push_back(word % kPush);
      } else if (!stack.empty()) {
        stack.pop_back();
      }
    }
    sample.tokens.resize(2 * static_cast<size_t>(length) + 1, kStackAnswer);
    sample.targets.assign(sample.tokens.size(), kNotScored);
    const auto answer = sample.targets.begin() + length;
    *std::copy(stack.rbegin(), stack.rend(), answer) = kBottom;
    return sample;
  }

  // From the last instruction back: a pop takes away the next push or item that is met.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const auto length = static_cast<size_t>(std::find(tokens.begin(), tokens.end(), kStackAnswer) - tokens.begin());
    if (tokens.size() != 2 * length + 1) {
      fail("stack: {} tokens are not a stack with instructions of {} and one place more for the answer", tokens.size(),
           length);
    }
    std::vector<int32_t> targets(length, kNotScored);
    size_t pops = 0;
    for (size_t place = length; place-- > 0;) {
      if (tokens[place] == kPop) {
        ++pops;
      } else if (pops > 0) {
        --pops;
      } else {
        targets.push_back(tokens[place] == 1 || tokens[place] == kPush + 1 ? 1 : 0);
      }
    }
    targets.push_back(kBottom);
    targets.resize(tokens.size(), kNotScored);
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<StackTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t length_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry stack_task() {
  return {
      .name = "stack",
      .summary = "what is on a stack after pushes and pops, from the top down",
      .options = {{.name = "length",
                   .help = "most items and instructions together; drawn from 1 on",
                   .quick = 16,
                   .paper = 40,
                   .least = 1,
                   .most = 8192}},
      .notes =
          "Stack manipulation of Deletang et al. (arXiv 2207.02098) and Ruoss et al. (arXiv 2305.16843): a stack of "
          "bits from the bottom up, at least one and less than the whole, then pops (every third instruction) and "
          "pushes; trained on up to 40 tokens, scored on 41 to 100 (`--lengths 1.5,2,2.5`). As there, the answer is "
          "read at "
          "places of its own, one more than the tokens before them, all at once and without a causal mask; scored up "
          "to the end of the stack. What stands behind the end is learned there as zeros, here not at all.\n\n"
          "Which item is k places from the top depends on how pops and pushes cancel, a count of brackets from the "
          "right. The length tells how many items to expect, so the floor from the length alone is above the others.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<StackTask>(values); },
  };
}

}  // namespace phasor
