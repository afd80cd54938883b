// Missing duplicate: which symbol does not stand where a string comes the second time? longer() adds extra / 2 symbols
// to the string.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// A string, the same string, with the gap's word in place of one symbol of either; then the word that the answer is
// read at. Words 0 .. symbols - 1 are the symbols; class = the missing one.
class MissingTask final : public Task {
 public:
  explicit MissingTask(const TaskValues& values)
      : length_(static_cast<int32_t>(values[0])), symbols_(static_cast<int32_t>(values[1])) {}

  TaskShape shape() const override {
    return {
        .vocabulary = symbols_ + 2,
        .classes = symbols_,
        .max_length = int64_t{2} * (length_ + extra_ / 2) + 1,
        .readout = Readout::token,
        .words = {{"symbols", 0, symbols_ - 1}, {"gap", symbols_, symbols_}, {"query", symbols_ + 1, symbols_ + 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t length = draw_between(draws, 1, length_) + extra_ / 2;
    const auto gap = static_cast<size_t>(draw_between(draws, 0, 2 * length - 1));
    Sample sample;
    sample.tokens.reserve(2 * static_cast<size_t>(length) + 1);
    for (int32_t i = 0; i < length; ++i) sample.tokens.push_back(draw_between(draws, 0, symbols_ - 1));
    for (int32_t i = 0; i < length; ++i) sample.tokens.push_back(sample.tokens[static_cast<size_t>(i)]);
    sample.targets = {sample.tokens[gap]};
    sample.tokens[gap] = symbols_;
    sample.tokens.push_back(symbols_ + 1);
    return sample;
  }

  // Holds the two halves against each other.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const size_t half = tokens.size() / 2;
    int32_t missing = -1;
    for (size_t place = 0; place < half; ++place) {
      const int32_t first = tokens[place], second = tokens[half + place];
      if (first == second) continue;
      if (missing >= 0 || std::max(first, second) != symbols_) {
        fail("missing: tokens {} and {} are neither equal nor the one gap", place, half + place);
      }
      missing = std::min(first, second);
    }
    if (missing < 0) fail("missing: the {} tokens have no gap", tokens.size());
    return {missing};
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<MissingTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t length_;
  int32_t symbols_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry missing_task() {
  return {
      .name = "missing",
      .summary = "which symbol is missing where a string stands twice in a row",
      .options = {{.name = "length",
                   .help = "longest string, which stands twice; drawn from 1 on",
                   .quick = 16,
                   .paper = 20,
                   .least = 1,
                   .most = 8192},
                  {.name = "symbols",
                   .help = "words of the string; also the number of classes; the gap and the query are two more",
                   .quick = 2,
                   .paper = 2,
                   .least = 2,
                   .most = 65536}},
      .notes =
          "Missing duplicate string of Deletang et al. (arXiv 2207.02098) and Ruoss et al. (arXiv 2305.16843): bits, "
          "trained on up to 40 tokens, scored on 41 to 100 (`--lengths 1.5,2,2.5`). The answer is read at a word of "
          "its own "
          "behind the string, and attention is not causal, as there; lengths that are odd there end with an empty "
          "token, and do not occur here.\n\n"
          "The answer stands as far from the gap as the string is long, to its right or to its left: one distance for "
          "a sample, another one for the next, so that the length has to be known first. Without position there is one "
          "way left: the symbol that occurs an odd number of times is missing, which is `parity` for every symbol.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<MissingTask>(values); },
  };
}

}  // namespace phasor
