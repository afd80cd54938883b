#include <gtest/gtest.h>

#include <limits>

#include "support/backend.h"
#include "support/compare.h"
#include "support/device.h"

namespace phasor {
namespace copy_test {

using namespace testing_support;

TEST(Fill, SetsEveryElementAndNoOther) {
  Backend& backend = test_backend();
  for (int64_t size : {1, 15, 16, 17, 5003}) {
    const DeviceMatrix x(backend, Dtype::f32, size + 3, 1);
    backend.run(Fill{View<float, 1>(x.flat().data(), size), -1.5f});
    EXPECT_EQ(x.read(size).data, std::vector<double>(static_cast<size_t>(size), -1.5));
    EXPECT_EQ(x.spoiled_beyond(size), 0) << size;
  }
}

TEST(Memory, StartsAsZeros) {
  Backend& backend = test_backend();
  const Memory memory = backend.allocate(100'000);
  Bytes image(100'000, std::byte{1});
  backend.copy_out(image.data(), memory.data(), image.size());
  EXPECT_EQ(image, Bytes(100'000));
}

class CastTest : public testing::TestWithParam<std::tuple<Dtype, Dtype, std::pair<int64_t, int64_t>>> {};

// A cast is exact or one rounding to nearest even: equal bits, in every element.
TEST_P(CastTest, RoundsEachElementOnce) {
  const auto [from, to, extent] = GetParam();
  PHASOR_SKIP_WITHOUT(from);
  PHASOR_SKIP_WITHOUT(to);
  Backend& backend = test_backend();
  RandomData data(71);
  const Grid<double> values = data.normal(extent.first, extent.second, from, 100.0);
  const DeviceMatrix source(backend, from, values, 0, 5);
  const DeviceMatrix target(backend, to, extent.first + 2, extent.second, 3);
  backend.run(Cast{target.matrix().row_range(0, extent.first), source.matrix()});
  EXPECT_EQ(target.read(extent.first).data, representable(values, to).data);
  EXPECT_EQ(target.spoiled_beyond(extent.first), 0);
}

INSTANTIATE_TEST_SUITE_P(Pairs, CastTest,
                         testing::Combine(testing::Values(Dtype::f32, Dtype::bf16),
                                          testing::Values(Dtype::f32, Dtype::bf16),
                                          testing::Values(std::pair<int64_t, int64_t>{1, 1},
                                                          std::pair<int64_t, int64_t>{7, 33},
                                                          std::pair<int64_t, int64_t>{300, 70})));

TEST(Cast, KeepsTiesNanAndInfinity) {
  PHASOR_SKIP_WITHOUT(Dtype::bf16);
  Backend& backend = test_backend();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {0x1.01p0f,     0x1.03p0f,      -0x1.01p0f,  -0x1.03p0f,  0x1.0100002p0f,
                                     0x1.00fffep0f, kInfinity,      -kInfinity,  0.0f,        -0.0f,
                                     3.3895314e38f, -3.4028235e38f, 0x1.0p-133f, 0x1.8p-134f, 1.0f};
  std::vector<float> with_nan = values;
  with_nan.push_back(std::numeric_limits<float>::quiet_NaN());
  const auto count = static_cast<int64_t>(with_nan.size());
  const DeviceArray<float> source(backend, with_nan);
  const DeviceArray<bfloat16> target(backend, std::vector<bfloat16>(with_nan.size()));
  backend.run(Cast{Matrix(target.data(), Dtype::bf16, 1, count), ConstMatrix(source.data(), Dtype::f32, 1, count)});
  const std::vector<bfloat16> got = target.read(count);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(got[i].bits, to_bfloat16(values[i]).bits) << values[i];
  EXPECT_TRUE(std::isnan(to_float(got.back())));
}

}  // namespace copy_test
}  // namespace phasor
