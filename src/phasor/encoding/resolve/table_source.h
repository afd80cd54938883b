#pragma once
// How a learned table comes out of the model's parameters. Each kind is an op of the engine with a gradient;
// here are the numbers that the op needs beside the parameters.
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "phasor/encoding/resolve/table.h"
#include "phasor/formula/program.h"
#include "phasor/random/initial_values.h"

namespace phasor {

// A tensor of the model that an encoding brings along.
struct LearnedParameter {
  std::string name;  // e.g. "encoding.learned.table" or "layers.2.encoding.t5.bias"
  std::vector<int64_t> shape;
  InitialValues initial;
  double least = -std::numeric_limits<double>::infinity();  // kept within these after every update
  double most = std::numeric_limits<double>::infinity();
  std::vector<int64_t> heads = {};  // that the rows of the shape belong to; empty: no head has numbers of its own

  int64_t size() const;
  bool operator==(const LearnedParameter&) const = default;
};

// Parameters are named by their place in ResolvedEncoding::parameters.

// Entry e of the table, row by row, is number index[e] of the parameter; -1: not touched.
struct GatherSource {
  int64_t parameter = 0;
  std::vector<int32_t> index;

  bool operator==(const GatherSource&) const = default;
};

// A formula over rows and columns.
struct FormulaSource {
  // Learned number k of the program, in a row of group g, is number g * stride of the parameter.
  struct Argument {
    int64_t parameter = 0;
    int32_t stride = 0;  // 0: shared between the groups

    bool operator==(const Argument&) const = default;
  };

  FormulaProgram program;
  Table row_values;                             // [program.row_variables, rows]
  Table column_values;                          // [program.column_variables, columns]
  std::vector<int32_t> row_group;               // [rows], -1: the row is not touched
  std::vector<std::array<int32_t, 2>> columns;  // [rows]: from, up to; empty: all
  std::vector<Argument> arguments;              // [program.parameters]

  bool operator==(const FormulaSource&) const = default;
};

// A network with one hidden layer, from a formula's value to one number per head: row head * x.rows + r of the
// table gets what output `head` makes of row r.
struct MlpSource {
  FormulaSource x;
  std::vector<int32_t> heads;                              // [outputs]
  int64_t weight1 = 0, bias1 = 0, weight2 = 0, bias2 = 0;  // [hidden], [hidden], [outputs, hidden], [outputs]

  bool operator==(const MlpSource&) const = default;
};

// A matrix product: columns first_column, first_column + 1, ... of the table get, row by row, the products of the row
// of `factors` with rows first, first + 1, ... of the parameter [.., inner].
struct ProductSource {
  std::shared_ptr<const Table> factors;  // [rows of the table, inner]
  int64_t parameter = 0;
  int64_t first = 0, columns = 0;
  int64_t first_column = 0;

  bool operator==(const ProductSource&) const = default;
};

using TableSource = std::variant<GatherSource, FormulaSource, MlpSource, ProductSource>;

}  // namespace phasor
