// Indirect indexing: the word k places left of a marker.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// Different words with the marker among them, then the step: word `vocabulary` is the marker, word `vocabulary` + k
// asks for what stands k places left of it.
class IndirectTask final : public Task {
 public:
  explicit IndirectTask(const TaskValues& values)
      : vocabulary_(static_cast<int32_t>(values[0])),
        length_(static_cast<int32_t>(values[1])),
        reach_(static_cast<int32_t>(values[2])) {
    if (length_ > vocabulary_) {
      fail_usage("task.length: {} different words cannot come from {}; at most {}, or task.vocabulary at least {}",
                 length_, vocabulary_, vocabulary_, length_);
    }
    if (reach_ > length_) {
      fail_usage("task.reach: {} places left of the marker need as many words; at most {}, or task.length at least {}",
                 reach_, length_, reach_);
    }
  }

  TaskShape shape() const override {
    return {.vocabulary = vocabulary_ + 1 + reach_,
            .classes = vocabulary_,
            .max_length = length_ + extra_ + 2,
            .readout = Readout::token,
            .words = {{"letters", 0, vocabulary_ - 1},
                      {"marker", vocabulary_, vocabulary_},
                      {"steps", vocabulary_ + 1, vocabulary_ + reach_}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t step = draw_between(draws, 1, reach_);
    // Wherever the marker stands, every step leads to a word: the two are independent.
    const int32_t length = length_ + extra_;
    const int32_t before = draw_between(draws, reach_, length);
    DistinctWords words(0, vocabulary_);
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(length) + 2);
    for (int32_t place = 0; place < length; ++place) {
      if (place == before) sample.tokens.push_back(vocabulary_);
      sample.tokens.push_back(words.next(draws));
    }
    if (before == length) sample.tokens.push_back(vocabulary_);
    sample.targets = {sample.tokens[static_cast<size_t>(before - step)]};
    sample.tokens.push_back(vocabulary_ + step);
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const auto marker = std::find(tokens.begin(), tokens.end(), vocabulary_);
    const int32_t step = tokens.empty() ? 0 : tokens.back() - vocabulary_;
    if (marker == tokens.end() || step < 1 || step > marker - tokens.begin()) {
      fail("indirect: the {} tokens hold no marker with as many words before it as the last token asks for",
           tokens.size());
    }
    return {*(marker - step)};
  }

  // The steps are those of training, and the marker stands anywhere among the words. Where there are more places than
  // words, words come again; the marker does not.
  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<IndirectTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t vocabulary_;
  int32_t length_;
  int32_t reach_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry indirect_task() {
  return {
      .name = "indirect",
      .summary = "which word stands k places left of a marker; the last token names k",
      .options = {{.name = "vocabulary",
                   .help = "words that can stand there; also the number of classes; the marker and the steps are more",
                   .quick = 64,
                   .paper = 574,
                   .least = 2,
                   .most = 65536},
                  {.name = "length",
                   .help = "words in a sample, all different, beside the marker and the last token",
                   .quick = 24,
                   .paper = 64,
                   .least = 1,
                   .most = 16384},
                  {.name = "reach",
                   .help = "largest step; at least as many words stand left of the marker",
                   .quick = 8,
                   .paper = 16,
                   .least = 1,
                   .most = 16384}},
      .notes =
          "What and where, one after the other: the marker is found by its word, the answer by its distance from the "
          "marker, and the step is known only at the last token. The task is PoPE's (arXiv 2509.10534), where "
          "rotations, "
          "which multiply content and position, are reported to find it hard, and an encoding that keeps the two apart "
          "not. Without order the best is one of the words at random, 1 / length; from places alone, without finding "
          "the marker, it is 1 / (length - reach + 1). At quick size `rope` learns it, `learned` and `nope` do not.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<IndirectTask>(values); },
  };
}

}  // namespace phasor
