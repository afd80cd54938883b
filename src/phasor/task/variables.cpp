// Variable tracking: which variables have a value, through assignments of one to the next?
#include <algorithm>
#include <unordered_map>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/noise.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// Assignments "variable = source" of three tokens each in a haystack, then the question, a value and all variables that
// have it, in the order of their assignments. The source of a chain's first variable is a value, of the others the
// variable before. Words: variables, values, =, the question, noise. The value asked for and each variable behind it
// but the last are asked for the next variable.
class VariablesTask final : public Task {
 public:
  explicit VariablesTask(const TaskValues& values)
      : names_(static_cast<int32_t>(values[0])),
        values_(static_cast<int32_t>(values[1])),
        chains_(static_cast<int32_t>(values[2])),
        hops_(static_cast<int32_t>(values[3])),
        noise_(static_cast<int32_t>(values[4])) {
    if (assignments() > names_) {
      fail_usage(
          "task.names: {} chains of {} variables take as many different names as {}, and there are {}; at least "
          "{}, or smaller task.chains and task.hops",
          chains_, hops_ + 1, assignments(), names_, assignments());
    }
    if (chains_ > values_) {
      fail_usage(
          "task.values: {} chains take as many different values, and there are {}; at least {}, or task.chains at "
          "most {}",
          chains_, values_, chains_, values_);
    }
  }

  TaskShape shape() const override {
    return {.vocabulary = first_noise() + kNoiseWords,
            .classes = names_,
            .max_length = length(),
            .readout = Readout::every,
            .causal = true,
            .words = {{"variables", 0, names_ - 1},
                      {"values", names_, names_ + values_ - 1},
                      {"assign", assign(), assign()},
                      {"question", question(), question()},
                      {"noise", first_noise(), first_noise() + kNoiseWords - 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    DistinctWords names(0, names_), values(names_, names_ + values_);
    std::vector<std::vector<int32_t>> chains(static_cast<size_t>(chains_));  // a value, then the variables so far
    for (std::vector<int32_t>& chain : chains) chain.push_back(values.next(draws));
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(length()));
    int32_t assignments_left = assignments();
    // A slot is an assignment's with the chance (assignments left) / (slots left), and as to which chain's: each of the
    // assignments that are left is as likely.
    for (int32_t slots_left = assignments_left + noise_ + extra_, noise = 0; slots_left > 0; --slots_left) {
      if (draw_between(draws, 1, slots_left) > assignments_left) {
        sample.tokens.push_back(first_noise() + noise++ % kNoiseWords);
        continue;
      }
      std::vector<int32_t>& chain = chains[draw_chain(draws, chains, assignments_left--)];
      const int32_t name = names.next(draws);
      sample.tokens.insert(sample.tokens.end(), {name, assign(), chain.back()});
      chain.push_back(name);
    }
    // Chains are alike: one is as good to ask for as any other.
    const std::vector<int32_t>& asked = chains[0];
    sample.tokens.push_back(question());
    sample.targets.assign(sample.tokens.size(), kNotScored);
    sample.tokens.insert(sample.tokens.end(), asked.begin(), asked.end());
    sample.targets.insert(sample.targets.end(), asked.begin() + 1, asked.end());
    sample.targets.push_back(kNotScored);
    return sample;
  }

  // Goes through the assignments in order and passes values on from source to variable; the answer is not looked at.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const auto asked = static_cast<size_t>(std::find(tokens.begin(), tokens.end(), question()) - tokens.begin());
    if (tokens.size() != asked + static_cast<size_t>(hops_) + 3) {
      fail("variables: the {} tokens do not end with a question and {} variables", tokens.size(), hops_ + 1);
    }
    std::vector<int32_t> targets(asked + 1, kNotScored);
    std::unordered_map<int32_t, int32_t> value_of;
    for (size_t place = 1; place + 1 < asked; ++place) {
      if (tokens[place] != assign()) continue;
      const int32_t source = tokens[place + 1];
      const auto known = value_of.find(source);
      const int32_t value = known == value_of.end() ? source : known->second;
      value_of[tokens[place - 1]] = value;
      if (value == tokens[asked + 1]) targets.push_back(tokens[place - 1]);
    }
    if (targets.size() + 1 != tokens.size()) {
      fail("variables: {} variables have the value asked for, not {}", targets.size() - asked - 1, hops_ + 1);
    }
    targets.push_back(kNotScored);
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<VariablesTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  // Of every sample: assignments, haystack, the question with its value, the answer.
  int64_t length() const { return int64_t{3} * assignments() + noise_ + extra_ + 2 + hops_ + 1; }
  int32_t assignments() const { return chains_ * (hops_ + 1); }
  int32_t assign() const { return names_ + values_; }
  int32_t question() const { return assign() + 1; }
  int32_t first_noise() const { return assign() + 2; }

  size_t draw_chain(Draws& draws, const std::vector<std::vector<int32_t>>& chains, int32_t assignments_left) const {
    int32_t drawn = draw_between(draws, 0, assignments_left - 1);
    size_t chain = 0;
    while (true) {
      drawn -= hops_ + 2 - static_cast<int32_t>(chains[chain].size());
      if (drawn < 0) return chain;
      ++chain;
    }
  }

  int32_t names_;
  int32_t values_;
  int32_t chains_;
  int32_t hops_;
  int32_t noise_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry variables_task() {
  return {
      .name = "variables",
      .summary = "which variables have a value, through chains of assignments in a haystack (causal)",
      .options = {{.name = "names",
                   .help = "words for variables; also the number of classes",
                   .quick = 32,
                   .paper = 256,
                   .least = 2,
                   .most = 32768},
                  {.name = "values", .help = "words for values", .quick = 16, .paper = 256, .least = 1, .most = 32768},
                  {.name = "chains",
                   .help = "of assignments, each with a value of its own; one of them is asked for",
                   .quick = 2,
                   .paper = 1,
                   .least = 1,
                   .most = 64},
                  {.name = "hops",
                   .help = "assignments of a variable to the next in a chain, which has one variable more",
                   .quick = 2,
                   .paper = 4,
                   .least = 1,
                   .most = 64},
                  {.name = "length",
                   .help = "tokens of the haystack, between which the assignments stand",
                   .quick = 16,
                   .paper = 256,
                   .least = 0,
                   .most = 65536}},
      .notes =
          "Variable tracking of RULER (arXiv 2404.06654): \"VAR A = 12345 ... VAR B = VAR A ...\" among sentences "
          "about "
          "grass and sky, and at the end \"Find all variables that are assigned the value 12345\". Size `paper` has "
          "its one chain of four hops; further chains are distractors. Here names and values are one word each, and a "
          "model is trained on the task instead of being asked in words; it writes the variables in the order of "
          "their assignments, where RULER takes them in any.\n\n"
          "The first variable stands two places before the value, and each further one two places before the last: "
          "found by content, in one step of position. With several chains a model that finds some variable and not "
          "the right one has 1 / (number of variables). Longer samples have a longer haystack and as many "
          "assignments. The share of whole answers tells how often a chain was followed to its end. "
          "The preset's samples are few for it: `data.source=stream` draws new ones without end.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<VariablesTask>(values); },
  };
}

}  // namespace phasor
