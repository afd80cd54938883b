// Modular arithmetic: the value of an expression without brackets.
#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// number operator number ... number, then the word that the answer is read at. Words 0 .. modulus - 1 are the numbers,
// then +, -, * and the query; class = value, where * goes before + and -.
class ModularTask final : public Task {
 public:
  explicit ModularTask(const TaskValues& values)
      : modulus_(static_cast<int32_t>(values[0])),
        numbers_(static_cast<int32_t>(values[1])),
        operators_(values[2] == 1 ? 2 : 3) {}

  TaskShape shape() const override {
    return {.vocabulary = modulus_ + 4,
            .classes = modulus_,
            .max_length = int64_t{2} * (numbers_ + extra_ / 2),
            .readout = Readout::token,
            .words = {{"numbers", 0, modulus_ - 1}, {"operators", plus(), times()}, {"query", query(), query()}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t numbers = draw_between(draws, 1, numbers_) + extra_ / 2;
    Sample sample;
    sample.tokens.reserve(2 * static_cast<size_t>(numbers));
    // The terms so far, and the one that may still be multiplied; the latter with its sign.
    int64_t sum = 0, term = draw_between(draws, 0, modulus_ - 1);
    sample.tokens.push_back(static_cast<int32_t>(term));
    for (int32_t i = 1; i < numbers; ++i) {
      const int32_t operation = plus() + draw_between(draws, 0, operators_ - 1);
      const int32_t number = draw_between(draws, 0, modulus_ - 1);
      sample.tokens.insert(sample.tokens.end(), {operation, number});
      if (operation == times()) {
        term = term * number % modulus_;
        continue;
      }
      sum += term;
      term = operation == plus() ? number : -number;
    }
    sample.tokens.push_back(query());
    sample.targets = {remainder(sum + term)};
    return sample;
  }

  // From the right: a product is complete where a sign, or nothing, stands before it.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    if (tokens.size() < 2 || tokens.size() % 2 != 0 || tokens.back() != query()) {
      fail("modular: {} tokens are not numbers with operators between them and word {} behind", tokens.size(), query());
    }
    int64_t total = 0, product = 1;
    for (size_t place = tokens.size() - 2;; place -= 2) {
      product = product * tokens[place] % modulus_;
      if (place == 0) break;
      const int32_t operation = tokens[place - 1];
      if (operation == times()) continue;
      total += operation == plus() ? product : modulus_ - product;
      product = 1;
    }
    return {remainder(total + product)};
  }

  // From left to right, as if no operation went before another.
  std::vector<int32_t> simple_rule(const std::vector<int32_t>& tokens) const override {
    int64_t value = tokens[0];
    for (size_t place = 2; place < tokens.size(); place += 2) {
      const int32_t operation = tokens[place - 1], number = tokens[place];
      value = operation == plus() ? value + number : operation == times() ? value * number : value - number;
      value = remainder(value);
    }
    return {static_cast<int32_t>(value)};
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<ModularTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t plus() const { return modulus_; }
  int32_t times() const { return modulus_ + 2; }  // minus stands between them
  int32_t query() const { return modulus_ + 3; }
  int32_t remainder(int64_t value) const { return static_cast<int32_t>((value % modulus_ + modulus_) % modulus_); }

  int32_t modulus_;
  int32_t numbers_;
  int32_t operators_;
  int32_t extra_ = 0;  // tokens of which extra_ / 2 more numbers were made
};

}  // namespace

TaskEntry modular_task() {
  return {
      .name = "modular",
      .summary = "the value of a sum of products, modulo a small number",
      .options = {{.name = "modulus",
                   .help = "numbers are 0 to modulus - 1; also the number of classes",
                   .quick = 5,
                   .paper = 5,
                   .least = 2,
                   .most = 1024},
                  {.name = "numbers",
                   .help = "most numbers in an expression; drawn from 1 on",
                   .quick = 6,
                   .paper = 20,
                   .least = 1,
                   .most = 8192},
                  word_option("operators", {"all", "signs"}, "all: +, - and *, which goes first; signs: + and -")},
      .notes =
          "Modular arithmetic without brackets of Deletang et al. (arXiv 2207.02098) and Ruoss et al. (arXiv "
          "2305.16843): modulo 5, trained on up to 40 tokens (20 numbers, since expressions have odd lengths), scored "
          "on 41 to 100. The answer is read at a word of its own behind the expression, and attention is not causal, "
          "as there.\n\n"
          "With `operators=signs` position is needed for one step alone, from a number to its sign; the rest is a sum "
          "in which every number counts, as in `parity`. With products the neighbours of a number decide whether it "
          "matters at all: a factor 0 cancels a whole term, and makes the answer 0 commoner than others. The simple "
          "rule works from left to right and takes no operation before another. "
          "The preset's steps and samples are few for it: `data.source=stream` draws new ones without end.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<ModularTask>(values); },
  };
}

}  // namespace phasor
