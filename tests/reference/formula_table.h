#pragma once
// A few formulas of encodings, each as the program that an engine runs and as it stands on paper.
#include <array>

#include "phasor/formula/program.h"
#include "reference/grid.h"
#include "reference/rounded.h"
#include "reference/row_columns.h"
#include "reference/scalar.h"

namespace phasor::reference {

// Of a distance d that changes with the column, and a position p that changes with the row.
enum class PaperFormula : uint8_t {
  kerple,  // -a log(1 + b |d|)
  fire,    // log(1 + c |d|) / log(1 + c max(l, p))
  scaled,  // -|d| / sqrt(p + 1), nothing learned
};

inline FormulaProgram program_of(PaperFormula formula) {
  using enum FormulaOpcode;
  switch (formula) {
    case PaperFormula::kerple:
      return {.instructions = {{parameter, 0},
                               {parameter, 1},
                               {column_variable, 0},
                               {abs, 2},
                               {multiply, 1, 3},
                               {constant, 0, 0, 1.0},
                               {add, 5, 4},
                               {log, 6},
                               {multiply, 0, 7},
                               {negate, 8}},
              .row_variables = 0,
              .column_variables = 1,
              .parameters = 2};
    case PaperFormula::fire:
      return {.instructions = {{parameter, 0},
                               {column_variable, 0},
                               {abs, 1},
                               {multiply, 0, 2},
                               {constant, 0, 0, 1.0},
                               {add, 4, 3},
                               {log, 5},
                               {parameter, 1},
                               {row_variable, 0},
                               {max, 7, 8},
                               {multiply, 0, 9},
                               {add, 4, 10},
                               {log, 11},
                               {divide, 6, 12}},
              .row_variables = 1,
              .column_variables = 1,
              .parameters = 2};
    case PaperFormula::scaled:
      return {.instructions = {{column_variable, 0},
                               {abs, 0},
                               {negate, 1},
                               {row_variable, 0},
                               {constant, 0, 0, 1.0},
                               {add, 3, 4},
                               {sqrt, 5},
                               {divide, 2, 6}},
              .row_variables = 1,
              .column_variables = 1,
              .parameters = 0};
  }
  return {};
}

template <class S>
using TwoNumbers = std::array<S, 2>;

template <class S>
S formula_value(PaperFormula formula, double position, double distance, const TwoNumbers<S>& learned) {
  using std::log;
  using std::sqrt;
  const S far(std::abs(distance));
  const S one(1.0);
  if (formula == PaperFormula::scaled) return -far / sqrt(S(position) + one);
  const auto& [first, second] = learned;
  if (formula == PaperFormula::kerple) return -(first * log(one + second * far));
  const S length = value_of(second) > position ? second : S(position);
  return log(one + first * far) / log(one + first * length);
}

// The derivatives by the learned numbers.
template <class S>
TwoNumbers<S> formula_slopes(PaperFormula formula, double position, double distance, const TwoNumbers<S>& learned) {
  using std::log;
  const S far(std::abs(distance));
  const S one(1.0);
  const auto& [first, second] = learned;
  if (formula == PaperFormula::scaled) return {S(0.0), S(0.0)};
  if (formula == PaperFormula::kerple) {
    const S inner = one + second * far;
    return {-log(inner), -(first * (far / inner))};
  }
  const bool short_of = value_of(second) > position;
  const S length = short_of ? second : S(position);
  const S above = one + first * far;
  const S below = one + first * length;
  const S ratio = log(above) / log(below);
  const S by_below = -(ratio / log(below)) / below;
  return {far / above / log(below) + by_below * length, short_of ? by_below * first : S(0.0)};
}

// A table as FormulaTable describes it.
struct FormulaGrid {
  PaperFormula formula = PaperFormula::kerple;
  std::vector<double> positions;  // [rows]
  std::vector<double> distances;  // [columns]
  std::vector<int32_t> row_group;
  RowColumns limits;
  std::vector<std::array<int32_t, 2>> place;  // of each learned number: where group 0 has it, and the stride

  int64_t rows() const { return static_cast<int64_t>(positions.size()); }
  int64_t columns() const { return static_cast<int64_t>(distances.size()); }
  bool fills(int64_t row, int64_t column) const {
    return row_group[static_cast<size_t>(row)] >= 0 && within(limits, row, column);
  }
  int64_t place_of(size_t learned, int64_t row) const {
    return place[learned][0] + row_group[static_cast<size_t>(row)] * place[learned][1];
  }
  template <class S>
  TwoNumbers<S> learned(const Grid<S>& parameters, int64_t row) const {
    TwoNumbers<S> numbers{S(0.0), S(0.0)};
    for (size_t k = 0; k < place.size(); ++k) numbers[k] = parameters(0, place_of(k, row));
    return numbers;
  }
  double position(int64_t row) const { return positions[static_cast<size_t>(row)]; }
  double distance(int64_t column) const { return distances[static_cast<size_t>(column)]; }
};

// Bounds are proportional to the rounding unit: the same operations in double.
inline Rounded32 in_double(const Rounded32& x) { return {x.value, x.error * 0x1.0p-29}; }
template <class S>
S in_double(const S& x) {
  return x;
}

// What an engine rounds to fp32 before it adds it.
inline Rounded32 to_fp32(const Rounded32& x) { return stored(x, Dtype::f32); }
template <class S>
S to_fp32(const S& x) {
  return x;
}

template <class S>
Grid<S> formula_table(Grid<S> table, const FormulaGrid& grid, const Grid<S>& parameters) {
  for (int64_t r = 0; r < grid.rows(); ++r) {
    for (int64_t c = 0; c < grid.columns(); ++c) {
      if (!grid.fills(r, c)) continue;
      const S value = formula_value(grid.formula, grid.position(r), grid.distance(c), grid.learned(parameters, r));
      table(r, c) += to_fp32(in_double(value));
    }
  }
  return table;
}

// dparameters + the gradients of dot(dtable, formula_table).
template <class S>
Grid<S> formula_table_backward(Grid<S> dparameters, const FormulaGrid& grid, const Grid<S>& dtable,
                               const Grid<S>& parameters) {
  std::vector<Sum<S>> sums(dparameters.data.size());
  std::vector<bool> received(dparameters.data.size());
  for (int64_t r = 0; r < grid.rows(); ++r) {
    for (int64_t c = 0; c < grid.columns(); ++c) {
      if (!grid.fills(r, c)) continue;
      const auto slopes = formula_slopes(grid.formula, grid.position(r), grid.distance(c), grid.learned(parameters, r));
      for (size_t k = 0; k < grid.place.size(); ++k) {
        const auto at = static_cast<size_t>(grid.place_of(k, r));
        sums[at].add(dtable(r, c) * slopes[k]);
        received[at] = true;
      }
    }
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    if (received[i]) dparameters.data[i] += in_double(sums[i].total());
  }
  return dparameters;
}

}  // namespace phasor::reference
