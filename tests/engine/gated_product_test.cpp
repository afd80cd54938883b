#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/device.h"
#include "support/threads.h"

namespace phasor {
namespace gated_product_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

constexpr uint64_t kSeed = 201;

struct ProductCase {
  const char* name;
  int64_t rows, capacity, width;
};

void PrintTo(const ProductCase& c, std::ostream* out) { *out << c.name; }

template <class S>
Grid<S> product(const Grid<S>& x) {
  Grid<S> y(x.rows, x.columns / 2);
  for (int64_t r = 0; r < y.rows; ++r) {
    for (int64_t c = 0; c < y.columns; ++c) y(r, c) = reference::silu(x(r, c)) * x(r, y.columns + c);
  }
  return y;
}

// s (1 + g (1 - s)) c dy and g s dy
Grid<Rounded32> gradient(const Grid<Rounded32>& x, const Grid<Rounded32>& dy) {
  Grid<Rounded32> dx(x.rows, x.columns);
  const Rounded32 one(1.0);
  for (int64_t r = 0; r < dy.rows; ++r) {
    for (int64_t c = 0; c < dy.columns; ++c) {
      const Rounded32 g = x(r, c);
      const Rounded32 open = one / (one + exp(-g)), shut = one / (one + exp(g));
      dx(r, c) = dy(r, c) * x(r, dy.columns + c) * (open + g * open * shut);
      dx(r, dy.columns + c) = dy(r, c) * g * open;
    }
  }
  return dx;
}

struct ProductData {
  ProductCase shape;
  Grid<double> x, dy;

  ProductData(const ProductCase& given, Dtype dtype) : shape(given) {
    RandomData data(kSeed);
    x = data.normal(shape.rows, 2 * shape.width, dtype, 2.0);
    dy = data.normal(shape.rows, shape.width, dtype);
  }
};

struct ProductOutputs {
  Grid<double> y, dx;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

ProductOutputs run(Backend& backend, const ProductData& data, Dtype dtype) {
  const int64_t spare = data.shape.capacity - data.shape.rows;
  const DeviceMatrix x(backend, dtype, data.x, spare, 3), dy(backend, dtype, data.dy, spare, 1);
  const DeviceMatrix y(backend, dtype, data.shape.capacity, data.shape.width, 2);
  const DeviceMatrix dx(backend, dtype, data.shape.capacity, 2 * data.shape.width, 5);
  const DeviceArray<int32_t> used(backend, {static_cast<int32_t>(data.shape.rows)});
  const Rows rows{.used = used.data()};
  backend.run(GatedProductForward{.y = y.matrix(), .x = x.matrix(), .rows = rows});
  backend.run(GatedProductBackward{.dx = dx.matrix(), .dy = dy.matrix(), .x = x.matrix(), .rows = rows});
  return {y.read(data.shape.rows),
          dx.read(data.shape.rows),
          y.spoiled_beyond(data.shape.rows) + dx.spoiled_beyond(data.shape.rows),
          {y.download(), dx.download()}};
}

class GatedProductTest : public testing::TestWithParam<ProductCase> {
 protected:
  void SetUp() override {
    if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses gated products";
  }
};

INSTANTIATE_TEST_SUITE_P(Cases, GatedProductTest,
                         testing::Values(ProductCase{"One", 1, 1, 1}, ProductCase{"Few", 5, 9, 7},
                                         ProductCase{"WholeVectors", 70, 70, 32}, ProductCase{"Many", 300, 310, 33},
                                         ProductCase{"NoRows", 0, 4, 6}),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(GatedProductTest, BothPassesAreTheFormula) {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    const ProductData data(GetParam(), dtype);
    const ProductOutputs got = run(test_backend(), data, dtype);
    EXPECT_TRUE(
        agrees({"GatedProductForward.y", GetParam().name, kSeed}, got.y, product(lift<Rounded32>(data.x)), dtype));
    const Grid<double> truth =
        reference::complex_step_gradient([&](const Grid<Complex>& x) { return dot(data.dy, product(x)); }, data.x);
    const auto bounds = gradient(lift<Rounded32>(data.x), lift<Rounded32>(data.dy));
    EXPECT_TRUE(agrees({"GatedProductBackward.dx", GetParam().name, kSeed}, got.dx, with_values(bounds, truth), dtype));
    EXPECT_EQ(got.spoiled, 0);
  }
}

TEST_P(GatedProductTest, TheSameBitsOnAnyThreads) {
  const ProductData data(GetParam(), Dtype::f32);
  expect_same_bits_on_any_threads([&](Backend& backend) { return run(backend, data, Dtype::f32).images; });
}

}  // namespace gated_product_test
}  // namespace phasor
