#include "phasor/linalg/fft.h"

#include <numbers>

#include "linalg/matrices.h"

namespace phasor {
namespace fft_test {

using namespace testing_support;
using Complex = std::complex<double>;

TEST(Fft, IsTheSumItSaysAndItsInverse) {
  for (const int64_t size : {1, 2, 8, 64}) {
    std::vector<Complex> x;
    for (int64_t i = 0; i < size; ++i)
      x.emplace_back(random_matrix(1, size, 70)(0, i), random_matrix(1, size, 71)(0, i));
    const Fft fft(size);
    std::vector<Complex> y = x;
    fft.forward(y);
    for (int64_t m = 0; m < size; ++m) {
      Complex total = 0.0;
      for (int64_t k = 0; k < size; ++k) {
        total += x[static_cast<size_t>(k)] *
                 std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * m % size) / static_cast<double>(size));
      }
      EXPECT_LT(std::abs(y[static_cast<size_t>(m)] - total), 100 * kUnit * static_cast<double>(size));
    }
    fft.inverse(y);
    for (size_t i = 0; i < y.size(); ++i) EXPECT_LT(std::abs(y[i] - x[i]), 50 * kUnit);
  }
  EXPECT_EQ(error_of([] { Fft(12); }), "a Fourier transform of size 12: it must be a power of two");
}

}  // namespace fft_test
}  // namespace phasor
