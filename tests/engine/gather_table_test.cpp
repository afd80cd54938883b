#include "reference/gather_table.h"

#include <gtest/gtest.h>

#include <numeric>

#include "reference/complex_step.h"
#include "support/compare.h"
#include "support/threads.h"

namespace phasor {
namespace gather_table_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Rounded32;

constexpr uint64_t kSeed = 151;

// A table's map to the parameters, by name.
struct GatherCase {
  const char* name;
  int64_t parameters;
  std::vector<int32_t> (*index)();
};

void PrintTo(const GatherCase& c, std::ostream* out) { *out << c.name; }

std::vector<int32_t> identity(int64_t entries) {
  std::vector<int32_t> index(static_cast<size_t>(entries));
  std::iota(index.begin(), index.end(), 0);
  return index;
}

// `heads` rows of `columns` entries, each row with its own `buckets` parameters; the last row has the first ones.
std::vector<int32_t> rows_backwards(int32_t heads, int32_t columns, int32_t buckets) {
  std::vector<int32_t> index;
  for (int32_t h = heads - 1; h >= 0; --h) {
    for (int32_t c = 0; c < columns; ++c) index.push_back(h * buckets + c % buckets);
  }
  return index;
}

std::vector<int32_t> anywhere(int64_t entries, int32_t lowest, int32_t highest) {
  return RandomData(kSeed + 1).integers(entries, lowest, highest);
}

const std::vector<GatherCase> kSmallCases = {
    {"Identity", 37, [] { return identity(37); }},
    {"Buckets", 12, [] { return rows_backwards(3, 21, 4); }},
    {"SomeLeftOut", 5, [] { return anywhere(90, -3, 4); }},
    {"AllLeftOut", 3, [] { return std::vector<int32_t>(20, -1); }},
    {"OneParameter", 1, [] { return std::vector<int32_t>(50, 0); }},
    {"NoEntries", 4, [] { return std::vector<int32_t>(); }},
};

// More entries than one thread would take, in chunks that share parameters or do not.
const std::vector<GatherCase> kLargeCases = {
    {"Identity", 300'001, [] { return identity(300'001); }},
    {"RowsBackwards", 160, [] { return rows_backwards(5, 1 << 15, 32); }},
    {"NeighboursShare", 1000, [] { return rows_backwards(10, 20'000, 100); }},
    {"OneParameter", 1, [] { return std::vector<int32_t>(1'000'000, 0); }},
    {"AnyOrder", 70'000, [] { return anywhere(200'000, -20'000, 69'999); }},
    {"ChunksLeftOut", 90'000,
     [] {
       std::vector<int32_t> index = identity(90'000);
       std::fill(index.begin() + 10'000, index.begin() + 60'000, -1);
       return index;
     }},
};

const auto kCaseName = [](const auto& tested) { return tested.param.name; };

class GatherTableTest : public testing::TestWithParam<GatherCase> {
 protected:
  GatherTableTest() : index(GetParam().index()) {}
  int64_t entries() const { return static_cast<int64_t>(index.size()); }
  Where where(const char* family) const { return {family, GetParam().name, kSeed}; }

  std::vector<int32_t> index;
  RandomData data{kSeed};
  Grid<double> parameter = data.normal(1, GetParam().parameters);
  Grid<double> dparameter = data.normal(1, GetParam().parameters);
  Grid<double> table = data.normal(1, entries());
  Grid<double> dtable = data.normal(1, entries());
};

DeviceMatrix run_forward(Backend& backend, const Grid<double>& table, const Grid<double>& parameter,
                         const std::vector<int32_t>& index) {
  DeviceMatrix device_table(backend, Dtype::f32, table);
  const DeviceMatrix device_parameter(backend, Dtype::f32, parameter);
  const DeviceArray<int32_t> device_index(backend, index);
  backend.run(GatherTableForward{device_table.flat(), device_parameter.flat(), device_index.view()});
  return device_table;
}

DeviceMatrix run_backward(Backend& backend, const Grid<double>& dparameter, const Grid<double>& dtable,
                          const std::vector<int32_t>& index) {
  DeviceMatrix device_dparameter(backend, Dtype::f32, dparameter);
  const DeviceMatrix device_dtable(backend, Dtype::f32, dtable);
  const DeviceArray<int32_t> device_index(backend, index);
  backend.run(GatherTableBackward{device_dparameter.flat(), device_dtable.flat(), device_index.view()});
  return device_dparameter;
}

TEST_P(GatherTableTest, ForwardAddsTheParameters) {
  const Grid<double> got = run_forward(test_backend(), table, parameter, index).read(1);
  const auto expected = reference::gather_table(lift<Rounded32>(table), lift<Rounded32>(parameter), index);
  EXPECT_TRUE(agrees(where("GatherTableForward.table"), got, expected, Dtype::f32));
}

TEST_P(GatherTableTest, BackwardIsTheComplexStep) {
  const Grid<double> got = run_backward(test_backend(), dparameter, dtable, index).read(1);
  const auto gradient = reference::complex_step_gradient(
      [&](const Grid<Complex>& z) { return dot(dtable, reference::gather_table(lift<Complex>(table), z, index)); },
      parameter);
  const auto bounds = reference::gather_table_backward(lift<Rounded32>(dparameter), lift<Rounded32>(dtable), index);
  EXPECT_TRUE(agrees(where("GatherTableBackward.dparameter"), got, with_values(bounds, added(dparameter, gradient)),
                     Dtype::f32));
}

INSTANTIATE_TEST_SUITE_P(Small, GatherTableTest, testing::ValuesIn(kSmallCases), kCaseName);

class LargeGatherTable : public GatherTableTest {};

TEST_P(LargeGatherTable, BackwardAddsInTheOrderOfTheEntries) {
  std::vector<float> expected(dparameter.data.begin(), dparameter.data.end());
  for (size_t e = 0; e < index.size(); ++e) {
    if (index[e] >= 0) expected[static_cast<size_t>(index[e])] += static_cast<float>(dtable.data[e]);
  }
  const Grid<double> got = run_backward(test_backend(), dparameter, dtable, index).read(1);
  EXPECT_EQ(got.data, std::vector<double>(expected.begin(), expected.end()));
}

TEST_P(LargeGatherTable, SameBitsOnAnyThreads) {
  expect_same_bits_on_any_threads([&](Backend& backend) -> std::vector<Bytes> {
    return {run_forward(backend, table, parameter, index).download(),
            run_backward(backend, dparameter, dtable, index).download()};
  });
}

INSTANTIATE_TEST_SUITE_P(Large, LargeGatherTable, testing::ValuesIn(kLargeCases), kCaseName);

}  // namespace gather_table_test
}  // namespace phasor
