#include "phasor/model/learned_table.h"

#include <algorithm>

namespace phasor {
namespace {

View<float, 1> flat(const View<float, 2>& table) { return View<float, 1>(table.data(), table.size()); }

FormulaTable with_parameters(FormulaTable formula, const View<float, 1>& parameters) {
  formula.parameters = parameters;
  return formula;
}

View<float, 1> part(const View<float, 1>& values, int64_t offset, int64_t size) {
  return values.last_range(offset, size);
}

View<float, 2> part(const View<float, 1>& values, int64_t offset, int64_t rows, int64_t columns) {
  return View<float, 2>(values.data() + offset, rows, columns);
}

}  // namespace

LearnedTable::LearnedTable(Backend& backend, const Table& fixed, const std::vector<TableSource>& sources,
                           const ParameterLayout& layout)
    : backend_(backend), layout_(layout) {
  table_ = allocate(fixed.rows, fixed.columns);
  gradient_ = allocate(fixed.rows, fixed.columns);
  if (std::any_of(fixed.values.begin(), fixed.values.end(), [](double value) { return value != 0.0; })) {
    fixed_ = allocate(fixed.rows, fixed.columns);
    const std::vector<float> values(fixed.values.begin(), fixed.values.end());
    backend_.copy_in(fixed_.data(), values.data(), values.size() * sizeof(float));
  }
  for (const TableSource& source : sources) {
    if (const auto* gather = std::get_if<GatherSource>(&source)) gathers_.push_back(upload(*gather));
    if (const auto* formula = std::get_if<FormulaSource>(&source)) formulas_.push_back(upload(*formula, fixed.columns));
    if (const auto* mlp = std::get_if<MlpSource>(&source)) mlps_.push_back(upload(*mlp, fixed.columns));
    if (const auto* product = std::get_if<ProductSource>(&source)) products_.push_back(upload(*product));
  }
}

View<float, 2> LearnedTable::allocate(int64_t rows, int64_t columns) {
  memory_.push_back(backend_.allocate(static_cast<size_t>(rows * columns) * sizeof(float)));
  return View<float, 2>(static_cast<float*>(memory_.back().data()), rows, columns);
}

template <class T>
const T* LearnedTable::upload_values(const std::vector<T>& values) {
  memory_.push_back(backend_.allocate(std::max<size_t>(1, values.size()) * sizeof(T)));
  backend_.copy_in(memory_.back().data(), values.data(), values.size() * sizeof(T));
  return static_cast<const T*>(memory_.back().data());
}

LearnedTable::Gather LearnedTable::upload(const GatherSource& source) {
  const Parameter& entry = layout_.encoding_entry(source.parameter);
  return {.offset = entry.offset,
          .size = entry.size,
          .index = View<const int32_t, 1>(upload_values(source.index), source.index.size())};
}

LearnedTable::Formula LearnedTable::upload(const FormulaSource& source, int64_t columns) {
  const auto rows = static_cast<int64_t>(source.row_group.size());
  FormulaTable op;
  op.program = &source.program;
  op.row_values = View<const double, 2>(upload_values(source.row_values.values), source.row_values.rows, rows);
  op.column_values =
      View<const double, 2>(upload_values(source.column_values.values), source.column_values.rows, columns);
  op.row_group = View<const int32_t, 1>(upload_values(source.row_group), rows);
  if (!source.columns.empty()) {
    std::vector<int32_t> ends;
    for (const auto& [from, to] : source.columns) ends.insert(ends.end(), {from, to});
    op.row_columns = View<const int32_t, 2>(upload_values(ends), rows, 2);
  }
  std::vector<int32_t> places;
  for (const FormulaSource::Argument& argument : source.arguments) {
    places.push_back(static_cast<int32_t>(layout_.encoding_entry(argument.parameter).offset));
    places.push_back(argument.stride);
  }
  op.parameter_place = View<const int32_t, 2>(upload_values(places), source.arguments.size(), 2);
  return {.program = &source.program, .op = op};
}

LearnedTable::Mlp LearnedTable::upload(const MlpSource& source, int64_t columns) {
  const auto rows = static_cast<int64_t>(source.x.row_group.size());
  const auto offset = [this](int64_t parameter) { return layout_.encoding_entry(parameter).offset; };
  Mlp mlp;
  mlp.x = upload(source.x, columns);
  mlp.input = allocate(rows, columns);
  mlp.input_gradient = allocate(rows, columns);
  mlp.weight1 = offset(source.weight1);
  mlp.bias1 = offset(source.bias1);
  mlp.weight2 = offset(source.weight2);
  mlp.bias2 = offset(source.bias2);
  mlp.outputs = static_cast<int64_t>(source.heads.size());
  mlp.hidden = layout_.encoding_entry(source.weight1).size;
  mlp.heads = View<const int32_t, 1>(upload_values(source.heads), source.heads.size());
  return mlp;
}

LearnedTable::Product LearnedTable::upload(const ProductSource& source) {
  const Table& factors = *source.factors;
  Product product;
  const std::vector<float> values(factors.values.begin(), factors.values.end());
  product.factors = View<const float, 2>(upload_values(values), factors.rows, factors.columns);
  product.offset = layout_.encoding_entry(source.parameter).offset + source.first * factors.columns;
  product.columns = source.columns;
  product.first_column = source.first_column;
  product.made = allocate(factors.rows, source.columns);
  return product;
}

MlpTable LearnedTable::mlp_op(const Mlp& mlp, const View<float, 1>& parameters) const {
  return {.x = mlp.input,
          .row_columns = mlp.x.op.row_columns,
          .heads = mlp.heads,
          .weight1 = part(parameters, mlp.weight1, mlp.hidden),
          .bias1 = part(parameters, mlp.bias1, mlp.hidden),
          .weight2 = part(parameters, mlp.weight2, mlp.outputs, mlp.hidden),
          .bias2 = part(parameters, mlp.bias2, mlp.outputs)};
}

void LearnedTable::remake(const View<float, 1>& parameters) {
  if (fixed_.empty()) {
    backend_.run(Fill{.x = flat(table_)});
  } else {
    backend_.run(Cast{.to = table_, .from = fixed_});
  }
  for (const Gather& gather : gathers_) {
    backend_.run(GatherTableForward{
        .table = flat(table_), .parameter = part(parameters, gather.offset, gather.size), .index = gather.index});
  }
  for (const Formula& formula : formulas_) {
    backend_.run(FormulaTableForward{.table = table_, .formula = with_parameters(formula.op, parameters)});
  }
  for (const Mlp& mlp : mlps_) {
    backend_.run(Fill{.x = flat(mlp.input)});
    backend_.run(FormulaTableForward{.table = mlp.input, .formula = with_parameters(mlp.x.op, parameters)});
    backend_.run(MlpTableForward{.table = table_, .mlp = mlp_op(mlp, parameters)});
  }
  for (const Product& product : products_) add_product(product, parameters);
}

void LearnedTable::add_product(const Product& product, const View<float, 1>& parameters) {
  backend_.run(LinearForward{.y = product.made,
                             .x = product.factors,
                             .weight = part(parameters, product.offset, product.columns, product.factors.extent(1))});
  const View<float, 2> to = table_.last_range(product.first_column, product.columns);
  backend_.run(ResidualNormForward{.sum = to, .residual = to, .branch = product.made});
}

void LearnedTable::clear_gradient() { backend_.run(Fill{.x = flat(gradient_)}); }

void LearnedTable::pass_back(const View<float, 1>& parameters, const View<float, 1>& gradients) {
  for (const Gather& gather : gathers_) {
    backend_.run(GatherTableBackward{
        .dparameter = part(gradients, gather.offset, gather.size), .dtable = flat(gradient_), .index = gather.index});
  }
  for (const Formula& formula : formulas_) {
    backend_.run(FormulaTableBackward{
        .dparameters = gradients, .dtable = gradient_, .formula = with_parameters(formula.op, parameters)});
  }
  for (const Product& product : products_) {
    const int64_t inner = product.factors.extent(1);
    backend_.run(LinearBackward{.dweight = part(gradients, product.offset, product.columns, inner),
                                .dy = gradient_.last_range(product.first_column, product.columns),
                                .x = product.factors,
                                .weight = part(parameters, product.offset, product.columns, inner)});
  }
  for (const Mlp& mlp : mlps_) {
    backend_.run(Fill{.x = flat(mlp.input_gradient)});
    backend_.run(MlpTableBackward{.dx = mlp.input_gradient,
                                  .dweight1 = part(gradients, mlp.weight1, mlp.hidden),
                                  .dbias1 = part(gradients, mlp.bias1, mlp.hidden),
                                  .dweight2 = part(gradients, mlp.weight2, mlp.outputs, mlp.hidden),
                                  .dbias2 = part(gradients, mlp.bias2, mlp.outputs),
                                  .dtable = gradient_,
                                  .mlp = mlp_op(mlp, parameters)});
    backend_.run(FormulaTableBackward{
        .dparameters = gradients, .dtable = mlp.input_gradient, .formula = with_parameters(mlp.x.op, parameters)});
  }
}

}  // namespace phasor
