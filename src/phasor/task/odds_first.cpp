// Odds first: the symbols at odd places of a string, then those at even places. longer() adds extra / 2 symbols.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// A string of the words 0 .. symbols - 1, then as many places for the answer, all of word `symbols`, each of which is
// asked for one symbol.
class OddsFirstTask final : public Task {
 public:
  explicit OddsFirstTask(const TaskValues& values)
      : length_(static_cast<int32_t>(values[0])), symbols_(static_cast<int32_t>(values[1])) {}

  TaskShape shape() const override {
    return {.vocabulary = symbols_ + 1,
            .classes = symbols_,
            .max_length = int64_t{2} * (length_ + extra_ / 2),
            .readout = Readout::every,
            .words = {{"symbols", 0, symbols_ - 1}, {"answer", symbols_, symbols_}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t drawn = draw_between(draws, 1, length_) + extra_ / 2;
    const auto length = static_cast<size_t>(drawn);
    const size_t odds = (length + 1) / 2;
    Sample sample;
    sample.tokens.reserve(2 * length);
    sample.targets.assign(2 * length, kNotScored);
    for (size_t i = 0; i < length; ++i) {
      sample.tokens.push_back(draw_between(draws, 0, symbols_ - 1));
      sample.targets[length + (i % 2 == 0 ? i / 2 : odds + i / 2)] = sample.tokens.back();
    }
    sample.tokens.resize(2 * length, symbols_);
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const auto length = std::find(tokens.begin(), tokens.end(), symbols_) - tokens.begin();
    if (static_cast<int64_t>(tokens.size()) != 2 * length) {
      fail("odds_first: {} tokens are not a string of {} and as many places for the answer", tokens.size(), length);
    }
    std::vector<int32_t> targets(static_cast<size_t>(length), kNotScored);
    for (const auto first : {0, 1}) {
      for (auto place = static_cast<size_t>(first); place < static_cast<size_t>(length); place += 2) {
        targets.push_back(tokens[place]);
      }
    }
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<OddsFirstTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t length_;
  int32_t symbols_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry odds_first_task() {
  return {
      .name = "odds_first",
      .summary = "the symbols at odd places of a string, then those at even places",
      .options = {{.name = "length",
                   .help = "longest string; drawn from 1 on",
                   .quick = 16,
                   .paper = 40,
                   .least = 1,
                   .most = 8192},
                  {.name = "symbols",
                   .help = "words of the string; also the number of classes; the answer's places are one more",
                   .quick = 2,
                   .paper = 2,
                   .least = 2,
                   .most = 65536}},
      .notes =
          "Odds first of Deletang et al. (arXiv 2207.02098) and Ruoss et al. (arXiv 2305.16843): bits, trained on "
          "strings of up to 40, scored on 41 to 100 (`--lengths 1.5,2,2.5`). As there, the answer is read at places of "
          "its "
          "own behind the string, all at once and without a causal mask. Their text counts places from 1, as here; "
          "their code counts from 0 and so puts the other half first.\n\n"
          "Position alone: place k of the answer takes symbol 2 k - 1, up to the middle, and then begins again with "
          "symbol 2. So the distance to the source shrinks by one from place to place, and where the second half "
          "begins depends on the length. Every symbol is as likely, and bags of bits allow the commoner one.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<OddsFirstTask>(values); },
  };
}

}  // namespace phasor
