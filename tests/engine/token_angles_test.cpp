#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/compare.h"
#include "support/threads.h"
#include "support/token_angles_case.h"

namespace phasor {
namespace token_angles_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

constexpr uint64_t kSeed = 191;

#define PHASOR_SKIP_WITHOUT_ANGLES() \
  if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses angles of tokens"

// The step to within an eighth of a turn rounds once (half a spacing of 0.79 at most, 2^-25), polynomials of degree
// seven and eight are good to 2^-26 in these bounds, and their four last operations round: under four units in all.
constexpr double kFactorError = 4.0 * 0x1p-24;

class TokenAnglesTest : public testing::TestWithParam<AngleCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, TokenAnglesTest, testing::ValuesIn(angle_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(TokenAnglesTest, FactorsAreTheFormula) {
  PHASOR_SKIP_WITHOUT_ANGLES();
  const AngleData data(GetParam(), kSeed);
  const AngleOutputs got = run_angles(test_backend(), data, Dtype::f32);
  const Grid<double> angles = data.angles(data.z, data.gate);
  double worst = 0.0;
  for (size_t i = 0; i < angles.data.size(); ++i) {
    worst = std::max({worst, std::abs(got.factors.data[2 * i] - std::cos(angles.data[i])),
                      std::abs(got.factors.data[2 * i + 1] - std::sin(angles.data[i]))});
  }
  EXPECT_LT(worst, kFactorError);
  EXPECT_EQ(got.spoiled, 0);
}

TEST_P(TokenAnglesTest, BackwardIsTheComplexStep) {
  PHASOR_SKIP_WITHOUT_ANGLES();
  AngleCase shape = GetParam();
  if (!shape.lengths.empty()) shape.lengths = {1, 5, 2};
  const AngleData data(shape, kSeed + 1);
  const auto by_z = [&](const Grid<Complex>& z) { return dot(data.dangle, data.angles(z, lift<Complex>(data.gate))); };
  const auto by_gate = [&](const Grid<Complex>& gate) {
    return dot(data.dangle, data.angles(lift<Complex>(data.z), gate));
  };
  // Everything is in double up to the end: one rounding, to which the steps of the double sums are nothing, but for
  // what cancels in them.
  const auto expected = [&](const Grid<double>& truth, const Grid<double>& sizes) {
    Grid<Rounded32> result(truth.rows, truth.columns);
    for (size_t i = 0; i < truth.data.size(); ++i) {
      result.data[i] = {truth.data[i], 0x1p-24 * std::abs(truth.data[i]) + 0x1p-46 * sizes.data[i]};
    }
    return result;
  };
  AngleData absolute = data;
  for (double& x : absolute.dangle.data) x = std::abs(x);
  for (double& x : absolute.frequency.data) x = std::abs(x);
  const auto sizes_by_z = reference::complex_step_gradient(
      [&](const Grid<Complex>& z) { return dot(absolute.dangle, absolute.angles(z, lift<Complex>(data.gate))); },
      data.z);
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    const AngleOutputs got = run_angles(test_backend(), data, dtype);
    EXPECT_TRUE(agrees({"TokenAnglesBackward.dz", shape.name, kSeed + 1}, got.dz,
                       expected(reference::complex_step_gradient(by_z, data.z), sizes_by_z), dtype));
    if (!shape.gated) continue;
    const Grid<double> truth = reference::complex_step_gradient(by_gate, data.gate);
    Grid<double> sizes(truth.rows, truth.columns);
    const int64_t per_set = data.z.columns / shape.sets;
    for (int64_t t = 0; t < data.z.rows; ++t) {
      for (int64_t k = 0; k < data.z.columns; ++k) sizes(t, k / per_set) += std::abs(data.z(t, k)) * sizes_by_z(t, k);
    }
    EXPECT_TRUE(agrees({"TokenAnglesBackward.dgate", shape.name, kSeed + 1}, got.dgate, expected(truth, sizes), dtype));
  }
}

TEST_P(TokenAnglesTest, TheSameBitsOnAnyThreads) {
  PHASOR_SKIP_WITHOUT_ANGLES();
  const AngleData data(GetParam(), kSeed);
  expect_same_bits_on_any_threads([&](Backend& backend) { return run_angles(backend, data, Dtype::f32).images; });
}

// Turns of a long sequence are reduced in double: the angle after 20,000 steps of 3 is as exact as the first.
TEST(TokenAngles, LongSequencesLoseNothing) {
  PHASOR_SKIP_WITHOUT_ANGLES();
  constexpr int32_t kLength = 20'000;
  AngleData data({"Long", {kLength}, 1, 2, false, true}, kSeed);
  for (double& z : data.z.data) z = 3.0;
  data.frequency.data = {1.0, 0.37};
  const AngleOutputs got = run_angles(test_backend(), data, Dtype::f32);
  double worst = 0.0;
  for (int64_t t = 0; t < kLength; ++t) {
    for (int64_t c = 0; c < 2; ++c) {
      const double angle = data.frequency(0, c) * 3.0 * static_cast<double>(t + 1);
      worst = std::max({worst, std::abs(got.factors(t, 2 * c) - std::cos(angle)),
                        std::abs(got.factors(t, 2 * c + 1) - std::sin(angle))});
    }
  }
  EXPECT_LT(worst, kFactorError);
}

}  // namespace token_angles_test
}  // namespace phasor
