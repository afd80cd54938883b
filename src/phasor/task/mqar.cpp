// Multi-query associative recall: keys that were given with a value come again, spread over the rest of the sequence.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

constexpr int32_t kBlank = 0;

// key value key value ..., then each key once more among other words. Word 0 is the blank, the lower half of the others
// are keys and the rest values; class = number of the value. Keys that come again are asked for their value.
class MqarTask final : public Task {
 public:
  explicit MqarTask(const TaskValues& values)
      : vocabulary_(static_cast<int32_t>(values[0])),
        pairs_(static_cast<int32_t>(values[1])),
        length_(static_cast<int32_t>(values[2])),
        power_(static_cast<double>(values[3]) / 100.0),
        blanks_(values[4] == 1) {
    if (pairs_ > keys()) {
      fail_usage(
          "task.pairs: {} pairs take as many different keys, and {} words make {}; at most {}, or "
          "task.vocabulary at least {}",
          pairs_, vocabulary_, keys(), keys(), 2 * pairs_ + 2);
    }
    if (pairs_ > length_ / 4) {
      fail_usage(
          "task.pairs: {} pairs and their queries, every other token behind them, do not fit into {} tokens; at "
          "most {}, or task.length at least {}",
          pairs_, length_, length_ / 4, 4 * pairs_);
    }
  }

  TaskShape shape() const override {
    return {.vocabulary = vocabulary_,
            .classes = vocabulary_ - first_value(),
            .max_length = length_ + extra_,
            .readout = Readout::every,
            .causal = true,
            .words = {
                {"blank", kBlank, kBlank}, {"keys", 1, first_value() - 1}, {"values", first_value(), vocabulary_ - 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    DistinctWords keys(1, first_value()), values(first_value(), vocabulary_);
    Sample sample;
    const auto length = static_cast<size_t>(length_) + static_cast<size_t>(extra_);
    sample.tokens.reserve(length);
    for (int32_t pair = 0; pair < pairs_; ++pair) {
      sample.tokens.push_back(keys.next(draws));
      sample.tokens.push_back(values.next(draws));
    }
    const size_t behind = sample.tokens.size();
    sample.tokens.resize(length, kBlank);
    sample.targets.assign(length, kNotScored);
    std::vector<bool> asked(length);
    std::vector<double> weights = place_weights((length - behind) / 2);
    for (size_t pair = 0; pair < behind; pair += 2) {
      const size_t place = draw_weighted(draws, weights.size(), [&](size_t i) { return weights[i]; });
      weights[place] = 0.0;
      sample.tokens[behind + 2 * place] = sample.tokens[pair];
      sample.targets[behind + 2 * place] = sample.tokens[pair + 1] - first_value();
      asked[behind + 2 * place] = true;
    }
    for (size_t place = behind; place < length && !blanks_; ++place) {
      if (!asked[place]) sample.tokens[place] = draw_filler(draws, sample.tokens);
    }
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    const auto behind = 2 * static_cast<size_t>(pairs_);
    if (tokens.size() < behind) fail("mqar: {} tokens are not {} pairs with queries behind", tokens.size(), pairs_);
    std::unordered_map<int32_t, int32_t> value_of;
    for (size_t place = 0; place < behind; place += 2) value_of[tokens[place]] = tokens[place + 1] - first_value();
    std::vector<int32_t> targets(tokens.size(), kNotScored);
    for (size_t place = behind; place < tokens.size(); ++place) {
      const auto found = value_of.find(tokens[place]);
      if (found != value_of.end()) targets[place] = found->second;
    }
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<MqarTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    return task;
  }

 private:
  int32_t first_value() const { return vocabulary_ / 2; }
  int32_t keys() const { return first_value() - 1; }

  // Of the places for queries, every other one behind the pairs: a power law of the distance.
  std::vector<double> place_weights(size_t places) const {
    std::vector<double> weights(places);
    for (size_t i = 0; i < places; ++i) weights[i] = std::pow(static_cast<double>(i + 1), power_ - 1.0);
    return weights;
  }

  // Any word but the keys of the sample, which would look like another query.
  int32_t draw_filler(Draws& draws, const std::vector<int32_t>& tokens) const {
    while (true) {
      const int32_t word = draw_between(draws, 0, vocabulary_ - 1);
      bool key = false;
      for (size_t place = 0; place < 2 * static_cast<size_t>(pairs_); place += 2) key |= tokens[place] == word;
      if (!key) return word;
    }
  }

  int32_t vocabulary_;
  int32_t pairs_;
  int32_t length_;
  double power_;
  bool blanks_;
  int32_t extra_ = 0;
};

}  // namespace

TaskEntry mqar_task() {
  return {
      .name = "mqar",
      .summary = "which values go with keys that come again later, many in one sequence (causal)",
      .options =
          {{.name = "vocabulary",
            .help = "words: a blank, keys in the lower half, values in the upper, which are the classes",
            .quick = 64,
            .paper = 8192,
            .least = 4,
            .most = 65536},
           {.name = "pairs",
            .help = "of a key and its value at the start; each key is asked for once",
            .quick = 4,
            .paper = 16,
            .least = 1,
            .most = 4096},
           {.name = "length", .help = "tokens in a sample", .quick = 64, .paper = 256, .least = 4, .most = 16384},
           {.name = "power",
            .help = "hundredths of the power in the law of the queries' places: 1 puts most of them close "
                    "behind the pairs, 100 spreads them evenly",
            .quick = 1,
            .paper = 1,
            .least = 1,
            .most = 100},
           word_option("noise", {"random", "blank"},
                       "between the queries; random: any words but the keys of the sample; blank: word 0")},
      .notes =
          "Multi-query associative recall of Arora et al. (arXiv 2312.04927). A query stands at every other place "
          "behind the pairs, the i-th of them with a chance that falls as i^(power - 1), and is asked for the value of "
          "its key. Published lengths and pairs: 64 and 4, 128 and 8, 256 and 16, 512 and 64. Two differences: there "
          "the words between queries may happen to be keys of the sample (about one in 500 is), which is not asked "
          "for and which nothing tells from a query, so that no sample here has it; and there the classes are all "
          "words, here the values.\n\n"
          "A bag of tokens holds the values but not whose they are, which allows 1 / pairs. One step of position is "
          "needed, from a key to what follows it; the rest is content, over any distance. Longer samples have as many "
          "pairs and more between the queries. `retrieval` asks all of its keys at the end and has no noise.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<MqarTask>(values); },
  };
}

}  // namespace phasor
