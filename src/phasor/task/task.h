#pragma once
// A task makes samples out of random words and knows the right answers.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/base/named_words.h"
#include "phasor/random/stream.h"

namespace phasor {

// Which features the answer is read from: the mean over tokens, one marked token, or every token.
enum class Readout : uint8_t { mean, token, every };

// How the model answers: by choosing one of the classes, or by giving the target as one number, which may then lie
// outside the classes of training.
enum class AnswerKind : uint8_t { choice, number };

constexpr int32_t kNotScored = -1;

struct Sample {
  std::vector<int32_t> tokens;
  std::vector<int32_t> targets;  // one class, or one per token for Readout::every (kNotScored allowed)
  int32_t place = -1;            // the token read by Readout::token; negative counts from the end
};

struct TaskShape {
  int64_t vocabulary = 0;
  int64_t classes = 0;
  int64_t max_length = 0;  // longest sequence that sample() can make
  Readout readout = Readout::mean;
  std::vector<int64_t> grid = {};  // extents, where tokens are the cells of a grid, row by row
  bool causal = false;             // answers are given from what stands before: the model must be causal
  int32_t pad_word = -1;           // an ordinary word that sequences may be filled up with; -1: it takes a new one
  int32_t first_label = 0;         // what the released code calls the first class, where it has this task
  AnswerKind answer = AnswerKind::choice;
  std::vector<NamedWords> words = {};  // kinds of words that a person may want to name
};

class Task {
 public:
  virtual ~Task() = default;
  virtual TaskShape shape() const = 0;
  // A pure function of the stream's coordinates; the data set numbers its samples in stream.step.
  virtual Sample sample(const RandomStream& stream) const = 0;
  // The right targets, found from the tokens alone and by another way than sample() made them. Where tokens leave
  // several answers open, the likeliest.
  virtual std::vector<int32_t> solve(const std::vector<int32_t>& tokens) const = 0;
  // What the first rule that comes to mind answers.
  virtual std::vector<int32_t> simple_rule(const std::vector<int32_t>& tokens) const { return solve(tokens); }
  // How likely solve()'s answers are to be right, as a mean over scored targets; below 1 where tokens leave several
  // open.
  virtual double certainty(const std::vector<int32_t>&) const { return 1.0; }
  // Whether a trigger word stands where a filler should, over which the simple rule may stumble.
  virtual bool has_decoy(const std::vector<int32_t>&) const { return false; }
  // The best accuracy from the length alone, where it is known exactly; a choice learned from samples stays below it.
  virtual std::optional<double> best_from_length() const { return std::nullopt; }
  // The same task with the same words, classes and readout, whose samples are `extra` tokens longer than this one's
  // (where a task says so, rounded down to what it can add); 0 gives equal samples. A model trained on this task is
  // scored on those. Throws UsageError where a longer sample would need answers or words that training does not have,
  // as for every task that does not say otherwise.
  virtual std::unique_ptr<Task> longer(int64_t extra) const;
};

// What longer() adds in all, on top of what it added before. Throws UsageError for fewer than 0 tokens and for more
// than attention can count.
int32_t add_extra(int32_t before, int64_t extra);

// One option of a task, with its value in each preset: a whole number, or one of several words, which stands here by
// its place among the choices.
struct TaskOption {
  std::string name;
  std::string help;
  int64_t quick = 0;
  int64_t paper = 0;
  int64_t least = 0;
  int64_t most = 0;
  std::vector<std::string> choices = {};
};

// The first choice is the value in every preset.
TaskOption word_option(std::string name, std::vector<std::string> choices, std::string help);

// As people write it.
std::string print_option(const TaskOption& option, int64_t value);

using TaskValues = std::vector<int64_t>;  // in the order of TaskEntry::options

struct TaskEntry {
  std::string name;
  std::string summary;
  std::vector<TaskOption> options;
  std::string notes = {};  // what solves it, what cannot and why; in Markdown
  std::unique_ptr<Task> (*make)(const TaskValues& values) = nullptr;
};

const std::vector<TaskEntry>& task_catalogue();

// Throws UsageError with the nearest name.
const TaskEntry& find_task(std::string_view name);

// Throws UsageError when the value is outside the option's bounds.
void check_option(const TaskOption& option, int64_t value);

// Checks every option, then makes the task, which checks how they fit together.
std::unique_ptr<Task> make_task(std::string_view name, const TaskValues& values);

TaskValues quick_values(const TaskEntry& entry);
TaskValues paper_values(const TaskEntry& entry);

}  // namespace phasor
