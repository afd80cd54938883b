#include "reference/optimizer.h"

#include <gtest/gtest.h>

#include "support/backend.h"
#include "support/compare.h"
#include "support/device.h"

namespace phasor {
namespace optimizer_test {

using namespace testing_support;
using reference::Rounded32;

constexpr uint64_t kSeed = 61;

struct AdamWCase {
  const char* name;
  int64_t size;
  uint32_t step;
  float learning_rate, weight_decay, max_norm;
  double gradient;  // deviation of the gradient
  bool fresh;       // moments start at 0
};

void PrintTo(const AdamWCase& c, std::ostream* out) { *out << c.name; }

class AdamWTest : public testing::TestWithParam<AdamWCase> {};

TEST_P(AdamWTest, UpdateIsTheFormula) {
  const AdamWCase& shape = GetParam();
  Backend& backend = test_backend();
  RandomData data(kSeed);
  const Grid<double> parameter = data.normal(1, shape.size);
  const Grid<double> gradient = data.normal(1, shape.size, Dtype::f32, shape.gradient);
  Grid<double> first(1, shape.size);
  Grid<double> second(1, shape.size);
  if (!shape.fresh) {
    first = data.normal(1, shape.size, Dtype::f32, 0.1 * shape.gradient);
    second = data.normal(1, shape.size, Dtype::f32, shape.gradient);
    for (double& v : second.data) v = representable(v * v, Dtype::f32);
  }
  const float beta1 = 0.9f, beta2 = 0.98f, epsilon = 1e-8f;
  const double norm = representable(reference::gradient_norm(gradient), Dtype::f32);

  const DeviceMatrix p(backend, Dtype::f32, parameter);
  const DeviceMatrix m(backend, Dtype::f32, first);
  const DeviceMatrix v(backend, Dtype::f32, second);
  const DeviceMatrix g(backend, Dtype::f32, gradient);
  const DeviceMatrix device_norm(backend, Dtype::f32, Grid<double>(1, 1, norm));
  const DeviceArray<float> rate(backend, {shape.learning_rate});
  const DeviceArray<uint32_t> step(backend, {shape.step});
  AdamW op{.parameter = p.flat(), .first_moment = m.flat(), .second_moment = v.flat(), .gradient = g.flat()};
  if (shape.max_norm > 0.0f) op.gradient_norm = device_norm.flat();
  op.learning_rate = rate.data();
  op.step = step.data();
  op.beta1 = beta1;
  op.beta2 = beta2;
  op.epsilon = epsilon;
  op.weight_decay = shape.weight_decay;
  op.max_norm = shape.max_norm;
  backend.run(op);

  const reference::AdamWSettings settings{
      double{shape.learning_rate}, double{beta1},          double{beta2}, double{epsilon},
      double{shape.weight_decay},  double{shape.max_norm}, norm,          shape.step};
  Grid<Rounded32> expected_p(1, shape.size), expected_m(1, shape.size), expected_v(1, shape.size);
  for (int64_t i = 0; i < shape.size; ++i) {
    const reference::AdamWState<Rounded32> before{parameter(0, i), first(0, i), second(0, i)};
    const auto after = reference::adamw<Rounded32>(settings, before, gradient(0, i));
    expected_p(0, i) = after.parameter;
    expected_m(0, i) = after.first;
    expected_v(0, i) = after.second;
  }
  EXPECT_TRUE(agrees({"AdamW.first_moment", shape.name, kSeed}, m.read(1), expected_m, Dtype::f32));
  EXPECT_TRUE(agrees({"AdamW.second_moment", shape.name, kSeed}, v.read(1), expected_v, Dtype::f32));
  EXPECT_TRUE(agrees({"AdamW.parameter", shape.name, kSeed}, p.read(1), expected_p, Dtype::f32));
  EXPECT_EQ(g.read(1).data, gradient.data) << "the gradient is read only";
}

INSTANTIATE_TEST_SUITE_P(Cases, AdamWTest,
                         testing::Values(AdamWCase{"FirstStep", 37, 1, 1e-3f, 0.01f, 0.0f, 1.0, true},
                                         AdamWCase{"LargeRate", 1000, 1, 0.5f, 0.1f, 0.0f, 1.0, true},
                                         AdamWCase{"LateStep", 5003, 777, 1e-2f, 0.01f, 0.0f, 0.1, false},
                                         AdamWCase{"SecondStep", 130, 2, 0.1f, 0.0f, 0.0f, 10.0, false},
                                         AdamWCase{"Clipped", 999, 5, 0.1f, 0.01f, 1.0f, 3.0, false},
                                         AdamWCase{"NotClipped", 64, 5, 0.1f, 0.01f, 1e4f, 1.0, false},
                                         AdamWCase{"TinyGradient", 100, 3, 0.1f, 0.01f, 1.0f, 1e-12, true}),
                         [](const auto& tested) { return tested.param.name; });

// Neither moment moves, so only the decay is left; 0 / (0 + epsilon) must not become a NaN.
TEST(AdamW, ZeroGradientOnlyDecays) {
  Backend& backend = test_backend();
  const DeviceMatrix p(backend, Dtype::f32, Grid<double>(1, 20, 2.0));
  const DeviceMatrix m(backend, Dtype::f32, Grid<double>(1, 20));
  const DeviceMatrix v(backend, Dtype::f32, Grid<double>(1, 20));
  const DeviceMatrix g(backend, Dtype::f32, Grid<double>(1, 20));
  const DeviceMatrix norm(backend, Dtype::f32, Grid<double>(1, 1));
  const DeviceArray<float> rate(backend, {0.25f});
  const DeviceArray<uint32_t> step(backend, {1u});
  AdamW op{.parameter = p.flat(), .first_moment = m.flat(), .second_moment = v.flat(), .gradient = g.flat()};
  op.gradient_norm = norm.flat();
  op.learning_rate = rate.data();
  op.step = step.data();
  op.weight_decay = 0.5f;
  op.max_norm = 1.0f;
  backend.run(op);
  EXPECT_EQ(p.read(1).data, std::vector<double>(20, 2.0 - 0.25 * 0.5 * 2.0));
  EXPECT_EQ(m.read(1).data, std::vector<double>(20, 0.0));
  EXPECT_EQ(v.read(1).data, std::vector<double>(20, 0.0));
}

double measured_norm(const Grid<double>& gradient) {
  Backend& backend = test_backend();
  const DeviceMatrix g(backend, Dtype::f32, gradient);
  const DeviceMatrix norm(backend, Dtype::f32, 1, 1);
  backend.run(GradientNorm{norm.flat(), g.flat()});
  return norm.read(1)(0, 0);
}

// Summed in double, the result is the exact norm rounded to fp32, or its neighbour where the root was
// taken after rounding: two roundings.
TEST(GradientNorm, IsTheRootOfTheSumOfSquares) {
  RandomData data(kSeed + 1);
  for (int64_t size : {1, 2, 15, 16, 17, 1000, 100'003}) {
    const Grid<double> gradient = data.normal(1, size);
    const Grid<Rounded32> expected(1, 1, {reference::gradient_norm(gradient), 0.0});
    const Grid<Rounded32> bound(1, 1, stored(stored(expected(0, 0), Dtype::f32), Dtype::f32));
    EXPECT_TRUE(agrees({"GradientNorm.norm", std::to_string(size), kSeed + 1},
                       Grid<double>(1, 1, measured_norm(gradient)), bound, Dtype::f32));
  }
}

// fp32 squares would overflow, vanish, or lose the small ones beside the large one.
TEST(GradientNorm, SumsInDouble) {
  EXPECT_FLOAT_EQ(static_cast<float>(measured_norm(Grid<double>(1, 4, 0x1.0p100))), 0x1.0p101f);
  EXPECT_FLOAT_EQ(static_cast<float>(measured_norm(Grid<double>(1, 4, 0x1.0p-100))), 0x1.0p-99f);
  Grid<double> mixed(1, 1 + 300'000, 0x1.0p-12);
  mixed(0, 0) = 1.0;
  EXPECT_FLOAT_EQ(static_cast<float>(measured_norm(mixed)), static_cast<float>(std::sqrt(1.0 + 300'000 * 0x1.0p-24)));
}

}  // namespace optimizer_test
}  // namespace phasor
