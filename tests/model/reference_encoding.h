#pragma once
// The learned tables of an encoding as on paper, templated on the scalar: parameters to table, entry by entry.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/encoding/resolve/resolved.h"
#include "reference/grid.h"
#include "reference/scalar.h"

namespace phasor::testing_support {

// x^y for positive x, and for exponents that are no variables.
template <class S>
S raised(const S& x, const S& y) {
  using reference::value_of;
  using std::exp;
  using std::log;
  if (value_of(x) > 0.0) return exp(y * log(x));
  if (value_of(x) == 0.0 && value_of(y) > 0.0) return S(0.0);
  fail("the reference has no power {}^{}", value_of(x), value_of(y));
}

// A program's value at one place. Functions without a derivative there have none here.
template <class S>
S formula_value(const FormulaProgram& program, const std::vector<double>& row, const std::vector<double>& column,
                const std::vector<S>& parameters) {
  using reference::value_of;
  using std::cos;
  using std::exp;
  using std::log;
  using std::sin;
  using std::sqrt;
  std::vector<S> values;
  for (const FormulaInstruction& step : program.instructions) {
    const auto at = [&](int32_t place) { return values[static_cast<size_t>(place)]; };
    const auto flag = [](bool yes) { return S(yes ? 1.0 : 0.0); };
    const auto number = [&](int32_t place) { return value_of(at(place)); };
    switch (step.opcode) {
      case FormulaOpcode::constant:
        values.push_back(S(step.constant));
        break;
      case FormulaOpcode::row_variable:
        values.push_back(S(row[static_cast<size_t>(step.a)]));
        break;
      case FormulaOpcode::column_variable:
        values.push_back(S(column[static_cast<size_t>(step.a)]));
        break;
      case FormulaOpcode::parameter:
        values.push_back(parameters[static_cast<size_t>(step.a)]);
        break;
      case FormulaOpcode::add:
        values.push_back(at(step.a) + at(step.b));
        break;
      case FormulaOpcode::subtract:
        values.push_back(at(step.a) - at(step.b));
        break;
      case FormulaOpcode::multiply:
        values.push_back(at(step.a) * at(step.b));
        break;
      case FormulaOpcode::divide:
        values.push_back(at(step.a) / at(step.b));
        break;
      case FormulaOpcode::power:
        values.push_back(raised(at(step.a), at(step.b)));
        break;
      case FormulaOpcode::negate:
        values.push_back(S(0.0) - at(step.a));
        break;
      case FormulaOpcode::abs:
        values.push_back(number(step.a) < 0.0 ? S(0.0) - at(step.a) : at(step.a));
        break;
      case FormulaOpcode::sign:
        values.push_back(S(number(step.a) > 0.0 ? 1.0 : number(step.a) < 0.0 ? -1.0 : 0.0));
        break;
      case FormulaOpcode::log:
        values.push_back(log(at(step.a)));
        break;
      case FormulaOpcode::exp:
        values.push_back(exp(at(step.a)));
        break;
      case FormulaOpcode::sqrt:
        values.push_back(sqrt(at(step.a)));
        break;
      case FormulaOpcode::sin:
        values.push_back(sin(at(step.a)));
        break;
      case FormulaOpcode::cos:
        values.push_back(cos(at(step.a)));
        break;
      case FormulaOpcode::tanh: {
        const S e = exp(at(step.a) + at(step.a));
        values.push_back((e - S(1.0)) / (e + S(1.0)));
        break;
      }
      case FormulaOpcode::min:
        values.push_back(number(step.a) < number(step.b) ? at(step.a) : at(step.b));
        break;
      case FormulaOpcode::max:
        values.push_back(number(step.a) > number(step.b) ? at(step.a) : at(step.b));
        break;
      case FormulaOpcode::floor:
        values.push_back(S(std::floor(number(step.a))));
        break;
      case FormulaOpcode::less:
        values.push_back(flag(number(step.a) < number(step.b)));
        break;
      case FormulaOpcode::less_equal:
        values.push_back(flag(number(step.a) <= number(step.b)));
        break;
      case FormulaOpcode::greater:
        values.push_back(flag(number(step.a) > number(step.b)));
        break;
      case FormulaOpcode::greater_equal:
        values.push_back(flag(number(step.a) >= number(step.b)));
        break;
      case FormulaOpcode::equal:
        values.push_back(flag(number(step.a) == number(step.b)));
        break;
      case FormulaOpcode::not_equal:
        values.push_back(flag(number(step.a) != number(step.b)));
        break;
    }
  }
  return values.back();
}

template <class S>
class ReferenceTable {
 public:
  using Grid = reference::Grid<S>;
  using Parameter = std::function<Grid(int64_t place)>;  // by place in ResolvedEncoding::parameters

  static Grid of(const Table& fixed, const std::vector<TableSource>& sources, const Parameter& parameter) {
    Grid grid(fixed.rows, fixed.columns);
    grid.data.assign(fixed.values.begin(), fixed.values.end());
    for (const TableSource& source : sources) {
      if (const auto* gather = std::get_if<GatherSource>(&source)) add(grid, *gather, parameter);
      if (const auto* formula = std::get_if<FormulaSource>(&source)) add(grid, *formula, parameter);
      if (const auto* mlp = std::get_if<MlpSource>(&source)) add(grid, *mlp, parameter);
      if (const auto* product = std::get_if<ProductSource>(&source)) add(grid, *product, parameter);
    }
    return grid;
  }

 private:
  static void add(Grid& grid, const GatherSource& source, const Parameter& parameter) {
    const Grid values = parameter(source.parameter);
    for (size_t e = 0; e < source.index.size(); ++e) {
      if (source.index[e] >= 0) grid.data[e] += values.data[static_cast<size_t>(source.index[e])];
    }
  }

  static void add(Grid& grid, const ProductSource& source, const Parameter& parameter) {
    const Grid weight = parameter(source.parameter);
    const Table& factors = *source.factors;
    for (int64_t r = 0; r < factors.rows; ++r) {
      for (int64_t c = 0; c < source.columns; ++c) {
        reference::Sum<S> sum;
        for (int64_t k = 0; k < factors.columns; ++k) {
          sum.add(S(factors(r, k)) * weight.data[static_cast<size_t>((source.first + c) * factors.columns + k)]);
        }
        grid(r, source.first_column + c) += sum.total();
      }
    }
  }

  static bool covered(const FormulaSource& source, int64_t row, int64_t column) {
    const auto r = static_cast<size_t>(row);
    if (source.row_group[r] < 0) return false;
    return source.columns.empty() || (column >= source.columns[r][0] && column < source.columns[r][1]);
  }

  static void add(Grid& grid, const FormulaSource& source, const Parameter& parameter) {
    for (int64_t r = 0; r < grid.rows; ++r) {
      std::vector<S> parameters;
      const int32_t group = source.row_group[static_cast<size_t>(r)];
      for (const FormulaSource::Argument& argument : source.arguments) {
        const Grid values = parameter(argument.parameter);
        parameters.push_back(values.data[static_cast<size_t>(std::max(group, 0) * argument.stride)]);
      }
      std::vector<double> row;
      for (int64_t v = 0; v < source.row_values.rows; ++v) row.push_back(source.row_values(v, r));
      for (int64_t c = 0; c < grid.columns; ++c) {
        if (!covered(source, r, c)) continue;
        std::vector<double> column;
        for (int64_t v = 0; v < source.column_values.rows; ++v) column.push_back(source.column_values(v, c));
        grid(r, c) += formula_value(source.program, row, column, parameters);
      }
    }
  }

  static void add(Grid& grid, const MlpSource& source, const Parameter& parameter) {
    using reference::value_of;
    const auto rows = static_cast<int64_t>(source.x.row_group.size());
    Grid x(rows, grid.columns);
    add(x, source.x, parameter);
    const Grid weight1 = parameter(source.weight1);
    const Grid bias1 = parameter(source.bias1);
    const Grid weight2 = parameter(source.weight2);
    const Grid bias2 = parameter(source.bias2);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < grid.columns; ++c) {
        if (!covered(source.x, r, c)) continue;
        for (size_t o = 0; o < source.heads.size(); ++o) {
          S sum = bias2.data[o];
          for (size_t k = 0; k < weight1.data.size(); ++k) {
            const S z = weight1.data[k] * x(r, c) + bias1.data[k];
            if (value_of(z) > 0.0) sum += weight2.data[o * weight1.data.size() + k] * z;
          }
          grid(source.heads[o] * rows + r, c) += sum;
        }
      }
    }
  }
};

}  // namespace phasor::testing_support
