// Associative recall: the value that follows a key. longer() adds extra / 2 pairs, an odd extra rounded down.
#include <unordered_map>

#include "phasor/base/error.h"
#include "phasor/task/entries.h"
#include "phasor/task/word_draws.h"

namespace phasor {
namespace {

// key value key value ..., then the keys asked for. Keys are the words 0 .. keys - 1, values the next ones; class =
// number of the value.
class RetrievalTask final : public Task {
 public:
  explicit RetrievalTask(const TaskValues& values)
      : keys_(static_cast<int32_t>(values[0])),
        values_(static_cast<int32_t>(values[1])),
        pairs_(static_cast<int32_t>(values[2])),
        queries_(static_cast<int32_t>(values[3])) {
    check_pairs("keys", keys_);
    check_pairs("values", values_);
    if (queries_ > pairs_) {
      fail_usage("task.queries: {} different keys cannot be asked for out of {} pairs; at most {}", queries_, pairs_,
                 pairs_);
    }
  }

  TaskShape shape() const override {
    return {.vocabulary = int64_t{keys_} + values_,
            .classes = values_,
            .max_length = static_cast<int64_t>(length()),
            .readout = queries_ == 1 ? Readout::token : Readout::every,
            .words = {{"keys", 0, keys_ - 1}, {"values", keys_, int64_t{keys_} + values_ - 1}}};
  }

  Sample sample(const RandomStream& stream) const override {
    Draws draws(stream);
    DistinctWords keys(0, keys_), values(0, values_), asked(0, pairs_);
    Sample sample;
    sample.tokens.reserve(length());
    for (int32_t pair = 0; pair < pairs_; ++pair) {
      sample.tokens.push_back(keys.next(draws));
      sample.tokens.push_back(keys_ + values.next(draws));
    }
    if (queries_ > 1) sample.targets.assign(first_query(), kNotScored);
    for (int32_t query = 0; query < queries_; ++query) {
      const size_t key_place = 2 * static_cast<size_t>(asked.next(draws));
      sample.tokens.push_back(sample.tokens[key_place]);
      sample.targets.push_back(sample.tokens[key_place + 1] - keys_);
    }
    return sample;
  }

  std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const override {
    if (tokens.size() != length()) {
      fail("retrieval: {} tokens are not {} pairs and {} queries", tokens.size(), pairs_, queries_);
    }
    std::unordered_map<int32_t, int32_t> value_of;
    for (size_t place = 0; place < first_query(); place += 2) value_of[tokens[place]] = tokens[place + 1] - keys_;
    std::vector<int32_t> targets(queries_ == 1 ? 0 : first_query(), kNotScored);
    for (size_t place = first_query(); place < tokens.size(); ++place) {
      const auto found = value_of.find(tokens[place]);
      if (found == value_of.end()) fail("retrieval: the key {} is asked for but not given", tokens[place]);
      targets.push_back(found->second);
    }
    return targets;
  }

  std::unique_ptr<Task> longer(int64_t extra) const override {
    auto task = std::make_unique<RetrievalTask>(*this);
    task->extra_ = add_extra(extra_, extra);
    task->pairs_ += task->extra_ / 2 - extra_ / 2;
    check_more_pairs("keys", keys_, extra, task->pairs_);
    check_more_pairs("values", values_, extra, task->pairs_);
    return task;
  }

 private:
  size_t first_query() const { return 2 * static_cast<size_t>(pairs_); }
  size_t length() const { return first_query() + static_cast<size_t>(queries_); }

  void check_more_pairs(const char* option, int32_t words, int64_t extra, int32_t pairs) const {
    if (pairs <= words) return;
    fail_usage(
        "retrieval: {} more tokens make {} pairs, which take as many different {}, and there are {}; at most {} more "
        "tokens, or task.{} at least {}",
        extra, pairs, option, words, 2 * (words - pairs_) + 1 - extra_ % 2, option, pairs);
  }

  void check_pairs(const char* option, int32_t words) const {
    if (pairs_ <= words) return;
    fail_usage("task.pairs: {} pairs take as many different {}, and there are {}; at most {}, or task.{} at least {}",
               pairs_, option, words, words, option, pairs_);
  }

  int32_t keys_;
  int32_t values_;
  int32_t pairs_;
  int32_t queries_;
  int32_t extra_ = 0;  // tokens of which extra_ / 2 more pairs were made
};

}  // namespace

TaskEntry retrieval_task() {
  return {
      .name = "retrieval",
      .summary = "which value follows a key (associative recall)",
      .options = {{.name = "keys", .help = "key words", .quick = 32, .paper = 287, .least = 2, .most = 32768},
                  {.name = "values",
                   .help = "value words; also the number of classes",
                   .quick = 32,
                   .paper = 287,
                   .least = 2,
                   .most = 32768},
                  {.name = "pairs",
                   .help = "of a key and its value in a sample, each word at most once",
                   .quick = 8,
                   .paper = 32,
                   .least = 2,
                   .most = 8192},
                  {.name = "queries",
                   .help = "different keys asked for at the end: one is read at the last token, several at every query",
                   .quick = 1,
                   .paper = 1,
                   .least = 1,
                   .most = 8192}},
      .notes =
          "Content finds the place: where the key stands says nothing, and the query finds it by its word. From there "
          "it "
          "is one step to the right, the same everywhere, and this step is all that position is needed for. A bag of "
          "tokens holds keys and values but not which belongs to which, so a model without an encoding and without a "
          "causal mask is left with one of the values at random: 1 / pairs. Two layers can do it: in one each value "
          "learns which key stands before it, in the next the query looks for that key.\n\n"
          "At quick size a causal model (`model.causal=true`) learns this within some hundred steps; without a mask "
          "none "
          "of the encodings tried had found it after 2,000.\n\n"
          "With several queries this is multi-query associative recall (Arora et al., arXiv 2312.04927), with the "
          "queries behind the pairs.",
      .make = [](const TaskValues& values) -> std::unique_ptr<Task> { return std::make_unique<RetrievalTask>(values); },
  };
}

}  // namespace phasor
