#pragma once
// What attention should give, with bounds: fp32 operands are turned, weighted and multiplied in fp32;
// with bf16 operands the turned channels, the weights and dlogits may be rounded to bf16 before each
// matrix product.
#include "reference/rounded.h"
#include "support/attention_cases.h"
#include "support/attention_data.h"
#include "support/compare.h"

namespace phasor::testing_support {

using reference::Rounded32;

inline constexpr const char* kGradientNames[] = {"dquery",      "dkey",       "dshared_query", "dshared_key", "dvalue",
                                                 "dbias",       "dfrequency", "dscale",        "dsink",       "dphase",
                                                 "dquery_rows", "dkey_rows",  "dquery_shift",  "drow_shift"};
inline constexpr size_t kGradients = 14;
inline constexpr size_t kTokenGradients = 5;  // the first so many have a row per token; the others are by tables

template <class S>
std::array<const Grid<S>*, kGradients> listed(const reference::AttentionTensors<S>& t) {
  return {&t.query, &t.key,  &t.shared_query, &t.shared_key, &t.value,    &t.bias,        &t.frequency,
          &t.scale, &t.sink, &t.phase,        &t.query_rows, &t.key_rows, &t.query_shift, &t.row_shift};
}

template <class S>
std::array<Grid<S>*, kGradients> listed(reference::AttentionTensors<S>& t) {
  return {&t.query, &t.key,  &t.shared_query, &t.shared_key, &t.value,    &t.bias,        &t.frequency,
          &t.scale, &t.sink, &t.phase,        &t.query_rows, &t.key_rows, &t.query_shift, &t.row_shift};
}

// What the gradients by tables are added to, in the order of listed(), from kTokenGradients on.
inline std::array<const Grid<double>*, kGradients - kTokenGradients> listed(const reference::TableGradients& t) {
  return {&t.bias, &t.frequency, &t.scale, &t.sink, &t.phase, &t.query_rows, &t.key_rows, &t.query_shift, &t.row_shift};
}

template <class R>
reference::AttentionTensors<R> expected_gradients(const AttentionData& data,
                                                  const reference::AttentionResult<double>& saved) {
  reference::AttentionSaved<R> rounded{reference::lift<R>(saved.out), reference::lift<R>(saved.log_sum)};
  for (R& x : rounded.out.data) x = stored(x, data.operands);
  for (R& x : rounded.log_sum.data) x = stored(x, Dtype::f32);
  return reference::attention_backward(data.setup, data.lifted<R>(), reference::lift<R>(data.dout), rounded,
                                       data.before);
}

// The gradient by frequency once more, from the gradients by queries and keys: with x the pair as it was read and
// x' = A x as it was turned, dx = conj(A) dx', so that conj(x) dx = conj(x') dx' and dw = sum of p Im(conj(x) dx).
// For heads that share no channels with others.
//
// Nothing upstream of these gradients counts, which makes the bound a tight one. The engine rounds seven times between
// x', dx' and what is read here: it turns x (two roundings, of the pair's modulus each) and scales it, turns dx' back
// (two), scales and stores it. These roundings belong to one token alone, so they add up as those of a sum do
// (rounded.h): nine deviations of uniform errors.
inline Grid<Rounded32> frequency_gradient_of(const AttentionData& data,
                                             const reference::AttentionTensors<double>& gradients) {
  const reference::AttentionSetup& setup = data.setup;
  const reference::RotationSetup& r = setup.rotation;
  Grid<double> squares(data.before.frequency.rows, r.pairs);
  auto sums = reference::sums<Rounded32>(squares.rows, squares.columns);
  for (size_t i = 0; i < sums.data.size(); ++i) sums.data[i].add(data.before.frequency.data[i]);
  const auto add = [&](const Grid<double>& x, const Grid<double>& dx, int64_t s, int64_t h, int64_t t) {
    for (int64_t c = 0; c < r.pairs; ++c) {
      const int64_t a = h * setup.shape.key_width + r.first + (r.halves ? c : 2 * c);
      const int64_t b = a + (r.halves ? r.pairs : 1);
      const double moment = x(t, a) * dx(t, b) - x(t, b) * dx(t, a);
      const double size = std::hypot(x(t, a), x(t, b)) * std::hypot(dx(t, a), dx(t, b));
      for (int64_t axis = 0; axis < r.axes; ++axis) {
        const auto position = static_cast<double>(setup.positions(t, axis));
        sums(setup.rotation_row(s, h) + axis, c).add(position * moment);
        squares(setup.rotation_row(s, h) + axis, c) += position * size * position * size;
      }
    }
  };
  for (int64_t s = 0; s < setup.sequences(); ++s) {
    for (int64_t h = 0; h < setup.shape.heads; ++h) {
      for (int64_t t = setup.begin(s); setup.rotation_row(s, h) >= 0 && t < setup.begin(s) + setup.length(s); ++t) {
        add(data.tensors.query, gradients.query, s, h, t);
        add(data.tensors.key, gradients.key, s, h, t);
      }
    }
  }
  Grid<Rounded32> result = totals(sums);
  for (size_t i = 0; i < result.data.size(); ++i) {
    result.data[i].error += 9.0 * Rounded32::kUnit * std::sqrt(7.0 / 3.0 * squares.data[i]);
  }
  return result;
}

// The cases that turn, each head with keys and channels of its own.
inline std::vector<AttentionCase> turning_cases() {
  std::vector<AttentionCase> cases = attention_cases();
  std::erase_if(cases,
                [](const AttentionCase& c) { return c.pairs == 0 || c.token_turns || c.feature != FeatureMap::none; });
  for (AttentionCase& c : cases) {
    c.shape.key_heads = c.shape.heads;
    c.shape.shared_query_width = c.shape.shared_key_width = 0;
    c.query_rows = c.key_rows = AttentionCase::Rows::none;  // whose share of the gradients is not turned
    c.shifts = false;
  }
  return cases;
}

inline void expect_gradients(const AttentionData& data, const reference::AttentionTensors<double>& got,
                             const auto& expected) {
  for (size_t i = 0; i < kGradients; ++i) {
    const Where where{std::string("AttentionBackward.") + kGradientNames[i], data.shape.name, data.data.seed()};
    const Dtype storage = i < kTokenGradients ? data.operands : Dtype::f32;
    EXPECT_TRUE(agrees(where, *listed(got)[i], *listed(expected)[i], storage));
  }
  // Stored in double: what it is off by comes from the logits.
  const Where where{"AttentionBackward.dprefix", data.shape.name, data.data.seed()};
  EXPECT_TRUE(agrees(where, got.prefix, expected.prefix, Dtype::f32));
  const Where by_angle{"AttentionBackward.dangle", data.shape.name, data.data.seed()};
  EXPECT_TRUE(agrees(by_angle, got.angle, expected.angle, Dtype::f32));
}

}  // namespace phasor::testing_support
