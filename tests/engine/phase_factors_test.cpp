#include <gtest/gtest.h>

#include <complex>

#include "support/backend.h"
#include "support/device.h"
#include "support/random_data.h"

namespace phasor {
namespace phase_factors_test {

using namespace testing_support;

TEST(PhaseFactors, TurnEveryRowByItsPhases) {
  if (tested_device() != kDefaultDevice) GTEST_SKIP() << "no kernel yet";
  constexpr int64_t kRows = 3, kPositions = 70, kPairs = 5;
  RandomData data(4);
  const Grid<double> base = data.normal(kRows * kPositions, 2 * kPairs, Dtype::f32);
  const Grid<double> phase = data.normal(kRows, kPairs, Dtype::f32);
  const DeviceArray<float> from(test_backend(), std::vector<float>(base.data.begin(), base.data.end()));
  const DeviceArray<float> to(test_backend(), {}, static_cast<int64_t>(base.data.size()));
  const DeviceMatrix phases(test_backend(), Dtype::f32, phase);
  test_backend().run(PhaseFactors{.factors = View<float, 4>(to.data(), kRows, kPositions, kPairs, 2),
                                  .base = View<const float, 4>(from.data(), kRows, kPositions, kPairs, 2),
                                  .phase = phases.view()});
  const std::vector<float> got = to.read(static_cast<int64_t>(base.data.size()));
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t p = 0; p < kPositions; ++p) {
      for (int64_t c = 0; c < kPairs; ++c) {
        const auto at = static_cast<size_t>(((row * kPositions + p) * kPairs + c) * 2);
        const std::complex<double> expected =
            std::complex<double>(base.data[at], base.data[at + 1]) * std::polar(1.0, phase(row, c));
        // Rounded once, to float.
        const double bound = 0x1.0001p-24 * std::abs(expected);
        EXPECT_NEAR(double{got[at]}, expected.real(), bound);
        EXPECT_NEAR(double{got[at + 1]}, expected.imag(), bound);
      }
    }
  }
}

}  // namespace phase_factors_test
}  // namespace phasor
