#include "phasor/encoding/places.h"

#include <fmt/format.h>

#include <cassert>
#include <memory>
#include <utility>

#include "phasor/base/error.h"
#include "phasor/encoding/encoding_error.h"
#include "phasor/encoding/printer.h"

namespace phasor {
namespace {

void check_shape(const EncodingShape& shape) {
  const auto check = [](std::string_view name, int64_t value) {
    if (value < 1) fail("an encoding's shape needs at least 1 for {}, not {}", name, value);
  };
  check("layers", shape.layers);
  check("heads", shape.heads);
  check("head_width", shape.head_width);
  check("width", shape.width);
  check("positions", shape.positions);
}

void check_assignment(const TermAssignment& assignment, std::string_view noun, int64_t count,
                      const std::string& expression) {
  if (assignment.everything || assignment.indices.empty() || assignment.indices.last() < count) return;
  throw EncodingError(
      expression, assignment.column,
      fmt::format("there is no {0} {1}; the model has {0}s 0 to {2}", noun, assignment.indices.last(), count - 1));
}

}  // namespace

EncodingPlaces::EncodingPlaces(const EncodingShape& shape, std::string expression) {
  check_shape(shape);
  resolved_.shape = shape;
  resolved_.expression = std::move(expression);
  const size_t heads = static_cast<size_t>(shape.heads);
  LayerEncoding empty;
  empty.rotation.resize(heads);
  empty.scale.assign(heads, 1.0);
  resolved_.layers.assign(static_cast<size_t>(shape.layers), empty);
  rotation_terms_.assign(resolved_.layers.size() * heads, nullptr);
}

void EncodingPlaces::begin(const Term& term) {
  term_ = &term;
  check_assignment(term.heads, "head", shape().heads, resolved_.expression);
  check_assignment(term.layers, "layer", shape().layers, resolved_.expression);
}

void EncodingPlaces::add_input(const Table& table) {
  assert(table.rows == shape().positions && table.columns == shape().width);
  require_unassigned();
  if (!resolved_.fixed_input) {
    resolved_.fixed_input = table;
    return;
  }
  std::vector<double>& sum = resolved_.fixed_input->values;
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += table.values[i];
}

void EncodingPlaces::add_learned_input(double deviation) {
  require_unassigned();
  if (learned_input_term_ != nullptr) {
    fail_term(clash(*learned_input_term_, "add a learned table to the embeddings; their sum is one table"));
  }
  learned_input_term_ = term_;
  resolved_.learned_input = LearnedTable{
      .parameter = "encoding.learned", .rows = shape().positions, .columns = shape().width, .deviation = deviation};
}

void EncodingPlaces::rotate(Rotation rotation) {
  assert(rotation.pairs > 0 && rotation.first + 2 * rotation.pairs <= shape().head_width);
  assert(static_cast<int64_t>(rotation.query.size()) == shape().positions * rotation.pairs);
  assert(rotation.key.size() == rotation.query.size());
  rotation.name = print_expression(*term_);
  // Shared: the heads of all layers read one table, and it lives as long as any of them.
  const auto shared = std::make_shared<const Rotation>(std::move(rotation));
  for_each_place([&](int64_t layer, int64_t head) {
    const Term*& owner = rotation_terms_[static_cast<size_t>(layer * shape().heads + head)];
    if (owner != nullptr) {
      fail_term(
          clash(*owner, fmt::format("rotate head {} of layer {}; give them different heads or layers", head, layer)));
    }
    owner = term_;
    resolved_.layers[static_cast<size_t>(layer)].rotation[static_cast<size_t>(head)] = shared;
  });
}

void EncodingPlaces::add_bias(const Table& table) {
  assert(table.rows == shape().heads && table.columns == 2 * shape().positions - 1);
  for_each_place([&](int64_t layer, int64_t head) {
    std::optional<Table>& bias = resolved_.layers[static_cast<size_t>(layer)].bias;
    if (!bias) bias = Table(table.rows, table.columns);
    for (int64_t column = 0; column < table.columns; ++column) (*bias)(head, column) += table(head, column);
  });
}

void EncodingPlaces::multiply_scale(const std::vector<double>& factors) {
  assert(static_cast<int64_t>(factors.size()) == shape().heads);
  for_each_place([&](int64_t layer, int64_t head) {
    resolved_.layers[static_cast<size_t>(layer)].scale[static_cast<size_t>(head)] *= factors[static_cast<size_t>(head)];
  });
}

void EncodingPlaces::fail_term(std::string_view reason) const {
  throw EncodingError(resolved_.expression, term_->column, reason);
}

ResolvedEncoding EncodingPlaces::take() { return std::move(resolved_); }

void EncodingPlaces::require_unassigned() const {
  const auto require = [this](const TermAssignment& assignment, std::string_view noun) {
    if (assignment.everything) return;
    throw EncodingError(resolved_.expression, assignment.column,
                        fmt::format("{} is added to the embeddings, before the first layer, so it cannot be assigned "
                                    "to {}",
                                    term_->name, noun));
  };
  require(term_->heads, "heads");
  require(term_->layers, "layers");
}

std::string EncodingPlaces::clash(const Term& earlier, std::string_view what) const {
  return fmt::format("'{}' (column {}) and '{}' both {}", print_expression(earlier), earlier.column.value,
                     print_expression(*term_), what);
}

template <class Function>
void EncodingPlaces::for_each_place(const Function& function) {
  for (int64_t layer = 0; layer < shape().layers; ++layer) {
    if (!term_->layers.covers(layer)) continue;
    for (int64_t head = 0; head < shape().heads; ++head) {
      if (term_->heads.covers(head)) function(layer, head);
    }
  }
}

}  // namespace phasor
