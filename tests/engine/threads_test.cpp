// The same bits with 1, 2 and 4 threads, for every op that sums.
#include "support/threads.h"

#include <gtest/gtest.h>

#include "support/attention_cases.h"
#include "support/attention_device.h"
#include "support/cross_entropy_case.h"
#include "support/linear_case.h"
#include "support/norm_case.h"

namespace phasor {
namespace threads_test {

using namespace testing_support;

constexpr uint64_t kSeed = 131;

class LinearThreads : public testing::TestWithParam<std::tuple<LinearCase, LinearDtypes>> {};

TEST_P(LinearThreads, SameBits) {
  const LinearDtypes& dtypes = std::get<1>(GetParam());
  PHASOR_SKIP_WITHOUT(dtypes.operands);
  const LinearData data(std::get<0>(GetParam()), dtypes, kSeed);
  expect_same_bits_on_any_threads([&](Backend& backend) { return run_forward(backend, data).images; });
  expect_same_bits_on_any_threads([&](Backend& backend) { return run_backward(backend, data).images; });
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, LinearThreads,
    testing::Combine(testing::Values(LinearCase{"R2048I256O768", 2048, 2048, 256, 768},
                                     LinearCase{"R700I64O192", 700, 701, 64, 192, Activation::relu},
                                     LinearCase{"R3000I512O256", 3000, 3100, 512, 256, Activation::gelu},
                                     LinearCase{"R37I20O48", 37, 48, 20, 48, Activation::gelu},
                                     LinearCase{"R5000I16O4", 5000, 5000, 16, 4, Activation::none, true, true, true}),
                     testing::ValuesIn(kLinearDtypes)),
    [](const auto& tested) {
      return std::string(std::get<0>(tested.param).name) + "_" + std::get<1>(tested.param).name;
    });

class NormThreads : public testing::TestWithParam<NormCase> {};

TEST_P(NormThreads, SameBits) {
  for (Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    if (!test_backend().supports(dtype)) continue;
    const NormData data(GetParam(), dtype, kSeed);
    expect_same_bits_on_any_threads([&](Backend& backend) { return run_forward(backend, data).images; });
    expect_same_bits_on_any_threads([&](Backend& backend) { return run_backward(backend, data).images; });
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, NormThreads, testing::ValuesIn(kNormCases),
                         [](const auto& tested) { return tested.param.name; });

class AttentionThreads : public testing::TestWithParam<std::tuple<AttentionCase, Dtype>> {};

TEST_P(AttentionThreads, SameBits) {
  const auto& [shape, dtype] = GetParam();
  PHASOR_SKIP_WITHOUT(dtype);
  const AttentionData data(shape, dtype, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  expect_same_bits_on_any_threads([&](Backend& backend) { return run_forward(backend, data).images; });
  expect_same_bits_on_any_threads([&](Backend& backend) { return run_backward(backend, data, saved).images; });
}

INSTANTIATE_TEST_SUITE_P(Cases, AttentionThreads,
                         testing::Combine(testing::ValuesIn(attention_cases()),
                                          testing::Values(Dtype::f32, Dtype::bf16)),
                         [](const auto& tested) {
                           return std::get<0>(tested.param).name + "_" + name(std::get<1>(tested.param));
                         });

class CrossEntropyThreads : public testing::TestWithParam<CrossEntropyCase> {};

TEST_P(CrossEntropyThreads, SameBits) {
  for (Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    if (!test_backend().supports(dtype)) continue;
    const CrossEntropyData data(GetParam(), dtype, kSeed);
    expect_same_bits_on_any_threads([&](Backend& backend) { return run(backend, data, true).images; });
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CrossEntropyThreads,
                         testing::Values(CrossEntropyCase{"R2000C24", 2000, 2000, 64, 24},
                                         CrossEntropyCase{"R700C574", 700, 720, 256, 574},
                                         CrossEntropyCase{"R33C5003", 33, 40, 32, 5003}),
                         [](const auto& tested) { return tested.param.name; });

TEST(EmbeddingThreads, SameBits) {
  RandomData data(kSeed);
  const Batch batch = make_batch(data, std::vector<int32_t>(90, 33));
  const std::vector<int32_t> ids = data.integers(batch.tokens(), 0, 9);
  const std::vector<int32_t> choice = data.integers(batch.sequences(), 0, 2);
  const Grid<double> table = data.normal(10, 40), dy = data.normal(batch.tokens(), 48);
  const Grid<double> input = data.normal(3 * batch.position_count, 48);
  expect_same_bits_on_any_threads([&](Backend& backend) -> std::vector<Bytes> {
    const DeviceSequences sequences(backend, batch);
    const DeviceArray<int32_t> device_ids(backend, ids), device_choice(backend, choice);
    const DeviceMatrix device_table(backend, Dtype::f32, table), device_input(backend, Dtype::f32, input);
    const DeviceMatrix dtable(backend, Dtype::f32, table), dinput(backend, Dtype::f32, input);
    const DeviceMatrix device_dy(backend, Dtype::f32, dy), y(backend, Dtype::f32, dy.rows, dy.columns);
    const InputTable read{device_input.view(), device_choice.view(), batch.position_count};
    backend.run(EmbeddingForward{y.view(), device_ids.view(), device_table.view(), read, sequences.get()});
    backend.run(
        EmbeddingBackward{dtable.view(), dinput.view(), device_dy.view(), device_ids.view(), read, sequences.get()});
    return {y.download(), dtable.download(), dinput.download()};
  });
}

TEST(ReadoutThreads, SameBits) {
  RandomData data(kSeed);
  const Batch batch = make_batch(data, {700, 3, 90, 1, 33});
  const Grid<double> x = data.normal(batch.tokens(), 50), dpooled = data.normal(batch.sequences(), 50);
  expect_same_bits_on_any_threads([&](Backend& backend) -> std::vector<Bytes> {
    const DeviceSequences sequences(backend, batch);
    const DeviceMatrix device_x(backend, Dtype::f32, x), pooled(backend, Dtype::f32, dpooled.rows, 50);
    const DeviceMatrix device_dpooled(backend, Dtype::f32, dpooled), dx(backend, Dtype::f32, x.rows, 50);
    backend.run(MeanPoolForward{pooled.view(), device_x.matrix(), sequences.get()});
    backend.run(MeanPoolBackward{dx.matrix(), device_dpooled.view(), sequences.get()});
    return {pooled.download(), dx.download()};
  });
}

TEST(OptimizerThreads, SameBits) {
  RandomData data(kSeed);
  const Grid<double> gradient = data.normal(1, 300'001), parameter = data.normal(1, 300'001);
  expect_same_bits_on_any_threads([&](Backend& backend) -> std::vector<Bytes> {
    const DeviceMatrix p(backend, Dtype::f32, parameter), g(backend, Dtype::f32, gradient);
    const DeviceMatrix m(backend, Dtype::f32, Grid<double>(1, parameter.columns)), norm(backend, Dtype::f32, 1, 1);
    const DeviceMatrix v(backend, Dtype::f32, Grid<double>(1, parameter.columns));
    const DeviceArray<float> rate(backend, {0.01f});
    const DeviceArray<uint32_t> step(backend, {1u});
    backend.run(GradientNorm{norm.flat(), g.flat()});
    AdamW op{.parameter = p.flat(), .first_moment = m.flat(), .second_moment = v.flat(), .gradient = g.flat()};
    op.gradient_norm = norm.flat();
    op.learning_rate = rate.data();
    op.step = step.data();
    op.max_norm = 1.0f;
    backend.run(op);
    return {norm.download(), p.download(), m.download(), v.download()};
  });
}

}  // namespace threads_test
}  // namespace phasor
