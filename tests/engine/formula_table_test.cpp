#include "reference/formula_table.h"

#include <gtest/gtest.h>

#include "reference/complex_step.h"
#include "support/compare.h"
#include "support/threads.h"

namespace phasor {
namespace formula_table_test {

using namespace testing_support;
using reference::Complex;
using reference::FormulaGrid;
using reference::lift;
using reference::PaperFormula;
using reference::Rounded32;

constexpr uint64_t kSeed = 155;
constexpr int64_t kParameters = 40;  // a model has more of them than one table reads

struct FormulaCase {
  const char* name;
  PaperFormula formula;
  int64_t rows, columns;
  std::vector<std::array<int32_t, 2>> place;
  int32_t groups = 1;
  bool limited = false;   // each row has columns of its own
  bool left_out = false;  // some rows have no group
};

void PrintTo(const FormulaCase& c, std::ostream* out) { *out << c.name; }

const std::vector<FormulaCase> kCases = {
    {"PerGroup", PaperFormula::kerple, 4, 31, {{3, 1}, {11, 1}}, 4},
    {"Interleaved", PaperFormula::kerple, 9, 17, {{0, 2}, {1, 2}}, 5, false, true},
    {"OneShared", PaperFormula::kerple, 6, 12, {{2, 3}, {30, 0}}, 6},
    {"OnePlace", PaperFormula::kerple, 7, 10, {{4, 1}, {4, 1}}, 3},
    {"PlacesOfOtherGroups", PaperFormula::kerple, 8, 11, {{4, 1}, {5, 1}}, 4},
    {"RowVariable", PaperFormula::fire, 16, 31, {{5, 0}, {7, 0}}, 1, true},
    {"RowVariablePerGroup", PaperFormula::fire, 20, 9, {{8, 1}, {20, 1}}, 3, true, true},
    {"NothingLearned", PaperFormula::scaled, 8, 15, {}, 2, true},
    {"AllLeftOut", PaperFormula::kerple, 5, 8, {{0, 1}, {1, 1}}, 0, false, true},
    {"NoRows", PaperFormula::fire, 0, 5, {{0, 0}, {1, 0}}},
    {"NoColumns", PaperFormula::fire, 5, 0, {{0, 0}, {1, 0}}},
};

const FormulaCase kManyRows{"ManyRows", PaperFormula::fire, 300, 127, {{0, 1}, {20, 0}}, 16, true, true};

struct FormulaData {
  explicit FormulaData(const FormulaCase& shape) {
    RandomData data(kSeed);
    grid.formula = shape.formula;
    grid.place = shape.place;
    const auto columns = static_cast<int32_t>(shape.columns);
    for (int32_t r = 0; r < shape.rows; ++r) {
      grid.positions.push_back(r);
      const bool left_out = shape.left_out && (shape.groups == 0 || r % 3 == 1);
      grid.row_group.push_back(left_out ? -1 : data.integers(1, 0, shape.groups - 1)[0]);
      if (!shape.limited) continue;
      const int32_t from = data.integers(1, 0, columns)[0];
      grid.limits.push_back({from, data.integers(1, from, columns)[0]});
    }
    for (int32_t c = 0; c < columns; ++c) grid.distances.push_back(c - columns / 2);
    // Positive numbers; a length of 5.x lies among the positions.
    parameters = data.normal(1, kParameters);
    for (double& p : parameters.data) p = representable(0.1 + std::abs(p), Dtype::f32);
    if (shape.formula == PaperFormula::fire) {
      for (int64_t i = shape.place[1][0]; i < kParameters; ++i) {
        parameters(0, i) = representable(parameters(0, i) + 5.0, Dtype::f32);
      }
    }
    dparameters = data.normal(1, kParameters);
    table = data.normal(shape.rows, shape.columns);
    dtable = data.normal(shape.rows, shape.columns);
  }

  FormulaGrid grid;
  Grid<double> parameters, dparameters;
  Grid<double> table, dtable;
};

// Entries that are left alone must not even be read.
Grid<double> poisoned_outside(Grid<double> table, const FormulaGrid& grid) {
  for (int64_t r = 0; r < table.rows; ++r) {
    for (int64_t c = 0; c < table.columns; ++c) {
      if (!grid.fills(r, c)) table(r, c) = std::nan("");
    }
  }
  return table;
}

struct Outputs {
  Grid<double> table, dparameters;
  std::vector<Bytes> images;
};

Outputs run(Backend& backend, const FormulaData& data) {
  const FormulaProgram program = program_of(data.grid.formula);
  const DeviceArray<double> positions(backend, data.grid.positions), distances(backend, data.grid.distances);
  const DeviceArray<int32_t> row_group(backend, data.grid.row_group);
  const DeviceArray<std::array<int32_t, 2>> limits(backend, data.grid.limits), place(backend, data.grid.place);
  const DeviceMatrix parameters(backend, Dtype::f32, data.parameters);
  FormulaTable formula{.program = &program};
  if (program.row_variables > 0) {
    formula.row_values = View<const double, 2>(positions.data(), 1, data.grid.rows());
  }
  formula.column_values = View<const double, 2>(distances.data(), 1, data.grid.columns());
  formula.row_group = row_group.view();
  if (!data.grid.limits.empty()) {
    formula.row_columns = View<const int32_t, 2>(limits.data()->data(), data.grid.rows(), 2);
  }
  formula.parameters = parameters.flat();
  if (program.parameters > 0) {
    formula.parameter_place = View<const int32_t, 2>(place.data()->data(), program.parameters, 2);
  }

  const DeviceMatrix table(backend, Dtype::f32, data.table);
  backend.run(FormulaTableForward{table.view(), formula});
  const DeviceMatrix dparameters(backend, Dtype::f32, data.dparameters);
  const DeviceMatrix dtable(backend, Dtype::f32, poisoned_outside(data.dtable, data.grid));
  backend.run(FormulaTableBackward{dparameters.flat(), dtable.view(), formula});
  return {table.read(data.grid.rows()), dparameters.read(1), {table.download(), dparameters.download()}};
}

class FormulaTableTest : public testing::TestWithParam<FormulaCase> {
 protected:
  Where where(const char* family) const { return {family, GetParam().name, kSeed}; }
};

TEST_P(FormulaTableTest, ForwardIsTheFormula) {
  const FormulaData data(GetParam());
  const auto expected = formula_table(lift<Rounded32>(data.table), data.grid, lift<Rounded32>(data.parameters));
  EXPECT_TRUE(agrees(where("FormulaTableForward.table"), run(test_backend(), data).table, expected, Dtype::f32));
}

TEST_P(FormulaTableTest, BackwardIsTheComplexStep) {
  const FormulaData data(GetParam());
  const auto gradient = reference::complex_step_gradient(
      [&](const Grid<Complex>& z) { return dot(data.dtable, formula_table(lift<Complex>(data.table), data.grid, z)); },
      data.parameters);
  const auto bounds = formula_table_backward(lift<Rounded32>(data.dparameters), data.grid, lift<Rounded32>(data.dtable),
                                             lift<Rounded32>(data.parameters));
  EXPECT_TRUE(agrees(where("FormulaTableBackward.dparameters"), run(test_backend(), data).dparameters,
                     with_values(bounds, added(data.dparameters, gradient)), Dtype::f32));
}

INSTANTIATE_TEST_SUITE_P(Cases, FormulaTableTest, testing::ValuesIn([] {
                           std::vector<FormulaCase> cases = kCases;
                           cases.push_back(kManyRows);
                           return cases;
                         }()),
                         [](const auto& tested) { return tested.param.name; });

TEST(FormulaTable, SameBitsOnAnyThreads) {
  const FormulaData data(kManyRows);
  expect_same_bits_on_any_threads([&](Backend& backend) { return run(backend, data).images; });
}

}  // namespace formula_table_test
}  // namespace phasor
