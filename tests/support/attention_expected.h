#pragma once
// What attention should give, with bounds: fp32 operands are turned, weighted and multiplied in fp32;
// with bf16 operands the turned channels, the weights and dlogits may be rounded to bf16 before each
// matrix product.
#include "reference/attention_backward.h"
#include "reference/rounded.h"
#include "support/attention_case.h"
#include "support/compare.h"

namespace phasor::testing_support {

inline constexpr const char* kGradientNames[] = {"dquery", "dkey", "dshared_key", "dvalue", "dbias"};

template <class S>
std::array<const Grid<S>*, 5> listed(const reference::AttentionTensors<S>& t) {
  return {&t.query, &t.key, &t.shared_key, &t.value, &t.bias};
}

template <class R>
reference::AttentionTensors<R> expected_gradients(const AttentionData& data,
                                                  const reference::AttentionResult<double>& saved) {
  reference::AttentionSaved<R> rounded{reference::lift<R>(saved.out), reference::lift<R>(saved.log_sum)};
  for (R& x : rounded.out.data) x = stored(x, data.operands);
  for (R& x : rounded.log_sum.data) x = stored(x, Dtype::f32);
  return reference::attention_backward(data.setup, data.lifted<R>(), reference::lift<R>(data.dout), rounded,
                                       data.dbias);
}

inline void expect_gradients(const AttentionData& data, const reference::AttentionTensors<double>& got,
                             const auto& expected) {
  for (size_t i = 0; i < 5; ++i) {
    const Where where{std::string("AttentionBackward.") + kGradientNames[i], data.shape.name, data.data.seed()};
    EXPECT_TRUE(agrees(where, *listed(got)[i], *listed(expected)[i], i == 4 ? Dtype::f32 : data.operands));
  }
}

}  // namespace phasor::testing_support
