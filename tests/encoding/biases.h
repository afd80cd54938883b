#pragma once
// Distance biases as attention reads them, for tests that compare them with closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/encoding.h"
#include "phasor/encoding/resolve/values.h"

namespace phasor::testing_support {

inline EncodingShape bias_shape(int64_t heads = 4, int64_t positions = 20, bool causal = false) {
  return {.layers = 3, .heads = heads, .head_width = 9, .width = 16, .positions = positions, .causal = causal};
}

inline ResolvedEncoding resolve_text(const std::string& text, const EncodingShape& shape = bias_shape()) {
  return resolve(parse_encoding(text), shape);
}

// With the numbers that a model of this seed starts from.
inline ResolvedEncoding start_of(const std::string& text, const EncodingShape& shape = bias_shape(),
                                 uint64_t seed = 7) {
  const ResolvedEncoding resolved = resolve_text(text, shape);
  return with_values(resolved, initial_values(resolved, seed));
}

// Of the query at position i for the key at position j, in a sequence of this length where that matters.
inline double bias_at(const ResolvedEncoding& encoding, int64_t layer, int64_t head, int64_t i, int64_t j,
                      int64_t length = 0) {
  const BiasTerm* bias = encoding.layers[static_cast<size_t>(layer)].bias.get();
  if (bias == nullptr) return 0.0;
  EXPECT_TRUE(bias->learned.empty()) << "these are not all of its numbers";
  const int64_t table = bias->per_length ? (length > 0 ? length : encoding.shape.positions) - 1 : 0;
  const int64_t row = (table * encoding.shape.heads + head) * bias->rows + (bias->rows > 1 ? i : 0);
  return bias->fixed(row, bias->reach + j - i);
}

inline const LearnedParameter& parameter_of(const ResolvedEncoding& encoding, const std::string& name) {
  for (const LearnedParameter& parameter : encoding.parameters) {
    if (parameter.name == name) return parameter;
  }
  throw Error("no parameter " + name);
}

inline std::vector<double>& values_of(ParameterValues& values, const ResolvedEncoding& encoding,
                                      const std::string& name) {
  return values[static_cast<size_t>(&parameter_of(encoding, name) - encoding.parameters.data())];
}

inline std::vector<std::string> parameter_names(const ResolvedEncoding& encoding) {
  std::vector<std::string> names;
  for (const LearnedParameter& parameter : encoding.parameters) names.push_back(parameter.name);
  return names;
}

// Every query and key of every head and layer.
template <class Check>
void for_each_bias(const EncodingShape& shape, const Check& check) {
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    for (int64_t head = 0; head < shape.heads; ++head) {
      for (int64_t i = 0; i < shape.positions; ++i) {
        for (int64_t j = 0; j < (shape.causal ? i + 1 : shape.positions); ++j) check(layer, head, i, j);
      }
    }
  }
}

inline void expect_equal_biases(const ResolvedEncoding& one, const ResolvedEncoding& other, double tolerance) {
  for_each_bias(one.shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    ASSERT_NEAR(bias_at(one, layer, head, i, j), bias_at(other, layer, head, i, j), tolerance)
        << one.expression << " and " << other.expression << ", layer " << layer << ", head " << head << ", query " << i
        << ", key " << j;
  });
}

// Equal bits along diagonals, also where other terms ask for tables with a row for every query position and length.
inline void expect_toeplitz(const std::string& text, const EncodingShape& shape = bias_shape()) {
  const ResolvedEncoding plain = start_of(text, shape);
  EXPECT_EQ(plain.layers[0].bias->rows, 1) << text;
  const ResolvedEncoding full = start_of(text + "+bias(\"0*i*n\")", shape);
  EXPECT_EQ(full.layers[0].bias->rows, shape.positions) << text;
  for_each_bias(shape, [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    if (i + 1 < shape.positions && j + 1 < shape.positions) {
      ASSERT_EQ(bias_at(full, layer, head, i, j), bias_at(full, layer, head, i + 1, j + 1)) << text << i << " " << j;
    }
    for (const int64_t length : {std::max(i, j) + 1, shape.positions}) {
      ASSERT_EQ(bias_at(full, layer, head, i, j, length), bias_at(plain, layer, head, i, j)) << text << length;
    }
  });
}

// `text` with an assignment gives its heads and layers what it gives them without one, and others nothing. Of
// tensors that are drawn, only the sizes may differ, so this is for biases that do not depend on a draw.
inline void expect_assignable(const std::string& text) {
  const ResolvedEncoding all = start_of(text);
  const ResolvedEncoding some = start_of(text + "[heads=1,3,layers=0,2]");
  for_each_bias(bias_shape(), [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    const bool covered = head % 2 == 1 && layer % 2 == 0;
    ASSERT_EQ(bias_at(some, layer, head, i, j), covered ? bias_at(all, layer, head, i, j) : 0.0) << text;
  });
}

inline EncodingTraits bias_traits(const std::string& text) {
  const Encoding encoding = parse_encoding(text);
  return make_component(encoding.terms.front(), print(encoding))->traits();
}

// Why the text cannot be resolved, without the text itself.
inline std::string mistake(const std::string& text, const EncodingShape& shape = bias_shape()) {
  try {
    resolve_text(text, shape);
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(what.rfind("': column") == std::string::npos ? 0 : what.rfind("': column") + 3);
  }
  return "no mistake";
}

}  // namespace phasor::testing_support
