#include "phasor/task/distance.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

constexpr int32_t kFirstTrigger = 0;
constexpr int32_t kSecondTrigger = 1;
constexpr int32_t kTriggers = 2;  // fillers are the words from here on, so that no sample is ambiguous

// left fillers, first trigger, gap fillers, second trigger, right fillers; class = gap - 1.
class DistanceTask final : public Task {
 public:
  explicit DistanceTask(const TaskValues& values)
      : vocabulary_(static_cast<int32_t>(values[0])),
        gap_(static_cast<int32_t>(values[1])),
        sides_(static_cast<int32_t>(values[2])) {
    check_segment("gap", gap_);
    check_segment("sides", sides_);
  }

  TaskShape shape() const override {
    return {.vocabulary = vocabulary_,
            .classes = gap_,
            .max_length = int64_t{2} * sides_ + gap_ + kTriggers,
            .readout = Readout::mean};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t gap = draw_length(draws, gap_);
    const int32_t left = draw_length(draws, sides_);
    const int32_t right = draw_length(draws, sides_);

    std::vector<int32_t> fillers(static_cast<size_t>(vocabulary_ - kTriggers));
    std::iota(fillers.begin(), fillers.end(), kTriggers);
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(shape().max_length));
    append_fillers(sample.tokens, fillers, left, draws);
    sample.tokens.push_back(kFirstTrigger);
    append_fillers(sample.tokens, fillers, gap, draws);
    sample.tokens.push_back(kSecondTrigger);
    append_fillers(sample.tokens, fillers, right, draws);
    sample.targets = {gap - 1};
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const auto first = std::find(tokens.begin(), tokens.end(), kFirstTrigger);
    const auto second = std::find(first, tokens.end(), kSecondTrigger);
    if (second == tokens.end()) {
      fail("distance: the {} tokens do not hold word {} followed by word {}", tokens.size(), kFirstTrigger,
           kSecondTrigger);
    }
    return {static_cast<int32_t>(second - first) - 2};
  }

 private:
  void check_segment(const char* option, int32_t longest) const {
    const int32_t fillers = vocabulary_ - kTriggers;
    if (longest <= fillers) return;
    fail_usage(
        "task.{}: {} different fillers cannot come from {} filler words; at most {}, or task.vocabulary at least {}",
        option, longest, fillers, fillers, longest + kTriggers);
  }

  static int32_t draw_length(Draws& draws, int32_t longest) {
    return 1 + static_cast<int32_t>(draws.below(static_cast<uint32_t>(longest)));
  }

  // The first `count` steps of a Fisher-Yates shuffle: no word twice within one segment. The pool may
  // start in any order, so one pool serves all segments of a sample.
  static void append_fillers(std::vector<int32_t>& tokens, std::vector<int32_t>& pool, int32_t count, Draws& draws) {
    const uint32_t size = static_cast<uint32_t>(pool.size());
    for (uint32_t i = 0; i < static_cast<uint32_t>(count); ++i) {
      std::swap(pool[i], pool[i + draws.below(size - i)]);
      tokens.push_back(pool[i]);
    }
  }

  int32_t vocabulary_;
  int32_t gap_;
  int32_t sides_;
};

}  // namespace

TaskEntry distance_task() {
  return {
      .name = "distance",
      .summary = "how many tokens stand between two trigger words (class = gap - 1)",
      .options = {{.name = "vocabulary",
                   .help = "words, the two triggers included",
                   .quick = 64,
                   .paper = 574,
                   .least = 4,
                   .most = 65536},
                  {.name = "gap",
                   .help = "most tokens between the triggers; also the number of classes",
                   .quick = 24,
                   .paper = 70,
                   .least = 2,
                   .most = 16384},
                  {.name = "sides",
                   .help = "most tokens left of the first and right of the second trigger",
                   .quick = 8,
                   .paper = 25,
                   .least = 1,
                   .most = 16384}},
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<DistanceTask>(values); },
  };
}

}  // namespace phasor
