// Parity: is the number of ones odd?
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

constexpr int32_t kParityQuery = 2;  // words 0 and 1 are the bits

// Bits, then the word that the answer is read at; class = number of ones modulo 2.
class ParityTask final : public Task {
 public:
  explicit ParityTask(const TaskValues& values) : length_(static_cast<int32_t>(values[0])) {}

  TaskShape shape() const override {
    return {.vocabulary = 3,
            .classes = 2,
            .max_length = length_ + extra_ + 1,
            .readout = Readout::token,
            .words = {{"bits", 0, 1}, {"query", kParityQuery, kParityQuery}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t length = draw_between(draws, 1, length_) + extra_;
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(length) + 1);
    int32_t ones = 0;
    for (int32_t i = 0; i < length; ++i) {
      sample.tokens.push_back(draw_between(draws, 0, 1));
      ones += sample.tokens.back();
    }
    sample.tokens.push_back(kParityQuery);
    sample.targets = {ones % 2};
    return sample;
  }

  // Ones cancel in pairs.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    if (tokens.empty() || tokens.back() != kParityQuery) {
      fail("parity: the last of {} tokens is not word {}, which asks", tokens.size(), kParityQuery);
    }
    const auto ones = std::count(tokens.begin(), tokens.end(), 1);
    return {ones % 2 == 0 ? 0 : 1};
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<ParityTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t length_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry parity_task() {
  return {
      .name = "parity",
      .summary = "whether the number of ones in a string of bits is odd",
      .options = {{.name = "length",
                   .help = "most bits; drawn from 1 on",
                   .quick = 16,
                   .paper = 40,
                   .least = 1,
                   .most = 16384}},
      .notes =
          "Parity check of Deletang et al. (arXiv 2207.02098) and Ruoss et al. (arXiv 2305.16843): trained on up to 40 "
          "bits, scored on 41 to 100 (`--lengths 1.5,2,2.5`). The answer is read at a word of its own behind "
          "the bits, and attention is not causal, as there.\n\n"
          "Position is a nuisance: the answer depends on the number of ones alone. What makes it hard is that every "
          "bit turns the answer over, so that nothing short of all of them says anything, and that a mean over tokens "
          "gives the share of ones and not their number. Ruoss et al. report about chance on longer strings for every "
          "encoding. Short strings are few and come once in a data set, so lengths near the longest are commoner than "
          "drawn. The preset's steps and samples are few for it: `data.source=stream` draws new ones without end.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<ParityTask>(values); },
  };
}

}  // namespace phasor
