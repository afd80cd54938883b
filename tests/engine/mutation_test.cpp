// Tests of the tests: one term of a correct result, wrong by 1e-5 of itself, must be rejected under the
// very bound that accepted the result.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/attention_device.h"
#include "support/attention_expected.h"
#include "support/backend.h"
#include "support/linear_case.h"
#include "support/norm_case.h"

namespace phasor {
namespace mutation_test {

using namespace testing_support;
using reference::Rounded32;

constexpr double kMutation = 1e-5;
constexpr uint64_t kSeed = 141;

// got + kMutation * term, stored in fp32 again.
Grid<double> mutated(const Grid<double>& got, const Grid<double>& term) {
  Grid<double> result = got;
  for (size_t i = 0; i < result.data.size(); ++i) {
    result.data[i] = representable(result.data[i] + kMutation * term.data[i], Dtype::f32);
  }
  return result;
}

template <class R>
void expect_only_the_original_passes(const Grid<double>& got, const Grid<double>& term, const Grid<R>& expected) {
  EXPECT_LE(compare(got, expected, Dtype::f32).worst_ratio, 1.0);
  EXPECT_GT(compare(mutated(got, term), expected, Dtype::f32).worst_ratio, 1.0) << "the bound is too loose";
}

class NormMutation : public testing::TestWithParam<NormCase> {};

// The last term of dx = rstd (g - mean(g) - n mean(g n)).
TEST_P(NormMutation, OneTermOfDsumIsSeen) {
  const NormData data(GetParam(), Dtype::f32, kSeed);
  const auto saved = residual_norm(data.input<double>());
  Grid<double> term(data.shape.rows, data.shape.width);
  for (int64_t r = 0; r < term.rows; ++r) {
    const auto normal = [&](int64_t c) { return (saved.sum(r, c) - saved.mean(r, 0)) * saved.rstd(r, 0); };
    double mean = 0.0;
    for (int64_t c = 0; c < term.columns; ++c) {
      mean += data.dy(r, c) * data.weight(0, c) * normal(c) / static_cast<double>(term.columns);
    }
    for (int64_t c = 0; c < term.columns; ++c) term(r, c) = -saved.rstd(r, 0) * normal(c) * mean;
  }
  const auto expected = residual_norm_backward(data.backward_input<Rounded32>()).dsum;
  expect_only_the_original_passes(run_backward(test_backend(), data).dsum, term, expected);
}

INSTANTIATE_TEST_SUITE_P(Cases, NormMutation,
                         testing::Values(NormCase{"Layer", 37, 37, 48}, NormCase{"LayerWide", 130, 130, 256},
                                         NormCase{"Rms", 37, 37, 48, NormKind::rms}),
                         [](const auto& tested) { return tested.param.name; });

class AttentionMutation : public testing::TestWithParam<AttentionCase> {};

// One key's share of dq_i = s sum_j dL_ij k_j, where nothing turns. The key is the last one.
TEST_P(AttentionMutation, OneKeyOfDqueryIsSeen) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  ASSERT_TRUE(data.setup.rotation.query.empty());
  const auto saved = reference::attention(data.setup, data.tensors);
  const AttentionShape& s = data.setup.shape;
  Grid<double> term(data.tokens(), s.heads * s.key_width);
  for (int64_t seq = 0; seq < data.batch.sequences(); ++seq) {
    for (int64_t h = 0; h < s.heads; ++h) {
      const auto queries = turned_head(data.setup, data.tensors, true, seq, h);
      const auto keys = turned_head(data.setup, data.tensors, false, seq, h);
      for (int64_t i = 0; i < data.setup.length(seq); ++i) {
        const auto row = attention_row(data.setup, data.tensors, queries, keys, seq, h, i);
        const double dlogit =
            logit_gradient_row(data.setup, data.tensors, row, data.dout, {saved.out, saved.log_sum}, seq, h, i).back();
        const int64_t j = row.keys.back();
        for (int64_t c = 0; c < s.key_width; ++c) {
          term(data.setup.begin(seq) + i, h * s.key_width + c) =
              data.setup.scale * data.setup.factor(h) * dlogit * keys(j, c);
        }
      }
    }
  }
  const auto expected = expected_gradients<Rounded32>(data, saved).query;
  expect_only_the_original_passes(run_backward(test_backend(), data, saved).gradients.query, term, expected);
}

// The bias: 1e-5 of it moves every logit, and so every log_sum.
class BiasMutation : public testing::TestWithParam<AttentionCase> {};

TEST_P(BiasMutation, TheBiasInLogSumIsSeen) {
  AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto expected = reference::attention(data.setup, data.lifted<Rounded32>()).log_sum;
  const AttentionOutputs got = run_forward(test_backend(), data);
  const auto original = reference::attention(data.setup, data.tensors).log_sum;
  for (double& b : data.tensors.bias.data) b *= 1.0 + kMutation;
  Grid<double> term = reference::attention(data.setup, data.tensors).log_sum;
  for (size_t i = 0; i < term.data.size(); ++i) term.data[i] = (term.data[i] - original.data[i]) / kMutation;
  expect_only_the_original_passes(got.log_sum, term, expected);
}

// Row scales: 1e-5 of them moves every logit that has one, and its gradient takes the query's products.
class RowScaleMutation : public testing::TestWithParam<AttentionCase> {};

TEST_P(RowScaleMutation, TheRowScaleInLogSumIsSeen) {
  AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto expected = reference::attention(data.setup, data.lifted<Rounded32>()).log_sum;
  const AttentionOutputs got = run_forward(test_backend(), data);
  const auto original = reference::attention(data.setup, data.tensors).log_sum;
  for (double& factor : data.tensors.scale.data) factor *= 1.0 + kMutation;
  Grid<double> term = reference::attention(data.setup, data.tensors).log_sum;
  for (size_t i = 0; i < term.data.size(); ++i) term.data[i] = (term.data[i] - original.data[i]) / kMutation;
  expect_only_the_original_passes(got.log_sum, term, expected);
}

TEST_P(RowScaleMutation, TheProductsInDscaleAreSeen) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const auto got = run_backward(test_backend(), data, saved).gradients.scale;
  const auto expected = expected_gradients<Rounded32>(data, saved).scale;
  // 2e-5 of them: they are sums over keys of gradients that are differences themselves.
  Grid<double> term = got;
  for (size_t i = 0; i < term.data.size(); ++i)
    term.data[i] = 2.0 * (expected.data[i].value - data.before.scale.data[i]);
  expect_only_the_original_passes(got, term, expected);
}

// The queries' share of the gradient by frequency; that of the keys is of the same size and may cancel it.
class FrequencyMutation : public testing::TestWithParam<AttentionCase> {};

TEST_P(FrequencyMutation, TheQueriesInDfrequencyAreSeen) {
  const AttentionData data(GetParam(), Dtype::f32, kSeed);
  const auto saved = reference::attention(data.setup, data.tensors);
  const auto got = run_backward(test_backend(), data, saved).gradients;
  auto queries = got;
  std::fill(queries.key.data.begin(), queries.key.data.end(), 0.0);
  Grid<double> term = got.frequency;
  const auto share = frequency_gradient_of(data, queries);
  for (size_t i = 0; i < term.data.size(); ++i) term.data[i] = share.data[i].value - data.before.frequency.data[i];
  expect_only_the_original_passes(got.frequency, term, frequency_gradient_of(data, got));
}

std::vector<AttentionCase> cases_named(const std::vector<std::string>& names) {
  std::vector<AttentionCase> cases;
  for (const AttentionCase& c : attention_cases()) {
    if (std::find(names.begin(), names.end(), c.name) != names.end()) cases.push_back(c);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Cases, AttentionMutation,
                         testing::ValuesIn(cases_named({"Plain", "CausalPacked", "DistanceBias", "Dropout"})),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(Cases, BiasMutation, testing::ValuesIn(cases_named({"DistanceBias", "Dropout", "Everything"})),
                         [](const auto& tested) { return tested.param.name; });

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RowScaleMutation);  // a backend that has no row scales has no cases
INSTANTIATE_TEST_SUITE_P(Cases, RowScaleMutation, testing::ValuesIn(cases_named({"RowScale", "CausalRopeAndRowScale"})),
                         [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(Cases, FrequencyMutation, testing::ValuesIn([] {
                           // Sixteen heads share the numbers of this one: among so many terms the change is lost.
                           std::vector<AttentionCase> cases = turning_cases();
                           std::erase_if(cases, [](const AttentionCase& c) { return c.name == "Paper"; });
                           return cases;
                         }()),
                         [](const auto& tested) { return tested.param.name; });

class LinearMutation : public testing::TestWithParam<LinearCase> {};

TEST_P(LinearMutation, TheBiasGradientIsSeen) {
  const LinearData data(GetParam(), kLinearDtypes[0], kSeed);
  const LinearGradientOutputs got = run_backward(test_backend(), data);
  const auto expected = expected_backward(data);
  Grid<double> gradient = got.dbias;
  for (size_t i = 0; i < gradient.data.size(); ++i) gradient.data[i] -= data.dbias.data[i];
  expect_only_the_original_passes(got.dbias, gradient, expected.dbias);
}

TEST_P(LinearMutation, TheWeightGradientIsSeen) {
  const LinearData data(GetParam(), kLinearDtypes[0], kSeed);
  const LinearGradientOutputs got = run_backward(test_backend(), data);
  const auto expected = expected_backward(data);
  Grid<double> gradient = got.dweight;
  for (size_t i = 0; i < gradient.data.size(); ++i) gradient.data[i] -= data.dweight.data[i];
  expect_only_the_original_passes(got.dweight, gradient, expected.dweight);
}

INSTANTIATE_TEST_SUITE_P(Cases, LinearMutation,
                         testing::Values(LinearCase{"Plain", 37, 48, 20, 48},
                                         LinearCase{"Relu", 70, 71, 48, 20, Activation::relu},
                                         LinearCase{"Gelu", 300, 300, 16, 24, Activation::gelu}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace mutation_test
}  // namespace phasor
