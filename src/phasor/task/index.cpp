// Indexing: which word stands at the place that the last token names.
#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// Different words, then the place asked for: word `vocabulary` + k stands for place k, counted from 0.
class IndexTask final : public Task {
 public:
  explicit IndexTask(const TaskValues& values)
      : vocabulary_(static_cast<int32_t>(values[0])),
        length_(static_cast<int32_t>(values[1])),
        from_end_(values[2] == 1) {
    if (length_ <= vocabulary_) return;
    fail_usage("task.length: {} different words cannot come from {}; at most {}, or task.vocabulary at least {}",
               length_, vocabulary_, vocabulary_, length_);
  }

  TaskShape shape() const override {
    return {.vocabulary = vocabulary_ + length_,
            .classes = vocabulary_,
            .max_length = length_ + extra_ + 1,
            .readout = Readout::token,
            .words = {{"letters", 0, vocabulary_ - 1}, {"places", vocabulary_, vocabulary_ + length_ - 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t drawn = draw_between(draws, (length_ + 1) / 2, length_);
    const int32_t asked = draw_between(draws, 0, drawn - 1);
    const int32_t length = drawn + extra_;
    DistinctWords words(0, vocabulary_);
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(length) + 1);
    for (int32_t place = 0; place < length; ++place) {
      sample.tokens.push_back(words.next(draws));
      if (place == (from_end_ ? length - 1 - asked : asked)) sample.targets = {sample.tokens.back()};
    }
    sample.tokens.push_back(vocabulary_ + asked);
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const int32_t asked = tokens.empty() ? -1 : tokens.back() - vocabulary_;
    const auto words = static_cast<int32_t>(tokens.size()) - 1;
    if (asked < 0 || asked >= words) {
      fail("index: the last of {} tokens names none of the {} places before it", tokens.size(), words);
    }
    return {from_end_ ? *(tokens.rbegin() + 1 + asked) : *(tokens.begin() + asked)};
  }

  // Words are added at the end that places are not counted from, so that the places asked for are as likely as in
  // training. Where there are more places than words, words come again: a wrong place may then be right by luck.
  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<IndexTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t vocabulary_;
  int32_t length_;
  bool from_end_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry index_task() {
  return {
      .name = "index",
      .summary = "which word stands at the place that the last token names",
      .options = {{.name = "vocabulary",
                   .help = "words that can stand there; also the number of classes; one more word for every place",
                   .quick = 64,
                   .paper = 574,
                   .least = 2,
                   .most = 65536},
                  {.name = "length",
                   .help = "most words before the last token; drawn from half of it on, rounded up",
                   .quick = 16,
                   .paper = 64,
                   .least = 2,
                   .most = 16384},
                  word_option("from", {"start", "end"}, "where places are counted from")},
      .notes =
          "Position alone: where to look depends on the place word and on nothing that stands there. The words of a "
          "sample are different, so that a wrong place is never right by luck; without order the best is one of them "
          "at "
          "random, the mean of 1 / length, 8.8 % at quick and 2.2 % at paper size.\n\n"
          "With `from=start` places have to be absolute: input terms have them, while rotations and biases by distance "
          "tell how far a word stands from the last token, and lengths vary: the start is known to them only by the "
          "sequence's border or a causal mask. With `from=end` the distance to the last token is all that is asked "
          "for, and it is absolute places that have to be subtracted.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<IndexTask>(values); },
  };
}

}  // namespace phasor
