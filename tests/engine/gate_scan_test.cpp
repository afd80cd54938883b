#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/compare.h"
#include "support/gate_scan_case.h"
#include "support/threads.h"

namespace phasor {
namespace gate_scan_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

constexpr uint64_t kSeed = 171;

#define PHASOR_SKIP_WITHOUT_GATES() \
  if (tested_device() != kDefaultDevice) GTEST_SKIP() << "the cuda backend refuses gates"

class GateScanTest : public testing::TestWithParam<GateCase> {};

INSTANTIATE_TEST_SUITE_P(Cases, GateScanTest, testing::ValuesIn(gate_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(GateScanTest, BothPassesAreTheFormula) {
  PHASOR_SKIP_WITHOUT_GATES();
  const GateData data(GetParam(), kSeed);
  const auto z = lift<Rounded32>(data.z);
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16}) {
    const GateOutputs got = run_gates(test_backend(), data, dtype);
    EXPECT_TRUE(agrees({"GateScanForward.sums", GetParam().name, kSeed}, got.sums, data.sums(z), Dtype::f32));
    EXPECT_TRUE(agrees({"GateScanBackward.dz", GetParam().name, kSeed}, got.dz, data.gradient(z), dtype));
    EXPECT_EQ(got.spoiled, 0);
  }
}

TEST_P(GateScanTest, BackwardIsTheComplexStep) {
  PHASOR_SKIP_WITHOUT_GATES();
  GateCase shape = GetParam();
  if (!shape.lengths.empty()) shape.lengths = {1, 5, 2};
  const GateData data(shape, kSeed + 1);
  const GateOutputs got = run_gates(test_backend(), data, Dtype::f32);
  const Grid<double> truth =
      reference::complex_step_gradient([&](const Grid<Complex>& z) { return dot(data.dsums, data.sums(z)); }, data.z);
  const auto bounds = data.gradient(lift<Rounded32>(data.z));
  EXPECT_TRUE(agrees({"GateScanBackward.dz", shape.name, kSeed + 1}, got.dz, with_values(bounds, truth), Dtype::f32));
}

TEST_P(GateScanTest, TheSameBitsOnAnyThreads) {
  PHASOR_SKIP_WITHOUT_GATES();
  const GateData data(GetParam(), kSeed);
  expect_same_bits_on_any_threads([&](Backend& backend) { return run_gates(backend, data, Dtype::f32).images; });
}

TEST_P(GateScanTest, ABatchIsItsSequencesAlone) {
  PHASOR_SKIP_WITHOUT_GATES();
  const GateData batch(GetParam(), kSeed);
  const GateOutputs together = run_gates(test_backend(), batch, Dtype::f32);
  for (int64_t s = 0; s < batch.batch.sequences(); ++s) {
    const int64_t begin = batch.batch.offsets[static_cast<size_t>(s)];
    const int64_t n = batch.batch.offsets[static_cast<size_t>(s) + 1] - begin;
    const auto rows_of = [&](const Grid<double>& grid) {
      Grid<double> part(n, grid.columns);
      std::copy_n(grid.data.begin() + begin * grid.columns, n * grid.columns, part.data.begin());
      return part;
    };
    GateData one = batch;
    one.batch = make_batch(one.data, {static_cast<int32_t>(n)});
    one.z = rows_of(batch.z);
    one.dsums = rows_of(batch.dsums);
    const GateOutputs got = run_gates(test_backend(), one, Dtype::f32);
    EXPECT_EQ(got.sums.data, rows_of(together.sums).data) << "sequence " << s;
    EXPECT_EQ(got.dz.data, rows_of(together.dz).data) << "sequence " << s;
  }
}

// Far out the gate is its line on one side and e^-|z| on the other, to the accuracy of that number however small.
TEST(GateScan, EndsAreRight) {
  PHASOR_SKIP_WITHOUT_GATES();
  const std::vector<double> ends = {-1e30, -1000.0, -88.0, -87.0, -30.0, -17.0, -16.5, -1.0, -1e-3, -1e-20,
                                    0.0,   1e-20,   1e-3,  1.0,   16.0,  17.0,  30.0,  80.0, 87.0,  1000.0};
  for (const GateMap map : {GateMap::log_sigmoid, GateMap::minus_softplus}) {
    // Each alone: a sum would hide the small ones.
    GateCase shape{"Ends", std::vector<int32_t>(ends.size(), 1), {0}, 1, map};
    GateData data(shape, kSeed);
    for (size_t t = 0; t < ends.size(); ++t) data.z.data[t] = representable(ends[t], Dtype::f32);
    const GateOutputs got = run_gates(test_backend(), data, Dtype::f32);
    const auto z = lift<Rounded32>(data.z);
    EXPECT_TRUE(agrees({"GateScanForward.sums", "Ends", kSeed}, got.sums, data.sums(z), Dtype::f32));
    EXPECT_TRUE(agrees({"GateScanBackward.dz", "Ends", kSeed}, got.dz, data.gradient(z), Dtype::f32));
  }
}

// Numbers that fp32 could not hold: every difference of two sums stays exact.
TEST(GateScan, LongSequencesLoseNothing) {
  PHASOR_SKIP_WITHOUT_GATES();
  constexpr int32_t kLength = 20'000;
  GateData data({"Long", {kLength}, {0}, 1}, kSeed);
  // log sigmoid(z) is z itself there.
  for (double& z : data.z.data) z = -1001.0;
  const GateOutputs got = run_gates(test_backend(), data, Dtype::f32);
  for (int64_t t = 0; t < kLength; ++t) ASSERT_EQ(got.sums(t, 0), -1001.0 * static_cast<double>(t + 1));
}

// 1e-5 of a gate. In sums bounds are those of fp32, which the engine's are not: one gate each.
TEST(GateScan, OneTermIsSeen) {
  PHASOR_SKIP_WITHOUT_GATES();
  const GateData data({"OneTerm", std::vector<int32_t>(30, 1), {0}, 1}, kSeed);
  const GateOutputs got = run_gates(test_backend(), data, Dtype::f32);
  const auto expected = data.sums(lift<Rounded32>(data.z));
  EXPECT_LE(compare(got.sums, expected, Dtype::f32).worst_ratio, 1.0);
  Grid<double> wrong = got.sums;
  wrong(10, 0) += 1e-5 * reference::gate(data.shape.map, data.z(10, 0));
  EXPECT_GT(compare(wrong, expected, Dtype::f32).worst_ratio, 1.0);
}

}  // namespace gate_scan_test
}  // namespace phasor
