// The pass key: a number hidden in a haystack, to be said again at its end.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/noise.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

constexpr int32_t kKeyMark = 10;  // words 0 to 9 are the digits, "the pass key is" is one word
constexpr int32_t kFirstNoise = 11;

// Haystack, the key, said twice behind its mark, haystack, the mark, the key. The last mark and each digit behind it
// but the last are asked for the next digit.
class PasskeyTask final : public Task {
 public:
  explicit PasskeyTask(const TaskValues& values)
      : length_(static_cast<int32_t>(values[0])), digits_(static_cast<int32_t>(values[1])), random_(values[2] == 1) {}

  TaskShape shape() const override {
    return {.vocabulary = kFirstNoise + kNoiseWords,
            .classes = 10,
            .max_length = int64_t{3} * (digits_ + 1) + length_ + extra_,
            .readout = Readout::every,
            .causal = true,
            .words = {
                {"digits", 0, 9}, {"mark", kKeyMark, kKeyMark}, {"noise", kFirstNoise, kFirstNoise + kNoiseWords - 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t length = length_ + extra_;
    const int32_t before = draw_between(draws, 0, length);
    std::vector<int32_t> key(static_cast<size_t>(digits_));
    for (int32_t& digit : key) digit = draw_between(draws, 0, 9);
    Sample sample;
    std::vector<int32_t>& tokens = sample.tokens;
    tokens.reserve(static_cast<size_t>(length) + 3 * (key.size() + 1));
    const auto append_key = [&] {
      tokens.push_back(kKeyMark);
      tokens.insert(tokens.end(), key.begin(), key.end());
    };
    append_noise(draws, before, tokens);
    append_key();
    append_key();
    append_noise(draws, length - before, tokens);
    sample.targets.assign(tokens.size(), kNotScored);
    sample.targets.insert(sample.targets.end(), key.begin(), key.end());
    sample.targets.push_back(kNotScored);
    append_key();
    return sample;
  }

  // Reads the key behind its first mark, and never the answer.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const auto mark = std::find(tokens.begin(), tokens.end(), kKeyMark);
    if (tokens.end() - mark < 3 * (digits_ + 1)) {
      fail("passkey: the {} tokens do not hold a key of {} digits three times", tokens.size(), digits_);
    }
    std::vector<int32_t> targets(tokens.size(), kNotScored);
    std::copy(mark + 1, mark + 1 + digits_, targets.end() - 1 - digits_);
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<PasskeyTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  void append_noise(Draws& draws, int32_t count, std::vector<int32_t>& tokens) const {
    for (int32_t i = 0; i < count; ++i) {
      tokens.push_back(kFirstNoise + (random_ ? draw_between(draws, 0, kNoiseWords - 1) : i % kNoiseWords));
    }
  }

  int32_t length_;
  int32_t digits_;
  bool random_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry passkey_task() {
  return {
      .name = "passkey",
      .summary = "a number hidden in a haystack, said again digit by digit at its end (causal)",
      .options = {{.name = "length",
                   .help = "tokens of the haystack, in which the key stands anywhere",
                   .quick = 48,
                   .paper = 512,
                   .least = 0,
                   .most = 65536},
                  {.name = "digits", .help = "of the key", .quick = 5, .paper = 5, .least = 1, .most = 64},
                  word_option(
                      "noise", {"repeated", "random"},
                      "repeated: the haystack is one passage of 24 words, over and over; random: those words in "
                      "any order")},
      .notes =
          "Pass key retrieval of Mohtashami and Jaggi (arXiv 2305.16300): \"The pass key is 12345. Remember it. 12345 "
          "is the pass key.\" anywhere among sentences about grass and sky, and at the end \"The pass key is\". Here a "
          "phrase is one word, the mark, which stands before the key all three times, and a model is trained on the "
          "task instead of being asked in words; digits are drawn evenly, and may be 0 in front.\n\n"
          "The first digit is found by the mark alone; each further one is the next of those behind it, so that a "
          "step to the right, or the place within the key, has to be known as well. Distances from the answer to the "
          "key grow with the haystack: with longer samples (`--lengths`) this tells over which length a model still "
          "finds what it has to. The share of whole answers is the published measure.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<PasskeyTask>(values); },
  };
}

}  // namespace phasor
