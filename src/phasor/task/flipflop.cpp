// The flip-flop language: what was the last bit that was written?
#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

constexpr int32_t kWrite = 2;  // words 0 and 1 are the bits
constexpr int32_t kIgnore = 3;
constexpr int32_t kRead = 4;

// Instructions, each with a bit behind it: write, ignore or read. The first one writes, the last one reads. Behind a
// read stands the bit that was written last, behind the others any bit; reads are asked for the next token.
class FlipflopTask final : public Task {
 public:
  explicit FlipflopTask(const TaskValues& values)
      : instructions_(static_cast<int32_t>(values[0])), ignore_(static_cast<int32_t>(values[1])) {}

  TaskShape shape() const override {
    return {.vocabulary = 5,
            .classes = 2,
            .max_length = int64_t{2} * instructions(),
            .readout = Readout::every,
            .causal = true,
            .words = {{"bits", 0, 1}, {"write", kWrite, kWrite}, {"ignore", kIgnore, kIgnore}, {"read", kRead, kRead}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    Sample sample;
    sample.tokens.reserve(2 * static_cast<size_t>(instructions()));
    sample.targets.reserve(sample.tokens.capacity());
    int32_t memory = 0;
    for (int32_t i = 0; i < instructions(); ++i) {
      const int32_t instruction = i == 0 ? kWrite : i + 1 == instructions() ? kRead : draw_instruction(draws);
      const int32_t bit = instruction == kRead ? memory : draw_between(draws, 0, 1);
      if (instruction == kWrite) memory = bit;
      sample.tokens.insert(sample.tokens.end(), {instruction, bit});
      sample.targets.insert(sample.targets.end(), {instruction == kRead ? bit : kNotScored, kNotScored});
    }
    return sample;
  }

  // Goes back from every read to the nearest write.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    std::vector<int32_t> targets(tokens.size(), kNotScored);
    for (size_t read = 0; read < tokens.size(); read += 2) {
      if (tokens[read] != kRead) continue;
      size_t write = read;
      while (write > 0 && tokens[write] != kWrite) write -= 2;
      if (tokens[write] != kWrite) fail("flipflop: no write stands before the read at token {}", read);
      targets[read] = tokens[write + 1];
    }
    return targets;
  }

  // The last bit there is, whether it was written or not.
  std::vector<int32_t> simple_rule(const std::vector<int32_t>& tokens) const override {
    std::vector<int32_t> targets(tokens.size(), kNotScored);
    for (size_t read = 2; read < tokens.size(); read += 2) {
      if (tokens[read] == kRead) targets[read] = tokens[read - 1];
    }
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<FlipflopTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t instructions() const { return instructions_ + extra_ / 2; }

  // Writes and reads share evenly what is not ignored; in halves of a per cent, so that odd shares can be split.
  int32_t draw_instruction(Draws& draws) const {
    const int32_t drawn = draw_between(draws, 0, 199);
    if (drawn < 2 * ignore_) return kIgnore;
    return drawn < 100 + ignore_ ? kWrite : kRead;
  }

  int32_t instructions_;
  int32_t ignore_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry flipflop_task() {
  return {
      .name = "flipflop",
      .summary = "which bit was written last, asked at every read of a flip-flop's log (causal)",
      .options = {{.name = "instructions",
                   .help = "in a sample, each with a bit behind it; the first one writes, the last one reads",
                   .quick = 32,
                   .paper = 256,
                   .least = 2,
                   .most = 8192},
                  {.name = "ignore",
                   .help = "per cent of the instructions between them that ignore; writes and reads share the rest",
                   .quick = 80,
                   .paper = 80,
                   .least = 0,
                   .most = 100}},
      .notes =
          "The flip-flop language of Liu et al. (arXiv 2306.00946): a log of instructions, each followed by a bit. A "
          "read is answered by the bit of the nearest write before it, and bits behind `ignore` mean nothing. Content "
          "tells writes from the rest, position which of them is the last; an encoding that cannot make the nearest "
          "write win by far makes a mistake now and then, and more so over long stretches without a write. The paper "
          "calls these errors glitches: look at 1 - accuracy, not at the accuracy.\n\n"
          "Size `paper` is its FFL(0.8) of 512 tokens, on which it trains; `ignore=98` and `ignore=10` are its sparse "
          "and dense sets. There every token is learned, here reads alone, and only they are scored in both. Longer "
          "samples have more instructions, in the same shares.\n\n"
          "The simple rule repeats the bit that stands before the read. It is right where that was written or read, "
          "and half of the time elsewhere.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<FlipflopTask>(values); },
  };
}

}  // namespace phasor
