// Dyck words: which bracket has to be closed? longer() adds extra / 2 pairs of brackets.
#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// Brackets that all close, never more than `depth` open at a time. Words 0 .. types - 1 open, the next ones close. A
// token before one that closes is asked for its type.
class DyckTask final : public Task {
 public:
  explicit DyckTask(const TaskValues& values)
      : pairs_(static_cast<int32_t>(values[0])),
        types_(static_cast<int32_t>(values[1])),
        depth_(static_cast<int32_t>(values[2])) {}

  TaskShape shape() const override {
    return {.vocabulary = int64_t{2} * types_,
            .classes = types_,
            .max_length = int64_t{2} * (pairs_ + extra_ / 2),
            .readout = Readout::every,
            .causal = true,
            .words = {{"opening", 0, types_ - 1}, {"closing", types_, int64_t{2} * types_ - 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t length = 2 * (draw_between(draws, 1, pairs_) + extra_ / 2);
    std::vector<int32_t> open;
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(length));
    sample.targets.assign(static_cast<size_t>(length), kNotScored);
    for (int32_t place = 0; place < length; ++place) {
      const auto height = static_cast<int32_t>(open.size());
      const bool can_open = height < depth_ && height < length - place;  // and there is room to close it
      const bool opens = height == 0 || (can_open && draws.below(2) == 0);
      if (opens) {
        open.push_back(draw_between(draws, 0, types_ - 1));
        sample.tokens.push_back(open.back());
        continue;
      }
      sample.tokens.push_back(types_ + open.back());
      sample.targets[static_cast<size_t>(place) - 1] = open.back();
      open.pop_back();
    }
    return sample;
  }

  // Goes back from every closing bracket, whose type is not looked at, to where as many brackets open as close.
  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    std::vector<int32_t> targets(tokens.size(), kNotScored);
    for (size_t closing = 0; closing < tokens.size(); ++closing) {
      if (!closes(tokens[closing])) continue;
      int64_t open = -1;
      size_t place = closing;
      while (open < 0 && place > 0) open += closes(tokens[--place]) ? -1 : 1;
      if (open < 0) fail("dyck: no bracket is open for token {} to close", closing);
      targets[closing - 1] = tokens[place];
    }
    return targets;
  }

  // The bracket that was opened last, whether it is still open or not.
  std::vector<int32_t> simple_rule(const std::vector<int32_t>& tokens) const override {
    std::vector<int32_t> targets(tokens.size(), kNotScored);
    int32_t last = kNotScored;
    for (size_t place = 0; place < tokens.size(); ++place) {
      if (closes(tokens[place])) {
        targets[place - 1] = last;
      } else {
        last = tokens[place];
      }
    }
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<DyckTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  bool closes(int32_t token) const { return token >= types_; }

  int32_t pairs_;
  int32_t types_;
  int32_t depth_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry dyck_task() {
  return {
      .name = "dyck",
      .summary = "which of the open brackets has to be closed next, at every one that closes (causal)",
      .options = {{.name = "pairs",
                   .help = "most pairs of brackets; drawn from 1 on",
                   .quick = 16,
                   .paper = 64,
                   .least = 1,
                   .most = 8192},
                  {.name = "types",
                   .help = "kinds of brackets; also the number of classes",
                   .quick = 4,
                   .paper = 8,
                   .least = 2,
                   .most = 32768},
                  {.name = "depth",
                   .help = "most brackets open at a time",
                   .quick = 4,
                   .paper = 10,
                   .least = 1,
                   .most = 8192}},
      .notes =
          "The bounded Dyck language of Hewitt et al. (arXiv 2010.07515) and Yao et al. (arXiv 2105.11115), size "
          "`paper` with 8 types and depth 10 as in the latter. Where both are possible, a bracket opens or closes with "
          "equal chances. As there, a model is judged by the type of the brackets that close, which the tokens before "
          "them settle; there a language model also learns when to close, here it is told.\n\n"
          "Depth, a count over all tokens before, and the place together tell the partner: the nearest bracket to the "
          "left that opens at that depth. Two layers can do it. Longer samples have more pairs at the same depth; a "
          "deeper set is one with another `depth`. The simple rule closes the bracket that was opened last, even if "
          "it has been closed: it is right for all innermost pairs, and now and then by luck.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<DyckTask>(values); },
  };
}

}  // namespace phasor
