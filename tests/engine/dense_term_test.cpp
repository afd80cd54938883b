// Attention with all logits of a head at hand: values and gradients against the formula, and what it must be equal to.
#include "phasor/engine/dense_term.h"

#include <gtest/gtest.h>

#include <cmath>

#include "phasor/base/error.h"
#include "support/attention_dense.h"
#include "support/backend.h"
#include "support/dense_term_case.h"
#include "support/threads.h"

namespace phasor {
namespace dense_term_test {

using namespace testing_support;

constexpr uint64_t kSeed = 211;

// The engine computes in double and rounds what it stores once. Sums have fewer than 2^10 terms, each rounded by 2^-53
// of a number that is at most 2^3 times the largest there is in the end: 2^-40 of it.
constexpr double kDouble = 0x1p-40;

double largest(const Grid<double>& grid) {
  double most = 0.0;
  for (const double value : grid.data) most = std::max(most, std::abs(value));
  return most;
}

void expect_rounded_once(const Grid<double>& got, const Grid<double>& truth, Dtype storage, const std::string& what) {
  ASSERT_EQ(got.data.size(), truth.data.size()) << what;
  const double unit = reference::unit_roundoff(storage), size = largest(truth);
  for (size_t i = 0; i < truth.data.size(); ++i) {
    ASSERT_NEAR(got.data[i], truth.data[i], unit * std::abs(truth.data[i]) + kDouble * size + 0x1p-126)
        << what << ", element " << i;
  }
}

class DenseTermAttention : public testing::TestWithParam<DenseTermCase> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DenseTermAttention);
INSTANTIATE_TEST_SUITE_P(Cases, DenseTermAttention, testing::ValuesIn(dense_term_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(DenseTermAttention, IsTheFormula) {
  const DenseTermData data(GetParam(), Dtype::f32, kSeed);
  const auto expected = reference::attention(data.attention.setup, data.attention.tensors);
  const AttentionOutputs got = run_term_forward(test_backend(), data);
  expect_rounded_once(got.out, expected.out, Dtype::f32, "out");
  expect_rounded_once(got.log_sum, expected.log_sum, Dtype::f32, "log_sum");
  EXPECT_EQ(got.spoiled, 0);
}

// float(value), then bf16: two roundings, of which the first is 2^-16 of the other.
TEST_P(DenseTermAttention, IsTheFormulaOnBfloat16) {
  PHASOR_SKIP_WITHOUT(Dtype::bf16);
  const DenseTermData data(GetParam(), Dtype::bf16, kSeed);
  const auto expected = reference::attention(data.attention.setup, data.attention.tensors);
  const AttentionOutputs got = run_term_forward(test_backend(), data);
  for (size_t i = 0; i < expected.out.data.size(); ++i) {
    const double unit = reference::unit_roundoff(Dtype::bf16) * (1.0 + 0x1p-8);
    ASSERT_NEAR(got.out.data[i], expected.out.data[i],
                unit * std::abs(expected.out.data[i]) + kDouble * largest(expected.out) + 0x1p-126)
        << i;
  }
}

TEST_P(DenseTermAttention, GradientsAreTheComplexStep) {
  const DenseTermData data(GetParam(), Dtype::f32, kSeed);
  const TermGradientOutputs got = run_term_backward(test_backend(), data);
  EXPECT_EQ(got.spoiled, 0);
  reference::AttentionTensors<double> tensors = data.attention.tensors;
  for (size_t t = 0; t < std::size(kTermTensors); ++t) {
    if (term_tensors(tensors)[t]->empty()) continue;
    Grid<double> truth = term_gradient_truth(data, t);
    const Grid<double>& before = got.before[t];
    if (before.empty()) {
      expect_rounded_once(got.gradients[t], truth, Dtype::f32, kTermTensors[t]);
      continue;
    }
    // Added up in float: no more than 32 roundings, of numbers within what all terms come to.
    double size = largest(before);
    for (const double value : truth.data) size += std::abs(value);
    for (size_t i = 0; i < truth.data.size(); ++i) {
      ASSERT_NEAR(got.gradients[t].data[i], before.data[i] + truth.data[i], 32.0 * 0x1p-24 * size)
          << kTermTensors[t] << ", element " << i;
    }
  }
}

// A factor of 1.00001 on any gradient would be seen: the bound above is not a wide one.
TEST_P(DenseTermAttention, GradientsThatAreATouchOffAreSeen) {
  const DenseTermData data(GetParam(), Dtype::f32, kSeed);
  const TermGradientOutputs got = run_term_backward(test_backend(), data);
  for (size_t t = 0; t < kTermTables; ++t) {
    if (got.gradients[t].empty()) continue;
    const Grid<double> truth = term_gradient_truth(data, t);
    const double size = largest(truth);
    const auto off = [&](size_t i) { return std::abs(1.00001 * got.gradients[t].data[i] - truth.data[i]); };
    double most = 0.0;
    for (size_t i = 0; i < truth.data.size(); ++i) {
      most = std::max(most, off(i) / (0x1p-24 * std::abs(truth.data[i]) + kDouble * size + 0x1p-126));
    }
    EXPECT_GT(most, 1.0) << kTermTensors[t];
  }
}

TEST_P(DenseTermAttention, LogitsAreThoseOfTheOracle) {
  const DenseTermData data(GetParam(), Dtype::f32, kSeed);
  const DeviceDenseTerm term(test_backend(), data);
  const int32_t sequence = 1;
  const int64_t n = data.attention.setup.length(sequence), rows = data.attention.setup.shape.heads * n;
  const DeviceMatrix logits(test_backend(), Dtype::f32, rows, n), dlogits(test_backend(), Dtype::f32, rows, n);
  const auto view = [&](const DeviceMatrix& matrix) {
    return View<float, 3>(matrix.flat().data(), data.attention.setup.shape.heads, n, n);
  };
  AttentionDenseForward forward{.sequence = sequence, .attention = term.record()};
  forward.logits = view(logits);
  test_backend().run(forward);
  const auto expected = expected_dense<double>(data.attention, sequence);
  const Grid<double> got = logits.read(rows);
  double size = 0.0;
  for (const double value : expected.logits.data) size = std::isfinite(value) ? std::max(size, std::abs(value)) : size;
  for (size_t i = 0; i < got.data.size(); ++i) {
    if (!std::isfinite(expected.logits.data[i])) {
      ASSERT_EQ(got.data[i], expected.logits.data[i]);
      continue;
    }
    ASSERT_NEAR(got.data[i], expected.logits.data[i],
                0x1p-24 * std::abs(expected.logits.data[i]) + kDouble * size + 0x1p-126);
  }
  const DeviceMatrix dout(test_backend(), Dtype::f32, data.attention.dout, data.attention.shape.spare, 1);
  AttentionDenseBackward backward{.sequence = sequence, .dout = dout.matrix(), .attention = term.record()};
  backward.dlogits = view(dlogits);
  test_backend().run(backward);
  expect_rounded_once(dlogits.read(rows), expected.dlogits, Dtype::f32, "dlogits");
}

TEST_P(DenseTermAttention, HasTheSameBitsOnAnyThreads) {
  DenseTermCase shape = GetParam();
  shape.attention.lengths = {3, 9, 1, 12, 5, 4, 7, 2, 6, 3, 8, 5, 4, 2, 9, 1, 7, 3, 2, 5};
  const DenseTermData data(shape, Dtype::f32, kSeed);
  expect_same_bits_on_any_threads([&](Backend& backend) {
    std::vector<Bytes> images = run_term_forward(backend, data).images;
    for (Bytes& image : run_term_backward(backend, data).images) images.push_back(std::move(image));
    return images;
  });
}

// Bit for bit. Without dropout, whose mask depends on the sequence's number.
TEST_P(DenseTermAttention, ABatchIsItsSequencesAlone) {
  DenseTermCase shape = GetParam();
  shape.attention.rate = 0.0f;
  const DenseTermData batch(shape, Dtype::f32, kSeed);
  const AttentionOutputs together = run_term_forward(test_backend(), batch);
  const TermGradientOutputs gradients = run_term_backward(test_backend(), batch);
  for (int64_t s = 0; s < batch.attention.batch.sequences(); ++s) {
    const int64_t begin = batch.attention.setup.begin(s), n = batch.attention.setup.length(s);
    DenseTermData one = batch;
    const auto cut = [&](auto& grid) {
      if (grid.data.empty()) return;
      const auto first = grid.data.begin() + begin * grid.columns;
      grid.data = std::vector(first, first + n * grid.columns);
      grid.rows = n;
    };
    AttentionData& a = one.attention;
    for (size_t t = 0; t < kTermTables; ++t) cut(*term_tensors(a.tensors)[t]);
    cut(a.dout);
    if (const int64_t columns = 2 * a.setup.rotation.token_sets * a.setup.rotation.pairs; columns > 0) {
      std::vector<double>& token = a.setup.rotation.token;
      token = std::vector<double>(token.begin() + begin * columns, token.begin() + (begin + n) * columns);
    }
    cut(a.batch.positions);
    a.setup.positions = a.batch.positions;
    a.setup.offsets = a.batch.offsets = {0, static_cast<int32_t>(n)};
    const auto rows_of = [&](const Grid<double>& grid) {
      const auto first = grid.data.begin() + begin * grid.columns;
      return std::vector<double>(first, first + n * grid.columns);
    };
    EXPECT_EQ(run_term_forward(test_backend(), one).out.data, rows_of(together.out)) << "sequence " << s;
    const TermGradientOutputs alone = run_term_backward(test_backend(), one);
    for (size_t t = 0; t < kTermTables; ++t) {
      if (gradients.gradients[t].empty()) continue;
      EXPECT_EQ(alone.gradients[t].data, rows_of(gradients.gradients[t])) << kTermTensors[t] << " of sequence " << s;
    }
  }
}

// --- Identities ----------------------------------------------------------------------------------

DenseTermCase case_named(const std::string& name) {
  for (const DenseTermCase& c : dense_term_cases()) {
    if (c.name == name) return c;
  }
  return {};
}

std::vector<float> logits_of(const Attention& attention, int32_t sequence, int64_t n) {
  const DeviceArray<float> logits(test_backend(), {}, attention.shape.heads * n * n);
  AttentionDenseForward op{.sequence = sequence, .attention = attention};
  op.logits = View<float, 3>(logits.data(), attention.shape.heads, n, n);
  test_backend().run(op);
  return logits.read(attention.shape.heads * n * n);
}

// Of the longest sequence: with the term, and without it.
void expect_logits_without_term(const DenseTermData& data, bool equal) {
  const DeviceDenseTerm term(test_backend(), data);
  Attention plain = term.record();
  plain.dense = {};
  const int64_t n = data.attention.setup.length(1);
  if (equal) {
    EXPECT_EQ(logits_of(term.record(), 1, n), logits_of(plain, 1, n));
  } else {
    EXPECT_NE(logits_of(term.record(), 1, n), logits_of(plain, 1, n));
  }
}

class DenseTermIdentity : public testing::Test {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses dense terms";
  }
};

TEST_F(DenseTermIdentity, ReflectionsOfNoStrengthAreNone) {
  for (const std::string name : {"Reflections", "ReflectionsBesideEverything"}) {
    DenseTermData data(case_named(name), Dtype::f32, kSeed);
    expect_logits_without_term(data, false);
    // 2 sigmoid(-1000) is 0 in double.
    for (double& strength : data.attention.tensors.strengths.data) strength = -1000.0;
    expect_logits_without_term(data, true);
  }
}

TEST_F(DenseTermIdentity, ReflectionsAcrossAreNone) {
  DenseTermData data(case_named("Reflections"), Dtype::f32, kSeed);
  const int64_t width = data.attention.setup.shape.key_width;
  reference::AttentionTensors<double>& t = data.attention.tensors;
  for (Grid<double>* grid : {&t.query, &t.key, &t.directions}) {
    for (int64_t r = 0; r < grid->rows; ++r) {
      for (int64_t c = 0; c < grid->columns; ++c) {
        if ((c % width < 2) == (grid == &t.directions)) (*grid)(r, c) = 0.0;
      }
    }
  }
  expect_logits_without_term(data, true);
}

// A strength of 2 mirrors: twice by the same direction is nothing at all, up to the floor under its length.
TEST_F(DenseTermIdentity, AMirrorTwiceIsNothing) {
  DenseTermData data(case_named("Reflections"), Dtype::f32, kSeed);
  reference::AttentionTensors<double>& t = data.attention.tensors;
  for (double& strength : t.strengths.data) strength = 1000.0;
  for (int64_t r = 0; r < t.directions.rows; ++r) {
    for (int64_t c = 0; c < t.directions.columns; ++c) t.directions(r, c) = c % 5 == 2 ? 1000.0 : 0.0;
  }
  const DeviceDenseTerm term(test_backend(), data);
  Attention plain = term.record();
  plain.dense = {};
  const int64_t n = data.attention.setup.length(1);
  const std::vector<float> got = logits_of(term.record(), 1, n), expected = logits_of(plain, 1, n);
  double size = 0.0;
  for (const float logit : expected) size = std::isfinite(logit) ? std::max(size, std::abs(double{logit})) : size;
  for (int64_t h = 0; h < 2; ++h) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = i % 2; j <= i; j += 2) {
        const auto at = static_cast<size_t>((h * n + i) * n + j);
        // 1 - |w|^2 = 1e-6 / 1e6, twice for each of up to 6 mirrors, and a rounding to float.
        EXPECT_NEAR(got[at], expected[at], (0x1p-23 + 6.0 * 4.0 * 1e-12) * 4.0 * size);
      }
    }
  }
}

TEST_F(DenseTermIdentity, FarFactorsOfTheRotationAreNone) {
  for (const std::string name : {"Far", "FarInHalves"}) {
    DenseTermData data(case_named(name), Dtype::f32, kSeed);
    expect_logits_without_term(data, false);
    const reference::RotationSetup& near = data.attention.setup.rotation;
    reference::DenseSetup& far = data.attention.setup.dense;
    far.query_back = far.query_ahead = near.query;
    far.key = near.key;
    expect_logits_without_term(data, true);
  }
}

TEST_F(DenseTermIdentity, AWindowOfAllIsNone) {
  DenseTermData data(case_named("Far"), Dtype::f32, kSeed);
  data.attention.setup.dense.window = data.attention.batch.position_count;
  expect_logits_without_term(data, true);
}

// Keys of 0 open every gate by half, so that the position is half the number of tokens, cut off at the last.
TEST_F(DenseTermIdentity, EqualGatesCountTokensInHalves) {
  DenseTermData data(case_named("Positions"), Dtype::f32, kSeed);
  reference::AttentionTensors<double>& t = data.attention.tensors;
  std::fill(t.key.data.begin(), t.key.data.end(), 0.0);
  const DeviceDenseTerm term(test_backend(), data);
  const int64_t n = data.attention.setup.length(1), begin = data.attention.setup.begin(1);
  const std::vector<float> got = logits_of(term.record(), 1, n);
  const int64_t width = data.attention.setup.shape.key_width, most = data.shape.most;
  for (int64_t h = 0; h < 3; ++h) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        const int64_t halves = std::min(i - j + 1, 2 * most);
        double expected = 0.0, size = 0.0;
        for (int64_t c = 0; c < width; ++c) {
          const double low = t.vectors(halves / 2, c), high = t.vectors((halves + 1) / 2, c);
          expected += t.query(begin + i, h * width + c) * (low + high) / 2.0;
          size += std::abs(t.query(begin + i, h * width + c)) * (std::abs(low) + std::abs(high));
        }
        EXPECT_NEAR(got[static_cast<size_t>((h * n + i) * n + j)], expected,
                    0x1p-24 * std::abs(expected) + 0x1p-49 * size);
      }
    }
  }
}

// --- Bounds --------------------------------------------------------------------------------------

TEST_F(DenseTermIdentity, TakesSequencesOfTheMostTokensAndNoLonger) {
  DenseTermCase shape = case_named("Positions");
  shape.attention.shape = {.heads = 3, .key_heads = 3, .key_width = 2, .value_width = 1};
  shape.attention.lengths = {static_cast<int32_t>(kMostDenseTokens)};
  const AttentionOutputs got = run_term_forward(test_backend(), DenseTermData(shape, Dtype::f32, kSeed));
  EXPECT_TRUE(std::isfinite(got.out(kMostDenseTokens - 1, 0)));
  shape.attention.lengths = {2, static_cast<int32_t>(kMostDenseTokens) + 1};
  try {
    run_term_forward(test_backend(), DenseTermData(shape, Dtype::f32, kSeed));
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "attention with all logits at hand takes sequences of at most 512 tokens, not 513");
  }
}

TEST_F(DenseTermIdentity, CausalTermsAreRefusedWhereKeysBehindAreSeen) {
  for (const std::string name : {"Positions", "Reflections"}) {
    DenseTermCase shape = case_named(name);
    shape.attention.causal = false;
    EXPECT_THROW(run_term_forward(test_backend(), DenseTermData(shape, Dtype::f32, kSeed)), Error) << name;
  }
}

}  // namespace dense_term_test
}  // namespace phasor
