// The libraries behind the CPU backend's products, each against the formula and all against each other.
#include "phasor/engine/cpu/gemm.h"

#include <gtest/gtest.h>

#include "reference/linear.h"
#include "support/backend.h"
#include "support/compare.h"
#include "support/device.h"

namespace phasor {
namespace gemm_test {

using namespace testing_support;
using reference::lift;
using reference::Rounded32;

constexpr uint64_t kSeed = 151;

struct Precision {
  Dtype operands, result;
};

constexpr Precision kPrecisions[] = {{Dtype::f32, Dtype::f32}, {Dtype::bf16, Dtype::f32}, {Dtype::bf16, Dtype::bf16}};

struct GemmCase {
  int64_t m, n, k;
  bool a_transposed, b_transposed, accumulate;
};

class GemmTest : public testing::TestWithParam<GemmCase> {
 protected:
  static std::string text(const GemmCase& c) {
    return fmt::format("{}x{}x{}{}{}{}", c.m, c.n, c.k, c.a_transposed ? " a^T" : "", c.b_transposed ? " b^T" : "",
                       c.accumulate ? " +=" : "");
  }

  // c [m, n] as the library makes it, from a [m, k] and b [n, k] stored as the case says, in strided memory.
  static DeviceMatrix multiply(const Gemm& gemm, const GemmCase& c, Dtype operands, Dtype result, const Grid<double>& a,
                               const Grid<double>& b, const Grid<double>& start) {
    static const std::unique_ptr<Backend> cpu = make_backend("cpu");  // whose memory the libraries read
    Backend& backend = *cpu;
    const DeviceMatrix device_a(backend, operands, c.a_transposed ? reference::transposed(a) : a, 0, 3);
    const DeviceMatrix device_b(backend, operands, c.b_transposed ? b : reference::transposed(b), 0, 5);
    DeviceMatrix device_c(backend, result, c.m, c.n, 2);
    if (c.accumulate) device_c.write(start);
    const Matrix am = device_a.matrix(), bm = device_b.matrix(), cm = device_c.matrix();
    gemm.multiply({.m = c.m,
                   .n = c.n,
                   .k = c.k,
                   .operands = operands,
                   .a = am.data(),
                   .a_stride = am.stride(),
                   .a_transposed = c.a_transposed,
                   .b = bm.data(),
                   .b_stride = bm.stride(),
                   .b_transposed = c.b_transposed,
                   .c = cm.data(),
                   .c_stride = cm.stride(),
                   .result = result,
                   .accumulate = c.accumulate});
    return device_c;
  }
};

TEST_P(GemmTest, EveryLibraryIsTheFormula) {
  const GemmCase& c = GetParam();
  const std::vector<std::unique_ptr<Gemm>> gemms = available_gemms();
  ASSERT_FALSE(gemms.empty());
  for (const Precision& precision : kPrecisions) {
    RandomData data(kSeed);
    const Grid<double> a = data.normal(c.m, c.k, precision.operands);
    const Grid<double> b = data.normal(c.n, c.k, precision.operands);
    const Grid<double> start = data.normal(c.m, c.n);
    if (precision.result == Dtype::bf16 && c.accumulate) continue;  // fp32 results only
    auto expected = reference::product(lift<Rounded32>(a), lift<Rounded32>(b));
    if (c.accumulate) expected = added(lift<Rounded32>(start), expected);
    for (const std::unique_ptr<Gemm>& gemm : gemms) {
      if (!gemm->supports(precision.operands)) continue;
      const DeviceMatrix got = multiply(*gemm, c, precision.operands, precision.result, a, b, start);
      EXPECT_TRUE(agrees({"Gemm " + gemm->name(), text(c), kSeed}, got.read(c.m), expected, precision.result));
      EXPECT_EQ(got.spoiled_beyond(c.m), 0) << gemm->name();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GemmTest,
                         testing::Values(GemmCase{1, 1, 1, false, false, false},
                                         GemmCase{17, 33, 20, false, true, false},
                                         GemmCase{64, 48, 130, false, false, false},
                                         GemmCase{20, 6, 70, true, false, true}, GemmCase{33, 65, 9, true, true, true},
                                         GemmCase{130, 16, 512, false, true, true},
                                         GemmCase{6, 200, 33, false, false, true}));

}  // namespace gemm_test
}  // namespace phasor
