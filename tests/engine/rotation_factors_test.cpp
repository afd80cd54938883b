#include "reference/rotation_factors.h"

#include <gtest/gtest.h>

#include "support/compare.h"
#include "support/threads.h"

namespace phasor {
namespace rotation_factors_test {

using namespace testing_support;
using reference::Rounded32;

constexpr uint64_t kSeed = 152;

struct RotationCase {
  const char* name;
  int64_t rows, positions, pairs;
  float magnitude;
};

void PrintTo(const RotationCase& c, std::ostream* out) { *out << c.name; }

Grid<double> frequencies(const RotationCase& shape) { return RandomData(kSeed).normal(shape.rows, shape.pairs); }

// [rows * positions, pairs * 2]
DeviceMatrix run(Backend& backend, const RotationCase& shape) {
  const DeviceMatrix frequency(backend, Dtype::f32, frequencies(shape));
  DeviceMatrix factors(backend, Dtype::f32, shape.rows * shape.positions, shape.pairs * 2);
  const View<float, 4> view(factors.flat().data(), shape.rows, shape.positions, shape.pairs, 2);
  backend.run(RotationFactors{view, frequency.view(), shape.magnitude});
  return factors;
}

class RotationFactorsTest : public testing::TestWithParam<RotationCase> {};

// Made in double, where a few roundings are 2^-50 of the magnitude, and rounded once.
TEST_P(RotationFactorsTest, AreTheFormulaRoundedOnce) {
  const RotationCase& shape = GetParam();
  const Grid<double> frequency = frequencies(shape);
  Grid<Rounded32> expected(shape.rows * shape.positions, shape.pairs * 2);
  const double made = 0x1.0p-50 * std::abs(double{shape.magnitude});
  for (int64_t r = 0; r < shape.rows; ++r) {
    for (int64_t p = 0; p < shape.positions; ++p) {
      for (int64_t c = 0; c < shape.pairs; ++c) {
        const auto factor = reference::rotation_factor(shape.magnitude, static_cast<float>(frequency(r, c)), p);
        expected(r * shape.positions + p, 2 * c) = Rounded32::result(factor.real(), made);
        expected(r * shape.positions + p, 2 * c + 1) = Rounded32::result(factor.imag(), made);
      }
    }
  }
  const Grid<double> got = run(test_backend(), shape).read(expected.rows);
  EXPECT_TRUE(agrees({"RotationFactors.factors", shape.name, kSeed}, got, expected, Dtype::f32));
}

TEST_P(RotationFactorsTest, SameBitsOnAnyThreads) {
  expect_same_bits_on_any_threads(
      [&](Backend& backend) -> std::vector<Bytes> { return {run(backend, GetParam()).download()}; });
}

INSTANTIATE_TEST_SUITE_P(
    Cases, RotationFactorsTest,
    testing::Values(RotationCase{"Heads", 4, 130, 8, 1.0f}, RotationCase{"OnePair", 3, 700, 1, 1.0f},
                    RotationCase{"ManyPairs", 1, 5, 600, 1.0f}, RotationCase{"FarPositions", 1, 100'000, 2, 1.0f},
                    RotationCase{"Magnitude", 2, 64, 5, 1.1386294f}, RotationCase{"NoRows", 0, 16, 4, 1.0f},
                    RotationCase{"NoPairs", 2, 16, 0, 1.0f}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace rotation_factors_test
}  // namespace phasor
