// ListOps: the value of nested lists of digits with an operator each. longer() makes expressions that have exactly so
// many tokens more, or, where there is none of that length, as many as there are.
#include <algorithm>
#include <array>
#include <memory>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/expression_lengths.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

constexpr int32_t kListMin = 10;  // words 0 to 9 are the digits
constexpr int32_t kListMax = 11;
constexpr int32_t kListMedian = 12;
constexpr int32_t kListSum = 13;  // modulo 10
constexpr int32_t kListClose = 14;
constexpr int32_t kListQuery = 15;

// Of an even number of digits the mean of the middle two, rounded down.
int32_t apply_by_sorting(int32_t list, std::vector<int32_t> digits) {
  std::sort(digits.begin(), digits.end());
  const size_t half = digits.size() / 2;
  switch (list) {
    case kListMin:
      return digits.front();
    case kListMax:
      return digits.back();
    case kListMedian:
      return digits.size() % 2 == 1 ? digits[half] : (digits[half - 1] + digits[half]) / 2;
    default:
      break;
  }
  int32_t sum = 0;
  for (const int32_t digit : digits) sum += digit;
  return sum % 10;
}

// The same, by how often each digit occurs.
int32_t apply_by_counting(int32_t list, const std::array<int32_t, 10>& counts) {
  int32_t all = 0, sum = 0, least = -1, most = -1;
  for (int32_t digit = 0; digit < 10; ++digit) {
    const int32_t count = counts[static_cast<size_t>(digit)];
    all += count;
    sum += digit * count;
    if (count == 0) continue;
    if (least < 0) least = digit;
    most = digit;
  }
  if (list == kListMin) return least;
  if (list == kListMax) return most;
  if (list == kListSum) return sum % 10;
  const auto ranked = [&counts](int32_t rank) {  // the digit of this rank, from 0
    int32_t digit = 0;
    while (rank >= counts[static_cast<size_t>(digit)]) rank -= counts[static_cast<size_t>(digit++)];
    return digit;
  };
  return (ranked((all - 1) / 2) + ranked(all / 2)) / 2;
}

// operator, arguments, closing bracket; an argument is a digit or such an expression. Behind it the word that the
// answer is read at; class = value.
class ListopsTask final : public Task {
 public:
  explicit ListopsTask(const TaskValues& values)
      : shortest_(static_cast<int32_t>(values[0])),
        longest_(static_cast<int32_t>(values[1])),
        law_{.depth = static_cast<int32_t>(values[2]), .arguments = static_cast<int32_t>(values[3])} {
    if (shortest_ > longest_) {
      fail_usage(
          "task.shortest: {} tokens are more than the longest expression has; at most {}, or task.longest at "
          "least {}",
          shortest_, longest_, shortest_);
    }
    lengths_ = std::make_shared<const ExpressionLengths>(law_, longest_);
    for (int32_t tokens = shortest_; tokens <= longest_; ++tokens) {
      if (lengths_->of_one(1, tokens) > 0.0) return;
    }
    fail_usage(
        "task.shortest: no expression of depth {} with up to {} arguments has {} to {} tokens; a smaller "
        "task.shortest, or larger task.depth and task.arguments",
        law_.depth, law_.arguments, shortest_, longest_);
  }

  TaskShape shape() const override {
    return {.vocabulary = kListQuery + 1,
            .classes = 10,
            .max_length = grown(longest_) + 1,
            .readout = Readout::token,
            .words = {{"digits", 0, 9},
                      {"operators", kListMin, kListSum},
                      {"close", kListClose, kListClose},
                      {"query", kListQuery, kListQuery}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const size_t drawn = draw_weighted(draws, static_cast<size_t>(longest_ - shortest_) + 1, [this](size_t i) {
      return lengths_->of_one(1, shortest_ + static_cast<int32_t>(i));
    });
    const int32_t length = grown(shortest_ + static_cast<int32_t>(drawn));
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(length) + 1);
    sample.targets = {append(draws, 1, length, sample.tokens)};
    sample.tokens.push_back(kListQuery);
    return sample;
  }

  // Digits and operators are put on a stack; a closing bracket replaces the last operator and what is above it.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    std::vector<int32_t> stack;
    for (const int32_t token : tokens) {
      if (token == kListQuery) break;
      if (token != kListClose) {
        stack.push_back(token);
        continue;
      }
      std::array<int32_t, 10> counts = {};
      int32_t arguments = 0;
      for (; !stack.empty() && stack.back() < kListMin; stack.pop_back(), ++arguments) {
        ++counts[static_cast<size_t>(stack.back())];
      }
      if (stack.empty() || arguments == 0) fail("listops: a bracket closes no list of digits");
      stack.back() = apply_by_counting(stack.back(), counts);
    }
    if (stack.size() != 1 || stack[0] >= kListMin) fail("listops: the {} tokens are not one expression", tokens.size());
    return stack;
  }

  // The outermost operator on its own digits, as if the lists among its arguments were not there.
  std::vector<int32_t> simple_rule(const std::vector<int32_t>& tokens) const override {
    std::array<int32_t, 10> counts = {};
    int32_t depth = 0;
    bool any = false;
    for (const int32_t token : tokens) {
      if (token >= kListMin && token <= kListSum) ++depth;
      if (token == kListClose) --depth;
      if (token >= kListMin || depth != 1) continue;
      ++counts[static_cast<size_t>(token)];
      any = true;
    }
    return {any ? apply_by_counting(tokens[0], counts) : 0};
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<ListopsTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    if (longest_ + int64_t{task->extra_} > kMostTokens) {
      fail_usage("listops: expressions of {} tokens are too long to be drawn; at most {} more tokens",
                 longest_ + int64_t{task->extra_}, kMostTokens - longest_ - extra_);
    }
    task->lengths_ = std::make_shared<const ExpressionLengths>(law_, longest_ + task->extra_);
    return task;
  }

  static constexpr int32_t kMostTokens = 16384;  // for which the law of lengths takes seconds

 private:
  // The longest expression that is at most extra_ tokens longer.
  int32_t grown(int32_t tokens) const {
    int32_t length = tokens + extra_;
    while (length > tokens && lengths_->of_one(1, length) == 0.0) --length;
    return length;
  }

  // An expression of exactly so many tokens, which there is; returns its value.
  int32_t append(Draws& draws, int32_t depth, int32_t length, std::vector<int32_t>& tokens) const {
    if (length == 1) {
      tokens.push_back(draw_between(draws, 0, 9));
      return tokens.back();
    }
    const int32_t list = draw_between(draws, kListMin, kListSum);
    tokens.push_back(list);
    int32_t left = length - 2;
    const size_t drawn = draw_weighted(draws, static_cast<size_t>(law_.arguments) - 1, [&](size_t i) {
      return lengths_->of_several(depth + 1, static_cast<int32_t>(i) + 2, left);
    });
    std::vector<int32_t> values;
    for (auto others = static_cast<int32_t>(drawn) + 1; others >= 0; --others) {
      const auto argument =
          1 + static_cast<int32_t>(draw_weighted(draws, static_cast<size_t>(left - others), [&](size_t i) {
            const int32_t argument_length = static_cast<int32_t>(i) + 1;
            return lengths_->of_one(depth + 1, argument_length) *
                   lengths_->of_several(depth + 1, others, left - argument_length);
          }));
      values.push_back(append(draws, depth + 1, argument, tokens));
      left -= argument;
    }
    tokens.push_back(kListClose);
    return apply_by_sorting(list, std::move(values));
  }

  int32_t shortest_;
  int32_t longest_;
  ExpressionLaw law_;
  std::shared_ptr<const ExpressionLengths> lengths_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry listops_task() {
  return {
      .name = "listops",
      .summary = "the value of nested lists of digits: minimum, maximum, median or sum modulo 10 of each",
      .options =
          {{.name = "shortest",
            .help = "tokens of the shortest expression",
            .quick = 20,
            .paper = 501,
            .least = 4,
            .most = 4096},
           {.name = "longest",
            .help = "tokens of the longest expression",
            .quick = 200,
            .paper = 1999,
            .least = 4,
            .most = 4096},
           {.name = "depth",
            .help = "of nesting, digits counted: 2 is one list",
            .quick = 10,
            .paper = 10,
            .least = 2,
            .most = 20},
           {.name = "arguments", .help = "most of an operator", .quick = 10, .paper = 10, .least = 2, .most = 10}},
      .notes =
          "ListOps of Nangia and Bowman (arXiv 1804.06028) with the grammar of the Long Range Arena (Tay et al., arXiv "
          "2011.04006): `[MAX 2 9 [MIN 4 7 ] 0 ]` is 9. An argument is a digit with the chance 3/4, else a list of one "
          "of four operators, each as likely, with 2 to 10 arguments; at depth 10, the whole being at 1, all are "
          "digits. Medians of an "
          "even number of arguments are rounded down. Size `paper` has the lengths of the Arena, above 500 and below "
          "2,000. There trees are drawn until one has such a length; here lengths come from their exact law, and trees "
          "given the length, which is the same distribution. The answer is read at a word behind the expression, in "
          "the Arena at one before it.\n\n"
          "Content says what to do, position which list a digit belongs to. A score has to be held against the simple "
          "rule, the outermost operator on its own digits without the lists among its arguments, which is printed with "
          "the "
          "floors. Answers are not even, since minima and maxima make 0 and 9 common. Longer samples are longer "
          "expressions of the same grammar, with the same depth.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<ListopsTask>(values); },
  };
}

}  // namespace phasor
