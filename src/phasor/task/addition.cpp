// Addition of two numbers, digit by digit, with a causal model. longer() adds extra / 3 digits to each number, an extra
// that is no multiple of three rounded down.
#include <algorithm>
#include <array>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

constexpr int32_t kSumEnd = 10;  // words 0 to 9 are the digits
constexpr int32_t kPlus = 11;
constexpr int32_t kEquals = 12;

enum class Carries : uint8_t { any, none, chains };

using Digits = std::vector<int32_t>;  // the lowest first, however they are written

int32_t digit_at(const Digits& digits, size_t place) { return place < digits.size() ? digits[place] : 0; }

// first + second = sum. The sum has a place more than the longer number, which the end's word fills where no digit is
// carried into it. Each digit of the sum, and the equals sign, is asked for the next token of the sum and its end.
class AdditionTask final : public Task {
 public:
  explicit AdditionTask(const TaskValues& values)
      : digits_(static_cast<int32_t>(values[0])),
        highest_first_(values[1] == 1),
        equal_lengths_(values[2] == 1),
        carries_(static_cast<Carries>(values[3])) {}

  TaskShape shape() const override {
    return {
        .vocabulary = 13,
        .classes = 11,
        .max_length = int64_t{3} * (digits_ + extra_ / 3) + 3,
        .readout = Readout::every,
        .causal = true,
        .words = {{"digits", 0, 9}, {"end", kSumEnd, kSumEnd}, {"plus", kPlus, kPlus}, {"equals", kEquals, kEquals}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t first_length = draw_between(draws, 1, digits_);
    const int32_t second_length = equal_lengths_ ? first_length : draw_between(draws, 1, digits_);
    Digits first(static_cast<size_t>(first_length + extra_ / 3)),
        second(static_cast<size_t>(second_length + extra_ / 3));
    Digits sum;
    int32_t carry = 0;
    for (size_t place = 0; place < std::max(first.size(), second.size()); ++place) {
      const Column column = draw_column(draws, range_at(first.size(), place), range_at(second.size(), place));
      if (place < first.size()) first[place] = column.first;
      if (place < second.size()) second[place] = column.second;
      const int32_t total = column.first + column.second + carry;
      sum.push_back(total % 10);
      carry = total / 10;
    }
    if (carry == 1) sum.push_back(1);
    Sample sample;
    sample.tokens = written(first);
    sample.tokens.push_back(kPlus);
    for (const int32_t digit : written(second)) sample.tokens.push_back(digit);
    sample.tokens.push_back(kEquals);
    const size_t asked = sample.tokens.size() - 1;
    for (const int32_t digit : written(sum)) sample.tokens.push_back(digit);
    if (carry == 0) sample.tokens.push_back(kSumEnd);
    sample.targets = targets_of(asked, sample.tokens.size(), sum);
    return sample;
  }

  // Reads the two numbers alone. Into a place is carried what the nearest lower place that does not pass a carry on,
  // one whose digits do not add up to 9, gives.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const Question question = read(tokens);
    Digits sum;
    for (size_t place = 0; place <= question.places(); ++place) {
      size_t source = place;
      while (source > 0 && question.column(source - 1) == 9) --source;
      const bool carried = source > 0 && question.column(source - 1) > 9;
      sum.push_back((question.column(place) + (carried ? 1 : 0)) % 10);
    }
    if (sum.back() == 0) sum.pop_back();
    return targets_of(question.asked, tokens.size(), sum);
  }

  // Adds the digits of each place and forgets what is carried.
  std::vector<int32_t> simple_rule(const std::vector<int32_t>& tokens) const override {
    const Question question = read(tokens);
    Digits sum;
    for (size_t place = 0; place < question.places(); ++place) sum.push_back(question.column(place) % 10);
    return targets_of(question.asked, tokens.size(), sum);
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<AdditionTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  struct Column {
    int32_t first = 0, second = 0;
  };

  struct Range {
    int32_t least = 0, most = 0;
  };

  struct Question {
    Digits first, second;
    size_t asked = 0;  // where the equals sign stands

    size_t places() const { return std::max(first.size(), second.size()); }
    int32_t column(size_t place) const { return digit_at(first, place) + digit_at(second, place); }
  };

  // Of the digits of a number of that length: numbers of several digits do not begin with 0.
  static Range range_at(size_t length, size_t place) {
    if (place >= length) return {0, 0};
    return {place + 1 == length && length > 1 ? 1 : 0, 9};
  }

  // All pairs of digits that the setting allows are as likely. To make chains, half of the places add up to 9.
  Column draw_column(Draws& draws, Range first, Range second) const {
    const bool to_nine = carries_ == Carries::chains && draws.below(2) == 1;
    std::array<Column, 100> allowed;
    uint32_t count = 0;
    for (int32_t a = first.least; a <= first.most; ++a) {
      for (int32_t b = second.least; b <= second.most; ++b) {
        if (to_nine ? a + b == 9 : carries_ != Carries::none || a + b <= 9) allowed[count++] = {a, b};
      }
    }
    return allowed[draws.below(count)];
  }

  Digits written(Digits digits) const {
    if (highest_first_) std::reverse(digits.begin(), digits.end());
    return digits;
  }

  // From token `asked` on the digits of the sum as they are written, then the end.
  std::vector<int32_t> targets_of(size_t asked, size_t tokens, const Digits& sum) const {
    std::vector<int32_t> targets(tokens, kNotScored);
    size_t place = asked;
    for (const int32_t digit : written(sum)) targets[place++] = digit;
    targets[place] = kSumEnd;
    return targets;
  }

  Question read(const std::vector<int32_t>& tokens) const {
    const auto plus = std::find(tokens.begin(), tokens.end(), kPlus);
    const auto equals = std::find(plus, tokens.end(), kEquals);
    if (equals == tokens.end()) fail("addition: the {} tokens hold no + with an = behind it", tokens.size());
    Question question{.first = written({tokens.begin(), plus}),
                      .second = written({plus + 1, equals}),
                      .asked = static_cast<size_t>(equals - tokens.begin())};
    if (tokens.size() != question.asked + question.places() + 2) {
      fail("addition: {} tokens behind = are not the {} places of a sum", tokens.size() - question.asked - 1,
           question.places() + 1);
    }
    return question;
  }

  int32_t digits_;
  bool highest_first_;
  bool equal_lengths_;
  Carries carries_;
  int32_t extra_ = 0;  // tokens, of which extra_ / 3 more digits were made
};

}  // namespace

TaskEntry addition_task() {
  return {
      .name = "addition",
      .summary = "the sum of two numbers, each digit predicted from what stands before it (causal)",
      .options = {{.name = "digits",
                   .help = "most digits of each number; drawn from 1 on",
                   .quick = 5,
                   .paper = 20,
                   .least = 1,
                   .most = 4096},
                  word_option("order", {"reversed", "plain"},
                              "reversed: all numbers with the lowest digit first, as they are added; plain: with the "
                              "highest first"),
                  word_option("lengths", {"different", "equal"},
                              "different: each number has a length of its own; equal: both have the same"),
                  word_option(
                      "carries", {"any", "none", "chains"},
                      "any: digits at random; none: no place adds up to more than 9; chains: half of the places "
                      "add up to 9, so that carries run far")},
      .notes =
          "As in McLeish et al. (arXiv 2405.17399): lengths of both numbers drawn from 1 to 20, digits reversed, no "
          "zeros in front; scored on up to 100 digits (`--lengths 4.81`: a sample of n and n digits has 3 n + 3 "
          "tokens). Reversed, a digit of the answer depends on what stands before it: two digits whose distance is the "
          "length of the first number and one more, and the carry. So the place within a number has to be known, and "
          "it is what extrapolates badly; the paper's Abacus embeddings give it directly: "
          "`segments(learned,by=digits,at=inside,shift=99)`. In plain order the first digit may depend on all "
          "others.\n\n"
          "Every digit is predicted with the right ones before it, and then the end. A whole answer is right (see the "
          "share of whole answers) where a model that writes it token by token, each time the likeliest, would write "
          "it without a mistake: the paper's measure. There training has 20 million samples; `data.source=stream` "
          "draws new ones without end.\n\n"
          "The simple rule adds each place and forgets what is carried. With `carries=none` it is the whole "
          "task. `segments(learned,by=digits,at=inside)` beside another encoding gives digits their place in the "
          "number.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<AdditionTask>(values); },
  };
}

}  // namespace phasor
