// Sixteen floats at a time, lane by lane against the C library, at the edges too.
#include "phasor/engine/cpu/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace phasor {
namespace simd_test {

using Lanes = std::array<float, simd::kLanes>;

Lanes lanes(simd::Vec v) {
  Lanes result;
  simd::store(result.data(), v);
  return result;
}

// Different in every lane, of both signs.
Lanes ramp(float scale, float shift = 0.0f) {
  Lanes x;
  for (size_t i = 0; i < x.size(); ++i) x[i] = scale * (static_cast<float>(i) - 7.3f) + shift;
  return x;
}

TEST(Simd, LoadAndStoreKeepTheOrder) {
  const Lanes x = ramp(1.0f);
  EXPECT_EQ(lanes(simd::load(x.data())), x);
}

TEST(Simd, ArithmeticIsByLane) {
  const Lanes x = ramp(1.5f), y = ramp(-0.25f, 9.0f);
  const simd::Vec a = simd::load(x.data()), b = simd::load(y.data());
  const Lanes sum = lanes(a + b), difference = lanes(1.0f - a), product = lanes(a * b), ratio = lanes(a / b);
  simd::Vec added = a;
  added += b;
  const Lanes larger = lanes(simd::max(a, b)), size = lanes(simd::abs(a)), negated = lanes(-a);
  const Lanes chosen = lanes(simd::where_negative(a, a, b)), passed = lanes(simd::where_positive(a, b));
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(sum[i], x[i] + y[i]);
    EXPECT_EQ(lanes(added)[i], x[i] + y[i]);
    EXPECT_EQ(difference[i], 1.0f - x[i]);
    EXPECT_EQ(product[i], x[i] * y[i]);
    EXPECT_EQ(ratio[i], x[i] / y[i]);
    EXPECT_EQ(larger[i], std::max(x[i], y[i]));
    EXPECT_EQ(size[i], std::abs(x[i]));
    EXPECT_EQ(negated[i], -x[i]);
    EXPECT_EQ(chosen[i], x[i] < 0.0f ? x[i] : y[i]);
    EXPECT_EQ(passed[i], x[i] > 0.0f ? y[i] : 0.0f);
  }
}

// Sums that round: the tree is part of the contract, the same on every machine.
TEST(Simd, FoldsInOneTree) {
  Lanes x = ramp(0.1f);
  x[3] = 1e6f;
  Lanes tree = x;
  for (size_t step = 8; step > 0; step /= 2) {
    for (size_t i = 0; i < step; ++i) tree[i] += tree[i + step];
  }
  EXPECT_EQ(simd::sum(simd::load(x.data())), tree[0]);
  EXPECT_EQ(simd::largest(simd::load(x.data())), 1e6f);
  x[15] = 2e6f;
  EXPECT_EQ(simd::largest(simd::load(x.data())), 2e6f);
}

TEST(Simd, KeepsTheLanesOfSetBits) {
  const Lanes x = ramp(1.0f);
  for (const uint32_t bits : {0x0000u, 0xFFFFu, 0x8001u, 0x1234u, 0xA5C3u}) {
    const Lanes kept = lanes(simd::keep(simd::load(x.data()), bits));
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(kept[i], (bits >> i & 1u) != 0 ? x[i] : 0.0f) << bits << " " << i;
  }
}

TEST(Simd, Neighbours) {
  const Lanes x = ramp(1.0f);
  const simd::Vec v = simd::load(x.data());
  const Lanes swapped = lanes(simd::swap_neighbours(v)), even = lanes(simd::twice_even(v));
  const Lanes odd = lanes(simd::twice_odd(v));
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(swapped[i], x[i ^ 1u]);
    EXPECT_EQ(even[i], x[i & ~size_t{1}]);
    EXPECT_EQ(odd[i], x[i | 1u]);
  }
}

TEST(Simd, ExpAndLog) {
  for (const float shift : {-80.0f, -20.0f, -1.0f, 0.0f, 3.0f, 60.0f}) {
    const Lanes x = ramp(0.37f, shift);
    const Lanes e = lanes(simd::exp(simd::load(x.data())));
    const Lanes back = lanes(simd::log(simd::load(e.data())));
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(e[i] / std::exp(double{x[i]}), 1.0, 1.2e-7) << x[i];
      const double truth = std::log(double{e[i]});
      EXPECT_NEAR(back[i], truth, 1.2e-7 * std::abs(truth) + 1e-7) << e[i];
    }
  }
  Lanes edges = ramp(0.0f);
  edges = {-std::numeric_limits<float>::infinity(), -88.0f, -1e30f, 89.0f, 0.0f};
  const Lanes e = lanes(simd::exp(simd::load(edges.data())));
  EXPECT_EQ(e[0], 0.0f);
  EXPECT_EQ(e[1], 0.0f);
  EXPECT_EQ(e[2], 0.0f);
  EXPECT_NEAR(e[3] / std::exp(88.0), 1.0, 1.2e-7);
  EXPECT_EQ(e[4], 1.0f);
}

TEST(Simd, TransposesASquare) {
  constexpr int64_t kStride = 19;
  std::array<float, 16 * kStride> a, b{};
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  simd::transpose_square(b.data(), kStride, a.data(), kStride);
  for (int64_t r = 0; r < 16; ++r) {
    for (int64_t c = 0; c < 16; ++c) {
      EXPECT_EQ(b[static_cast<size_t>(c * kStride + r)], a[static_cast<size_t>(r * kStride + c)]) << r << " " << c;
    }
  }
}

}  // namespace simd_test
}  // namespace phasor
