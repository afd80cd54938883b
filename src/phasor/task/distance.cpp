// Relative distance classification: how many tokens stand between two trigger words.
#include <algorithm>

#include "phasor/base/error.h"
#include "phasor/task/distance_posterior.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

constexpr int32_t kTriggersInASample = 2;
constexpr int32_t kVariedTriggerWords = 8;

DistanceLaw law_of(const TaskValues& values) {
  const bool varied = values[3] == 1;
  return {.vocabulary = static_cast<int32_t>(values[0]),
          .gap = static_cast<int32_t>(values[1]),
          .sides = static_cast<int32_t>(values[2]),
          .trigger_words = varied ? kVariedTriggerWords : kTriggersInASample,
          .varied_triggers = varied,
          .fillers_any = values[4] == 1,
          .fixed_length = values[5] == 1};
}

// left fillers, first trigger, gap fillers, second trigger, right fillers; class = gap - 1.
class DistanceTask final : public Task {
 public:
  explicit DistanceTask(const TaskValues& values)
      : law_(law_of(values)), at_trigger_(values[6] == 1), as_number_(values[7] == 1), posterior_(law_) {
    if (law_.vocabulary <= law_.trigger_words) {
      fail_usage("task.vocabulary: {} words leave no filler beside the {} words of task.triggers=varied; at least {}",
                 law_.vocabulary, law_.trigger_words, law_.trigger_words + 1);
    }
    check_segment("gap", law_.gap);
    check_segment("sides", law_.sides);
    if (at_trigger_ && law_.fillers_any) {
      fail_usage(
          "task.readout: trigger would tell which of several triggers is meant, and task.fillers=any leaves that open; "
          "task.readout=mean, or task.fillers=distinct");
    }
    const int32_t all = law_.longest() - kTriggersInASample;
    if (law_.fixed_length && all > filler_words()) {
      fail_usage(
          "task.length: fixed takes {} different fillers, and there are {} filler words; task.vocabulary at least {}, "
          "or smaller task.gap and task.sides",
          all, filler_words(), all + first_filler());
    }
  }

  TaskShape shape() const override {
    return {.vocabulary = law_.vocabulary,
            .classes = law_.gap,
            .max_length = law_.longest(),
            .readout = at_trigger_ ? Readout::token : Readout::mean,
            .pad_word = law_.vocabulary - 1,
            .first_label = 2,  // gap + 1
            .answer = as_number_ ? AnswerKind::number : AnswerKind::choice,
            .words = {{"triggers", 0, law_.trigger_words - 1}, {"fillers", first_filler(), law_.vocabulary - 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    const int32_t gap = draw_between(draws, 1, law_.gap) + law_.more_gap;
    const int32_t left = draw_between(draws, 1, law_.sides) + law_.more_left;
    const int32_t right = law_.fixed_length ? law_.longest() - kTriggersInASample - left - gap
                                            : draw_between(draws, 1, law_.sides) + law_.more_right;
    int32_t first = 0, second = 1;
    if (law_.varied_triggers) {
      DistinctWords words(0, law_.trigger_words);
      first = words.next(draws);
      second = words.next(draws);
    }
    DistinctWords words(first_filler(), law_.vocabulary);
    Sample sample;
    sample.tokens.reserve(static_cast<size_t>(law_.longest()));
    const auto append_segment = [&](int32_t count) {
      // With a fixed length no word comes twice in a sample: how many do would say something about the gap.
      if (!law_.fixed_length) words.put_back();
      for (int32_t i = 0; i < count; ++i) sample.tokens.push_back(words.next(draws));
    };
    append_segment(left);
    sample.tokens.push_back(first);
    append_segment(gap);
    if (at_trigger_) sample.place = static_cast<int32_t>(sample.tokens.size());
    sample.tokens.push_back(second);
    append_segment(right);
    sample.targets = {gap - 1};
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    if (!law_.fillers_any) return simple_rule(tokens);
    const DistancePosterior::Answer answer = posterior_.likeliest(tokens);
    if (answer.gap == 0) fail("distance: the {} tokens cannot come from this task", tokens.size());
    return {answer.gap - 1};
  }

  std::vector<int32_t> simple_rule(const std::vector<int32_t>& tokens) const override {
    const auto first = std::find_if(tokens.begin(), tokens.end(), [&](int32_t token) {
      return law_.varied_triggers ? token < law_.trigger_words : token == 0;
    });
    const auto second = std::find_if(first, tokens.end(), [&](int32_t token) { return law_.is_pair(*first, token); });
    if (second == tokens.end()) {
      fail("distance: the {} tokens do not hold two triggers, the first before the second", tokens.size());
    }
    return {static_cast<int32_t>(second - first) - 2};
  }

  double certainty(const std::vector<int32_t>& tokens) const override {
    return law_.fillers_any ? posterior_.likeliest(tokens).probability : 1.0;
  }

  bool has_decoy(const std::vector<int32_t>& tokens) const override {
    const auto is_trigger = [&](int32_t token) { return token < law_.trigger_words; };
    return std::count_if(tokens.begin(), tokens.end(), is_trigger) > kTriggersInASample;
  }

  // Given the length, the likeliest gap is the one that leaves the sides sides + 1 tokens, which they share out in as
  // many ways as can be, or else the shortest or the longest. Summed over lengths, of gap * sides^2 combinations
  // (gap + sides - 1) * sides are right.
  std::optional<double> best_from_length() const override {
    const double gap = law_.gap, sides = law_.sides;
    return law_.fixed_length ? 1.0 / gap : (gap + sides - 1.0) / (gap * sides);
  }

  // A class must not be new: the sides grow, the right one by the odd token. A number may be: the gap grows.
  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<DistanceTask>(*this);
    DistanceLaw& law = task->law_;
    const int32_t more = add_extra(law.more_left + law.more_gap + law.more_right, extra);
    law.more_left = as_number_ ? 0 : more / 2;
    law.more_gap = as_number_ ? more : 0;
    law.more_right = more - law.more_left - law.more_gap;
    task->posterior_ = DistancePosterior(law);
    return task;
  }

 private:
  int32_t first_filler() const { return law_.fillers_any ? 0 : law_.trigger_words; }
  int32_t filler_words() const { return law_.vocabulary - first_filler(); }

  void check_segment(const char* option, int32_t longest) const {
    if (longest <= filler_words()) return;
    fail_usage(
        "task.{}: {} different fillers cannot come from {} filler words; at most {}, or task.vocabulary at least {}",
        option, longest, filler_words(), filler_words(), longest + first_filler());
  }

  DistanceLaw law_;
  bool at_trigger_;
  bool as_number_;
  DistancePosterior posterior_;
};

constexpr const char* kNotes =
    "Needs what and where together: which tokens are the triggers, and how far apart they stand. Any encoding that "
    "tells distances apart over the longest gap can solve it, be it a rotation, a bias by distance or places added to "
    "the input; the order of the two is known from the words, so the sign of a distance is not needed. Without an "
    "encoding and without a causal mask a model sees a bag of tokens. With `length=natural` its size alone allows an "
    "accuracy of (gap + sides - 1) / (gap * sides), 16.1 % at quick and 5.4 % at paper size, and words that stand in "
    "two "
    "segments add a little. The place of the second trigger alone allows as much as the length.\n\n"
    "`length=fixed` closes that: every sequence has 2 sides + gap + 2 tokens, all fillers of a sample are different, "
    "the left side is drawn as ever and the right side takes the rest. Length, words and the place of the first "
    "trigger "
    "are then independent of the gap, and the best without order is 1 / gap. The place of the second trigger has to "
    "say something, since on average it stands gap + 1 behind the first; longer sides leave it less to say.\n\n"
    "`fillers=any` is what the code released with arXiv 2505.13027 draws. A filler that is a trigger word can leave "
    "several answers open; the solver then weighs every way in which the tokens may have come about, and the ceiling "
    "is the mean certainty of its answer. At paper size 19.7 % of the samples hold a trigger word too many, 5.7 % "
    "leave "
    "more than one answer open, the simple rule (the first word 0, and the first word 1 after it) is right in 91.6 %, "
    "and "
    "no model can do better than 97.5 %. That code also cuts sequences at 120 tokens, which this task does not: at "
    "paper size it would take one or two fillers off the right end in 4 of 43,750 combinations of lengths, and change "
    "no answer.\n\n"
    "`triggers=varied` draws the two, different ones, out of the words 0 to 7 for every sample, so that no single pair "
    "of words can be learned by heart.\n\n"
    "`readout=trigger` reads the answer at the second trigger instead of from the mean over all tokens. Tokens added "
    "to the sides then leave the readout alone, and what they change is what attention makes of them. It does not go "
    "with `fillers=any`, where it would tell which of several triggers is meant.\n\n"
    "`answer=number` asks for the class as one number, learned by its squared error and taken as right where the "
    "nearest whole number is. A number can say what no training sample asked for, so longer samples have longer gaps, "
    "where with `answer=class` they have longer sides.";

}  // namespace

TaskEntry distance_task() {
  return {
      .name = "distance",
      .summary = "how many tokens stand between two trigger words (class = gap - 1)",
      .options = {{.name = "vocabulary",
                   .help = "words, the triggers included",
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
                   .most = 16384},
                  word_option("triggers", {"fixed", "varied"},
                              "fixed: word 0, then word 1; varied: two different ones of the words 0 to 7, drawn for "
                              "every sample, of which the one that stands first marks the start"),
                  word_option("fillers", {"distinct", "any"},
                              "distinct: never a trigger word, so that no sample is ambiguous; any: out of all words, "
                              "as in the released code"),
                  word_option("length", {"natural", "fixed"},
                              "natural: what the three draws add up to; fixed: the right side fills up to the longest, "
                              "and length and words say nothing about the gap"),
                  word_option("readout", {"mean", "trigger"},
                              "what the answer is read from: the mean over all tokens, or the second trigger's token"),
                  word_option("answer", {"class", "number"},
                              "class: a choice between the gaps of training; number: one number, which may lie beyond "
                              "them")},
      .notes = kNotes,
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<DistanceTask>(values); },
  };
}

}  // namespace phasor
