#pragma once
// A table in device memory that is remade from parameters before a forward pass, and whose gradient goes back to
// them after the backward pass.
#include <memory>
#include <vector>

#include "phasor/encoding/resolve/table_source.h"
#include "phasor/engine/backend.h"
#include "phasor/model/parameters.h"

namespace phasor {

class LearnedTable {
 public:
  // The sources' parameters lie where the layout has put the encoding's. Everything referred to must outlive this.
  LearnedTable(Backend& backend, const Table& fixed, const std::vector<TableSource>& sources,
               const ParameterLayout& layout);

  View<float, 2> table() const { return table_; }
  View<float, 2> gradient() const { return gradient_; }

  void remake(const View<float, 1>& parameters);
  void clear_gradient();
  // Adds to the parameters' gradients what gradient() says.
  void pass_back(const View<float, 1>& parameters, const View<float, 1>& parameter_gradients);

 private:
  struct Gather {
    int64_t offset = 0, size = 0;
    View<const int32_t, 1> index;
  };
  struct Formula {
    const FormulaProgram* program = nullptr;
    FormulaTable op;  // without parameters
  };
  struct Mlp {
    Formula x;
    View<float, 2> input, input_gradient;
    int64_t weight1 = 0, bias1 = 0, weight2 = 0, bias2 = 0;  // offsets
    int64_t hidden = 0, outputs = 0;
    View<const int32_t, 1> heads;
  };

  struct Product {
    View<const float, 2> factors;  // [rows, inner]
    int64_t offset = 0;            // of the matrix [columns, inner]
    int64_t columns = 0, first_column = 0;
    Matrix made;  // [rows, columns], to be added
  };

  Gather upload(const GatherSource& source);
  Product upload(const ProductSource& source);
  Formula upload(const FormulaSource& source, int64_t columns);
  Mlp upload(const MlpSource& source, int64_t columns);
  View<float, 2> allocate(int64_t rows, int64_t columns);
  template <class T>
  const T* upload_values(const std::vector<T>& values);
  void add_product(const Product& product, const View<float, 1>& parameters);
  MlpTable mlp_op(const Mlp& mlp, const View<float, 1>& parameters) const;

  Backend& backend_;
  const ParameterLayout& layout_;
  std::vector<Memory> memory_;
  View<float, 2> fixed_;  // empty where it is all zeros
  View<float, 2> table_, gradient_;
  std::vector<Gather> gathers_;
  std::vector<Formula> formulas_;
  std::vector<Mlp> mlps_;
  std::vector<Product> products_;
};

}  // namespace phasor
