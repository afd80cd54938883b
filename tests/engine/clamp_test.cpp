#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/threads.h"

namespace phasor {
namespace clamp_test {

using namespace testing_support;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> clamped(const std::vector<float>& values, float least, float most) {
  const DeviceArray<float> x(test_backend(), values);
  test_backend().run(Clamp{x.view(), least, most});
  return x.read(static_cast<int64_t>(values.size()));
}

TEST(Clamp, BringsValuesIntoTheInterval) {
  EXPECT_EQ(
      clamped({-kInfinity, -2.0f, -1.0f, -0.5f, 0.0f, 3.0f, std::nextafter(3.0f, 4.0f), 1e30f, kInfinity}, -1.0f, 3.0f),
      (std::vector<float>{-1.0f, -1.0f, -1.0f, -0.5f, 0.0f, 3.0f, 3.0f, 3.0f, 3.0f}));
}

TEST(Clamp, AnInfiniteEndIsNoEnd) {
  const std::vector<float> values = {-1e38f, -1.0f, 0.25f, 7.0f, 1e38f};
  EXPECT_EQ(clamped(values, -kInfinity, kInfinity), values);
  EXPECT_EQ(clamped(values, 0.01f, kInfinity), (std::vector<float>{0.01f, 0.01f, 0.25f, 7.0f, 1e38f}));
}

// A run that has gone wrong must not look sound again.
TEST(Clamp, NanStaysNan) {
  const std::vector<float> got = clamped(std::vector<float>(37, std::nanf("")), 0.0f, 1.0f);
  for (const float x : got) EXPECT_TRUE(std::isnan(x));
}

TEST(Clamp, NothingIsClampedToNothing) { EXPECT_TRUE(clamped({}, 0.0f, 1.0f).empty()); }

TEST(Clamp, SameBitsOnAnyThreads) {
  const Grid<double> values = RandomData(153).normal(1, 200'003);
  expect_same_bits_on_any_threads([&](Backend& backend) -> std::vector<Bytes> {
    const DeviceMatrix x(backend, Dtype::f32, values);
    backend.run(Clamp{x.flat(), -0.5f, 0.75f});
    const Grid<double> got = x.read(1);
    for (size_t i = 0; i < got.data.size(); ++i) {
      EXPECT_EQ(got.data[i], std::min(std::max(values.data[i], -0.5), 0.75)) << "element " << i;
    }
    return {x.download()};
  });
}

}  // namespace clamp_test
}  // namespace phasor
