#pragma once
// Input terms as a model reads them, for tests that compare them with closed forms.
#include <gtest/gtest.h>

#include <string>

#include "encoding/biases.h"

namespace phasor::testing_support {

inline EncodingShape input_shape(int64_t width = 16, int64_t positions = 11) {
  return {.layers = 2, .heads = 2, .head_width = 8, .width = width, .positions = positions};
}

// What is added to channel c of a token at position p, in a sequence of this length where that matters.
inline double input_at(const ResolvedEncoding& encoding, int64_t p, int64_t c, int64_t length = 0) {
  if (!encoding.input) return 0.0;
  const InputTerm& input = *encoding.input;
  EXPECT_TRUE(input.learned.empty()) << "these are not all of its numbers";
  const int64_t table = input.per_length ? (length > 0 ? length : encoding.shape.positions) - 1 : 0;
  const int64_t positions = encoding.axes[static_cast<size_t>(input.axis)].extent;
  return input.fixed(table * positions + p, c);
}

}  // namespace phasor::testing_support
