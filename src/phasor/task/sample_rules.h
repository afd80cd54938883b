#pragma once
// What a protocol does to a task's samples before a model sees them.
#include <cstdint>

#include "phasor/task/task.h"

namespace phasor {

struct SampleRules {
  bool pads = false;            // every sequence is filled up to the same length with a word like any other
  int64_t padded_length = 0;    // that length; 0: the next multiple of 16
  bool class_per_word = false;  // the model has a class for every word; answers are numbered from first_label on
  bool ignore_label_0 = false;  // class 0 is neither learned nor scored

  // The shape of changed samples. Throws UsageError where a rule does not fit the task.
  TaskShape apply(const TaskShape& original) const;
  // `original` is the task's own shape.
  Sample apply(Sample sample, const TaskShape& original) const;
};

}  // namespace phasor
