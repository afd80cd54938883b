#include "reference/readout.h"

#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/sequences.h"

namespace phasor {
namespace readout_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

struct ReadoutCase {
  const char* name;
  std::vector<int32_t> lengths;
  int64_t width, spare;
};

void PrintTo(const ReadoutCase& c, std::ostream* out) { *out << c.name; }

class ReadoutTest : public testing::TestWithParam<std::tuple<ReadoutCase, Dtype>> {
 protected:
  const ReadoutCase& shape() const { return std::get<0>(GetParam()); }
  Dtype dtype() const { return std::get<1>(GetParam()); }
  Where where(const char* family) const { return {family, shape().name, data.seed()}; }
  // Any token of its sequence, counted from either end.
  std::vector<int32_t> places() {
    std::vector<int32_t> result;
    for (int32_t n : shape().lengths) result.push_back(data.integers(1, -n, n - 1)[0]);
    return result;
  }

  RandomData data{41};
  Backend& backend = test_backend();
  Batch batch = make_batch(data, shape().lengths);
};

TEST_P(ReadoutTest, MeanPoolForwardIsTheMean) {
  PHASOR_SKIP_WITHOUT(dtype());
  const Grid<double> x = data.normal(batch.tokens(), shape().width, dtype());
  const DeviceSequences sequences(backend, batch, shape().spare, shape().spare);
  const DeviceMatrix device_x(backend, dtype(), x, shape().spare, 3);
  const DeviceMatrix pooled(backend, Dtype::f32, batch.sequences() + shape().spare, shape().width);
  backend.run(MeanPoolForward{pooled.view(), device_x.matrix(), sequences.get()});
  const auto expected = reference::mean_pool(lift<Rounded32>(x), batch.offsets);
  EXPECT_TRUE(agrees(where("MeanPoolForward.pooled"), pooled.read(batch.sequences()), expected, Dtype::f32));
  EXPECT_EQ(pooled.spoiled_beyond(batch.sequences()), 0);
}

TEST_P(ReadoutTest, MeanPoolBackwardIsTheComplexStep) {
  PHASOR_SKIP_WITHOUT(dtype());
  const Grid<double> dpooled = data.normal(batch.sequences(), shape().width);
  const DeviceSequences sequences(backend, batch, shape().spare, shape().spare);
  const DeviceMatrix device_dpooled(backend, Dtype::f32, dpooled, shape().spare);
  const DeviceMatrix dx(backend, dtype(), batch.tokens() + shape().spare, shape().width, 2);
  backend.run(MeanPoolBackward{dx.matrix(), device_dpooled.view(), sequences.get()});
  const auto bounds = reference::mean_pool_backward(lift<Rounded32>(dpooled), batch.offsets);
  const auto gradient = reference::complex_step_gradient(
      [&](const Grid<Complex>& z) { return dot(dpooled, reference::mean_pool(z, batch.offsets)); },
      Grid<double>(batch.tokens(), shape().width));
  EXPECT_TRUE(agrees(where("MeanPoolBackward.dx"), dx.read(batch.tokens()), with_values(bounds, gradient), dtype()));
  EXPECT_EQ(dx.spoiled_beyond(batch.tokens()), 0);
}

TEST_P(ReadoutTest, PickTokenForwardCopiesTheToken) {
  PHASOR_SKIP_WITHOUT(dtype());
  const Grid<double> x = data.normal(batch.tokens(), shape().width, dtype());
  const std::vector<int32_t> place = places();
  const DeviceSequences sequences(backend, batch, shape().spare, shape().spare);
  const DeviceArray<int32_t> device_place(backend, place, shape().spare);
  const DeviceMatrix device_x(backend, dtype(), x, shape().spare, 3);
  const DeviceMatrix picked(backend, Dtype::f32, batch.sequences() + shape().spare, shape().width);
  backend.run(PickTokenForward{picked.view(), device_x.matrix(), device_place.view(), sequences.get()});
  const Grid<double> got = picked.read(batch.sequences());
  for (int64_t s = 0; s < batch.sequences(); ++s) {
    const int64_t token = reference::picked_token(batch.offsets, place, s);
    for (int64_t c = 0; c < shape().width; ++c) EXPECT_EQ(got(s, c), x(token, c)) << "sequence " << s;
  }
  EXPECT_EQ(picked.spoiled_beyond(batch.sequences()), 0);
}

TEST_P(ReadoutTest, PickTokenBackwardGivesOneTokenAllAndOthersNothing) {
  PHASOR_SKIP_WITHOUT(dtype());
  const Grid<double> dpicked = data.normal(batch.sequences(), shape().width);
  const std::vector<int32_t> place = places();
  const DeviceSequences sequences(backend, batch, shape().spare, shape().spare);
  const DeviceArray<int32_t> device_place(backend, place, shape().spare);
  const DeviceMatrix device_dpicked(backend, Dtype::f32, dpicked, shape().spare);
  const DeviceMatrix dx(backend, dtype(), batch.tokens() + shape().spare, shape().width, 2);
  backend.run(PickTokenBackward{dx.matrix(), device_dpicked.view(), device_place.view(), sequences.get()});
  Grid<double> expected(batch.tokens(), shape().width);
  for (int64_t s = 0; s < batch.sequences(); ++s) {
    const int64_t token = reference::picked_token(batch.offsets, place, s);
    for (int64_t c = 0; c < shape().width; ++c) expected(token, c) = representable(dpicked(s, c), dtype());
  }
  EXPECT_EQ(dx.read(batch.tokens()).data, expected.data);
  EXPECT_EQ(dx.spoiled_beyond(batch.tokens()), 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, ReadoutTest,
                         testing::Combine(testing::Values(ReadoutCase{"Ragged", {1, 2, 3, 17, 33}, 20, 4},
                                                          ReadoutCase{"OneToken", {1}, 6, 0},
                                                          ReadoutCase{"Long", {130, 5}, 17, 1},
                                                          ReadoutCase{"Empty", {}, 8, 3}),
                                          testing::Values(Dtype::f32, Dtype::bf16)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" + name(std::get<1>(tested.param));
                         });

}  // namespace readout_test
}  // namespace phasor
