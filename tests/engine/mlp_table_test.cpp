#include "reference/mlp_table.h"

#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/compare.h"
#include "support/threads.h"

namespace phasor {
namespace mlp_table_test {

using namespace testing_support;
using reference::Complex;
using reference::lift;
using reference::Mlp;
using reference::Rounded32;

constexpr uint64_t kSeed = 154;

struct MlpCase {
  const char* name;
  int64_t rows, columns, hidden, heads;
  bool limited = false;  // each row has columns of its own
};

void PrintTo(const MlpCase& c, std::ostream* out) { *out << c.name; }

const std::vector<MlpCase> kSmallCases = {
    {"Plain", 2, 9, 5, 3},
    {"Limited", 4, 7, 6, 2, true},
    {"OneUnit", 1, 5, 1, 1},
};

const std::vector<MlpCase> kCases = {
    {"Fire", 64, 127, 32, 16},   {"FireLimited", 64, 127, 32, 16, true}, {"OneRow", 1, 200, 32, 4},
    {"OneColumn", 70, 1, 16, 8}, {"OddExtents", 37, 65, 19, 5, true},    {"NoRows", 0, 12, 8, 4},
    {"NoColumns", 3, 0, 8, 4},
};

Mlp<double> random_mlp(RandomData& data, const MlpCase& shape) {
  return {data.normal(shape.rows, shape.columns), data.normal(1, shape.hidden), data.normal(1, shape.hidden),
          data.normal(shape.heads, shape.hidden), data.normal(1, shape.heads)};
}

// Any columns, and none for every fifth row.
reference::RowColumns random_limits(RandomData& data, const MlpCase& shape) {
  reference::RowColumns limits;
  const auto columns = static_cast<int32_t>(shape.columns);
  for (int64_t r = 0; r < shape.rows; ++r) {
    const int32_t from = data.integers(1, 0, columns)[0];
    limits.push_back({from, r % 5 == 3 ? from : data.integers(1, from, columns)[0]});
  }
  return limits;
}

struct MlpData {
  explicit MlpData(const MlpCase& mlp_case, uint64_t seed = kSeed) : shape(mlp_case) {
    RandomData data(seed);
    mlp = random_mlp(data, shape);
    gradients = random_mlp(data, shape);
    table = data.normal(shape.heads * shape.rows, shape.columns);
    dtable = data.normal(shape.heads * shape.rows, shape.columns);
    if (shape.limited) limits = random_limits(data, shape);
  }

  MlpCase shape;
  Mlp<double> mlp, gradients;  // gradients: what they hold before
  Grid<double> table, dtable;
  reference::RowColumns limits;
};

// Columns that a row leaves alone must not even be read.
Grid<double> poisoned_outside(Grid<double> grid, const MlpData& data) {
  for (int64_t r = 0; r < grid.rows; ++r) {
    for (int64_t c = 0; c < grid.columns; ++c) {
      if (!reference::within(data.limits, r % data.shape.rows, c)) grid(r, c) = std::nan("");
    }
  }
  return grid;
}

class DeviceMlp {
 public:
  DeviceMlp(Backend& backend, const MlpData& data)
      : x_(backend, Dtype::f32, poisoned_outside(data.mlp.x, data)),
        weight1_(backend, Dtype::f32, data.mlp.weight1),
        bias1_(backend, Dtype::f32, data.mlp.bias1),
        weight2_(backend, Dtype::f32, data.mlp.weight2),
        bias2_(backend, Dtype::f32, data.mlp.bias2),
        limits_(backend, data.limits) {}

  MlpTable get() const {
    MlpTable mlp{.x = x_.view()};
    if (limits_.data() != nullptr) {
      mlp.row_columns = View<const int32_t, 2>(limits_.data()->data(), limits_.view().size(), 2);
    }
    mlp.weight1 = weight1_.flat();
    mlp.bias1 = bias1_.flat();
    mlp.weight2 = weight2_.view();
    mlp.bias2 = bias2_.flat();
    return mlp;
  }

 private:
  DeviceMatrix x_, weight1_, bias1_, weight2_, bias2_;
  DeviceArray<std::array<int32_t, 2>> limits_;
};

struct Outputs {
  Grid<double> table;
  Mlp<double> gradients;
  std::vector<Bytes> images;
};

Outputs run(Backend& backend, const MlpData& data) {
  const DeviceMlp mlp(backend, data);
  const DeviceMatrix table(backend, Dtype::f32, data.table);
  backend.run(MlpTableForward{table.view(), mlp.get()});

  const DeviceMatrix dtable(backend, Dtype::f32, poisoned_outside(data.dtable, data));
  const DeviceMatrix dx(backend, Dtype::f32, data.gradients.x);
  const DeviceMatrix dweight1(backend, Dtype::f32, data.gradients.weight1);
  const DeviceMatrix dbias1(backend, Dtype::f32, data.gradients.bias1);
  const DeviceMatrix dweight2(backend, Dtype::f32, data.gradients.weight2);
  const DeviceMatrix dbias2(backend, Dtype::f32, data.gradients.bias2);
  MlpTableBackward op{.dx = dx.view(), .dweight1 = dweight1.flat(), .dbias1 = dbias1.flat()};
  op.dweight2 = dweight2.view();
  op.dbias2 = dbias2.flat();
  op.dtable = dtable.view();
  op.mlp = mlp.get();
  backend.run(op);
  return {table.read(data.table.rows),
          {dx.read(data.mlp.x.rows), dweight1.read(1), dbias1.read(1), dweight2.read(data.mlp.weight2.rows),
           dbias2.read(1)},
          {table.download(), dx.download(), dweight1.download(), dbias1.download(), dweight2.download(),
           dbias2.download()}};
}

Mlp<Rounded32> expected_gradients(const MlpData& data) {
  return mlp_table_backward(lift<Rounded32>(data.gradients), lift<Rounded32>(data.dtable), lift<Rounded32>(data.mlp),
                            data.limits);
}

void expect_gradients(const MlpData& data, const Mlp<double>& got, const Mlp<Rounded32>& expected) {
  const auto where = [&](const char* family) { return Where{family, data.shape.name, kSeed}; };
  EXPECT_TRUE(agrees(where("MlpTableBackward.dx"), got.x, expected.x, Dtype::f32));
  EXPECT_TRUE(agrees(where("MlpTableBackward.dweight1"), got.weight1, expected.weight1, Dtype::f32));
  EXPECT_TRUE(agrees(where("MlpTableBackward.dbias1"), got.bias1, expected.bias1, Dtype::f32));
  EXPECT_TRUE(agrees(where("MlpTableBackward.dweight2"), got.weight2, expected.weight2, Dtype::f32));
  EXPECT_TRUE(agrees(where("MlpTableBackward.dbias2"), got.bias2, expected.bias2, Dtype::f32));
}

class MlpTableTest : public testing::TestWithParam<MlpCase> {};

TEST_P(MlpTableTest, IsTheFormula) {
  const MlpData data(GetParam());
  const Outputs got = run(test_backend(), data);
  const auto expected = mlp_table(lift<Rounded32>(data.table), lift<Rounded32>(data.mlp), data.limits);
  EXPECT_TRUE(agrees({"MlpTableForward.table", GetParam().name, kSeed}, got.table, expected, Dtype::f32));
  expect_gradients(data, got.gradients, expected_gradients(data));
}

TEST_P(MlpTableTest, SameBitsOnAnyThreads) {
  const MlpData data(GetParam());
  expect_same_bits_on_any_threads([&](Backend& backend) { return run(backend, data).images; });
}

const auto kCaseName = [](const auto& tested) { return tested.param.name; };
INSTANTIATE_TEST_SUITE_P(Cases, MlpTableTest, testing::ValuesIn(kCases), kCaseName);

// A complex step never crosses the kink of relu: the branch is taken by the real part.
class MlpTableGradient : public testing::TestWithParam<MlpCase> {};

TEST_P(MlpTableGradient, BackwardIsTheComplexStep) {
  const MlpData data(GetParam());
  auto expected = expected_gradients(data);
  const auto take = [&](Grid<double> Mlp<double>::*from, Grid<Complex> Mlp<Complex>::*by,
                        Grid<Rounded32> Mlp<Rounded32>::*to) {
    Mlp<Complex> mlp = lift<Complex>(data.mlp);
    const auto gradient = reference::complex_step_gradient(
        [&](const Grid<Complex>& z) {
          mlp.*by = z;
          return dot(data.dtable, mlp_table(lift<Complex>(data.table), mlp, data.limits));
        },
        data.mlp.*from);
    expected.*to = with_values(expected.*to, added(data.gradients.*from, gradient));
  };
  take(&Mlp<double>::x, &Mlp<Complex>::x, &Mlp<Rounded32>::x);
  take(&Mlp<double>::weight1, &Mlp<Complex>::weight1, &Mlp<Rounded32>::weight1);
  take(&Mlp<double>::bias1, &Mlp<Complex>::bias1, &Mlp<Rounded32>::bias1);
  take(&Mlp<double>::weight2, &Mlp<Complex>::weight2, &Mlp<Rounded32>::weight2);
  take(&Mlp<double>::bias2, &Mlp<Complex>::bias2, &Mlp<Rounded32>::bias2);
  expect_gradients(data, run(test_backend(), data).gradients, expected);
}

INSTANTIATE_TEST_SUITE_P(Small, MlpTableGradient, testing::ValuesIn(kSmallCases), kCaseName);

// relu'(0) = 0: at x = 0 and without biases nothing comes back to the first layer.
TEST(MlpTable, AtTheKinkTheSlopeIsZero) {
  MlpData data({"Kink", 3, 20, 8, 4});
  data.mlp.x = Grid<double>(3, 20);
  data.mlp.bias1 = Grid<double>(1, 8);
  const Mlp<double> got = run(test_backend(), data).gradients;
  EXPECT_EQ(got.x.data, data.gradients.x.data);
  EXPECT_EQ(got.weight1.data, data.gradients.weight1.data);
  EXPECT_EQ(got.bias1.data, data.gradients.bias1.data);
  EXPECT_EQ(got.weight2.data, data.gradients.weight2.data);
  EXPECT_NE(got.bias2.data, data.gradients.bias2.data);
}

}  // namespace mlp_table_test
}  // namespace phasor
