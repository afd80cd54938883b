#include "phasor/task/sample_rules.h"

#include <algorithm>

#include "phasor/base/error.h"

namespace phasor {
namespace {

constexpr int64_t kPaddedMultiple = 16;

}  // namespace

TaskShape SampleRules::apply(const TaskShape& original) const {
  TaskShape shape = original;
  if (class_per_word && original.answer == AnswerKind::number) {
    fail_usage("protocol.classes=words: the answer is a number and has no classes; use protocol.classes=task");
  }
  if (class_per_word) {
    shape.classes = shape.vocabulary;
    if (original.first_label + original.classes > shape.classes) {
      fail_usage(
          "protocol.classes=words: answers are numbered {} to {}, and there are {} words; widen task.vocabulary or use "
          "protocol.classes=task",
          original.first_label, original.first_label + original.classes - 1, shape.vocabulary);
    }
  }
  if (!pads) return shape;
  if (!original.grid.empty()) {
    fail_usage("protocol.padding=visible: the cells of a grid leave no place for pads; use protocol.padding=none");
  }
  shape.max_length = padded_length;
  if (padded_length == 0) {
    shape.max_length = (original.max_length + kPaddedMultiple - 1) / kPaddedMultiple * kPaddedMultiple;
  }
  if (shape.max_length < original.max_length) {
    fail_usage("protocol.padded_length: {} is shorter than the longest sequence; at least {}, or 0", padded_length,
               original.max_length);
  }
  if (original.pad_word < 0) {
    shape.pad_word = static_cast<int32_t>(shape.vocabulary);
    ++shape.vocabulary;
    shape.words.push_back({"pad", shape.pad_word, shape.pad_word});
  }
  return shape;
}

Sample SampleRules::apply(Sample sample, const TaskShape& original) const {
  const TaskShape shape = apply(original);
  for (int32_t& target : sample.targets) {
    if (target == kNotScored) continue;
    if (class_per_word) target += original.first_label;
    if (ignore_label_0 && target == 0) target = kNotScored;
  }
  if (!pads) return sample;
  // Places counted from the end would move with the pads.
  if (sample.place < 0) sample.place += static_cast<int32_t>(sample.tokens.size());
  sample.tokens.resize(static_cast<size_t>(shape.max_length), shape.pad_word);
  if (shape.readout == Readout::every) sample.targets.resize(sample.tokens.size(), kNotScored);
  return sample;
}

}  // namespace phasor
