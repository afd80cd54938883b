#include "phasor/encoding/resolve/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/encoding/syntax/encoding_error.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

constexpr int64_t kMostEntries = int64_t{1} << 28;  // of one table: 1 GiB of floats

void check_shape(const EncodingShape& shape) {
  const auto check = [](std::string_view name, int64_t value) {
    if (value < 1) fail("an encoding's shape needs at least 1 for {}, not {}", name, value);
  };
  check("layers", shape.layers);
  check("heads", shape.heads);
  check("head_width", shape.head_width);
  check("width", shape.width);
  check("positions", shape.positions);
  for (const int64_t extent : shape.grid) check("a coordinate's extent", extent);
}

void check_assignment(const TermAssignment& assignment, std::string_view noun, int64_t count,
                      const std::string& expression) {
  if (assignment.everything || assignment.indices.empty() || assignment.indices.last() < count) return;
  throw EncodingError(
      expression, assignment.column,
      fmt::format("there is no {0} {1}; the model has {0}s 0 to {2}", noun, assignment.indices.last(), count - 1));
}

// A source of a narrow table, for the columns [first, first + narrow) of a wide one.
class Widening {
 public:
  Widening(int64_t first, int64_t narrow, int64_t wide) : first_(first), narrow_(narrow), wide_(wide) {}

  TableSource operator()(const GatherSource& source) const {
    GatherSource result;
    result.parameter = source.parameter;
    const int64_t rows = static_cast<int64_t>(source.index.size()) / narrow_;
    result.index.assign(static_cast<size_t>(rows * wide_), -1);
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(source.index.begin() + r * narrow_, narrow_, result.index.begin() + r * wide_ + first_);
    }
    return result;
  }

  TableSource operator()(FormulaSource source) const {
    Table columns(source.column_values.rows, wide_);
    for (int64_t v = 0; v < columns.rows; ++v) {
      for (int64_t c = 0; c < narrow_; ++c) columns(v, first_ + c) = source.column_values(v, c);
    }
    source.column_values = std::move(columns);
    if (source.columns.empty()) source.columns.assign(source.row_group.size(), {0, static_cast<int32_t>(narrow_)});
    for (std::array<int32_t, 2>& range : source.columns) {
      for (int32_t& end : range) end += static_cast<int32_t>(first_);
    }
    return source;
  }

  TableSource operator()(const MlpSource&) const { fail("a network makes biases only"); }
  TableSource operator()(const ProductSource&) const { fail("a matrix product makes distance rows only"); }

 private:
  int64_t first_, narrow_, wide_;
};

}  // namespace

TableForm& TableForm::operator|=(const TableForm& other) {
  bias_by_query = bias_by_query || other.bias_by_query;
  bias_per_length = bias_per_length || other.bias_per_length;
  input_per_length = input_per_length || other.input_per_length;
  scale_by_query = scale_by_query || other.scale_by_query;
  scale_per_length = scale_per_length || other.scale_per_length;
  return *this;
}

EncodingPlaces::EncodingPlaces(const EncodingShape& shape, std::string expression, const TableForm& form)
    : shape_(shape), form_(form) {
  check_shape(shape);
  resolved_.shape = shape;
  resolved_.expression = std::move(expression);
  resolved_.embedding_width = shape.width;
  const size_t heads = static_cast<size_t>(shape.heads);
  LayerEncoding empty;
  empty.rotation.resize(heads);
  empty.scale.assign(heads, 1.0);
  empty.masks.resize(heads);
  const size_t layers = static_cast<size_t>(shape.layers);
  resolved_.layers.assign(layers, empty);
  biases_.resize(layers);
  row_scales_.resize(layers);
  bias_terms_.assign(layers, nullptr);
  scale_terms_.assign(layers, nullptr);
  scale_owners_.resize(layers * heads);
  rotation_terms_.assign(layers * heads, nullptr);
  decoupled_terms_.assign(layers, nullptr);
  gate_terms_.assign(layers * heads, nullptr);
  dense_terms_.assign(layers, nullptr);
  sinks_.resize(layers);
  sink_terms_.assign(layers * heads, nullptr);
  chunk_terms_.assign(layers * heads, nullptr);
  query_row_terms_.assign(layers, nullptr);
  key_row_terms_.assign(layers, nullptr);
}

void EncodingPlaces::within(const Term& term, const std::function<void()>& fill) {
  terms_.push_back(term);
  const Term& kept = terms_.back();
  check_assignment(kept.heads, "head", shape_.heads, resolved_.expression);
  check_assignment(kept.layers, "layer", shape_.layers, resolved_.expression);
  int same = 0;  // terms of this name so far
  for (const auto& [other, scope] : scopes_) same += other->name == kept.name ? 1 : 0;
  scopes_.emplace_back(&kept, same == 0 ? kept.name : fmt::format("{}_{}", kept.name, same + 1));
  stack_.push_back(&kept);
  apply_masks(kept);
  fill();
  stack_.pop_back();
}

bool EncodingPlaces::covers_head(int64_t head) const {
  return std::all_of(stack_.begin(), stack_.end(), [head](const Term* term) { return term->heads.covers(head); });
}

bool EncodingPlaces::covers_layer(int64_t layer) const {
  return std::all_of(stack_.begin(), stack_.end(), [layer](const Term* term) { return term->layers.covers(layer); });
}

std::vector<int64_t> EncodingPlaces::heads() const {
  std::vector<int64_t> result;
  for (int64_t head = 0; head < shape_.heads; ++head) {
    if (covers_head(head)) result.push_back(head);
  }
  return result;
}

std::vector<int64_t> EncodingPlaces::layers() const {
  std::vector<int64_t> result;
  for (int64_t layer = 0; layer < shape_.layers; ++layer) {
    if (covers_layer(layer)) result.push_back(layer);
  }
  return result;
}

int64_t EncodingPlaces::add_parameter(std::string_view name, LearnedParameter parameter, int64_t layer) {
  const auto scope = std::find_if(scopes_.begin(), scopes_.end(),
                                  [this](const auto& candidate) { return candidate.first == stack_.back(); });
  parameter.name = layer == kAllLayers ? "" : fmt::format("layers.{}.", layer);
  parameter.name += fmt::format("encoding.{}", scope->second);
  if (!name.empty()) parameter.name.append(".").append(name);
  check_size(parameter.size());
  resolved_.parameters.push_back(std::move(parameter));
  return static_cast<int64_t>(resolved_.parameters.size()) - 1;
}

// --- Input term ----------------------------------------------------------------------------------

void EncodingPlaces::concatenate(int64_t width, const std::function<void()>& fill) {
  if (concatenated_) fail_term("concat cannot stand within concat");
  if (width >= resolved_.embedding_width) {
    fail_term(fmt::format("width {} leaves no channel of {} to the tokens", width, resolved_.embedding_width));
  }
  resolved_.embedding_width -= width;
  concatenated_ = true;
  first_channel_ = resolved_.embedding_width;
  shape_.width = width;
  fill();
  shape_.width = resolved_.shape.width;
  first_channel_ = 0;
  concatenated_ = false;
}

void EncodingPlaces::check_input_size() const { check_size(input_tables() * shape_.positions * resolved_.shape.width); }

InputTerm& EncodingPlaces::input() {
  for (const Term* term : stack_) {
    const auto require = [this, term](const TermAssignment& assignment, std::string_view noun) {
      if (assignment.everything) return;
      throw EncodingError(resolved_.expression, assignment.column,
                          fmt::format("{} is added to the embeddings, before the first layer, so it cannot be "
                                      "assigned to {}",
                                      term->name, noun));
    };
    require(term->heads, "heads");
    require(term->layers, "layers");
  }
  const int64_t axis = position_axis();
  if (!resolved_.input) {
    check_input_size();
    resolved_.input = InputTerm{.axis = axis,
                                .per_length = form_.input_per_length,
                                .fixed = Table(input_tables() * shape_.positions, resolved_.shape.width),
                                .learned = {}};
    input_term_ = stack_.back();
  }
  if (resolved_.input->axis != axis) {
    fail_term(clash(*input_term_, "add to the embeddings, but by different positions"));
  }
  return *resolved_.input;
}

void EncodingPlaces::add_input(const Table& table) {
  InputTerm& place = input();
  assert(table.columns == shape_.width && place.fixed.rows % table.rows == 0);
  for (int64_t r = 0; r < place.fixed.rows; ++r) {
    for (int64_t c = 0; c < table.columns; ++c) place.fixed(r, first_channel_ + c) += table(r % table.rows, c);
  }
}

void EncodingPlaces::add_input(TableSource source) {
  InputTerm& place = input();
  if (shape_.width != resolved_.shape.width) {
    source = std::visit(Widening(first_channel_, shape_.width, resolved_.shape.width), source);
  }
  place.learned.push_back(std::move(source));
}

// --- Distance bias -------------------------------------------------------------------------------

void EncodingPlaces::check_bias_size() const {
  check_size(bias_tables() * shape_.heads * bias_rows() * (2 * shape_.positions - 1));
}

BiasTerm& EncodingPlaces::bias(int64_t layer) {
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no bias");
  const size_t l = static_cast<size_t>(layer);
  const int64_t axis = position_axis();
  if (biases_[l] == nullptr) {
    const int64_t reach = shape_.positions - 1;
    const int64_t rows = bias_tables() * shape_.heads * bias_rows();
    check_bias_size();
    biases_[l] = std::make_unique<BiasTerm>(BiasTerm{.axis = axis,
                                                     .per_length = form_.bias_per_length,
                                                     .rows = bias_rows(),
                                                     .reach = reach,
                                                     .fixed = Table(rows, 2 * reach + 1),
                                                     .learned = {}});
    bias_terms_[l] = stack_.back();
  }
  if (biases_[l]->axis != axis) {
    fail_term(clash(*bias_terms_[l], fmt::format("bias the logits of layer {}, but by different positions", layer)));
  }
  return *biases_[l];
}

void EncodingPlaces::add_bias(const Table& table) {
  assert(table.rows == shape_.heads && table.columns == 2 * shape_.positions - 1);
  check_bias_size();
  const int64_t rows = bias_rows();
  Table full(bias_tables() * shape_.heads * rows, table.columns);
  for (int64_t r = 0; r < full.rows; ++r) {
    const int64_t head = r / rows % shape_.heads;
    for (int64_t c = 0; c < full.columns; ++c) full(r, c) = table(head, c);
  }
  add_full_bias(full);
}

void EncodingPlaces::add_full_bias(const Table& table, int64_t layer) {
  const int64_t rows = bias_rows();
  for (int64_t l = 0; l < shape_.layers; ++l) {
    if (!covers_layer(l) || (layer != kAllLayers && l != layer) || heads().empty()) continue;
    Table& fixed = bias(l).fixed;
    assert(table.rows == fixed.rows && table.columns == fixed.columns);
    for (int64_t r = 0; r < fixed.rows; ++r) {
      if (!covers_head(r / rows % shape_.heads)) continue;
      for (int64_t c = 0; c < fixed.columns; ++c) fixed(r, c) += table(r, c);
    }
  }
}

void EncodingPlaces::add_bias(int64_t layer, TableSource source) { bias(layer).learned.push_back(std::move(source)); }

// --- Distance rows -------------------------------------------------------------------------------

void EncodingPlaces::check_rows_size(int64_t rows, int64_t columns) const { check_size(rows * columns); }

void EncodingPlaces::check_no_rows(int64_t layer) const {
  const auto l = static_cast<size_t>(layer);
  for (const Term* term : {query_row_terms_[l], key_row_terms_[l]}) {
    const Term* maker = decoupled_terms_[l];
    if (term == nullptr || maker == nullptr) continue;
    const bool features = resolved_.layers[l].feature != FeatureMap::none;
    fail_term(fmt::format("'{}' makes {} of layer {}{}, which '{}' has no vectors for; give them different layers",
                          print_expression(*maker),
                          features ? "features of the queries and keys" : "the queries and keys", layer,
                          features ? "" : " out of latents", print_expression(*term)));
  }
}

void EncodingPlaces::add_rows(int64_t layer, RowsOf which, RowTerm rows) {
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no distance rows");
  const auto l = static_cast<size_t>(layer);
  const Term*& owner = which == RowsOf::queries ? query_row_terms_[l] : key_row_terms_[l];
  if (owner != nullptr) {
    fail_term(clash(*owner, fmt::format("multiply the {} of layer {} with vectors by distance; give them different "
                                        "layers",
                                        which == RowsOf::queries ? "queries" : "keys", layer)));
  }
  owner = stack_.back();
  check_no_rows(layer);
  assert(static_cast<int64_t>(rows.index.size()) == 2 * shape_.positions - 1);
  rows.name = term_text();
  rows.axis = position_axis();
  rows.reach = shape_.positions - 1;
  auto& place = which == RowsOf::queries ? resolved_.layers[l].query_rows : resolved_.layers[l].key_rows;
  place = std::make_shared<const RowTerm>(std::move(rows));
}

void EncodingPlaces::shift_queries(int64_t layer, ShiftTerm for_keys, ShiftTerm for_rows) {
  LayerEncoding& place = resolved_.layers[static_cast<size_t>(layer)];
  assert(place.query_rows != nullptr && place.query_shift == nullptr);
  place.query_shift = std::make_shared<const ShiftTerm>(std::move(for_keys));
  place.row_shift = std::make_shared<const ShiftTerm>(std::move(for_rows));
}

// --- Rotation, scale, decoupled path -------------------------------------------------------------

void EncodingPlaces::rotate(Rotation rotation) {
  // Shared: the heads of all layers read one table, and it lives as long as any of them.
  rotation.name = term_text();
  const auto shared = std::make_shared<const Rotation>(std::move(rotation));
  for (const int64_t layer : layers()) rotate(layer, kAllHeads, shared);
}

void EncodingPlaces::rotate(int64_t layer, int64_t head, const std::shared_ptr<const Rotation>& rotation) {
  assert(rotation->pairs > 0);
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no rotation");
  for (const int64_t h : heads()) {
    if (head != kAllHeads && h != head) continue;
    const Term*& owner = rotation_terms_[static_cast<size_t>(layer * shape_.heads + h)];
    if (owner != nullptr) {
      fail_term(
          clash(*owner, fmt::format("rotate head {} of layer {}; give them different heads or layers", h, layer)));
    }
    owner = stack_.back();
    resolved_.layers[static_cast<size_t>(layer)].rotation[static_cast<size_t>(h)] = rotation;
  }
}

void EncodingPlaces::rotate_by_tokens(int64_t layer, const TokenRotation& rotation) {
  assert(rotation.pairs > 0);
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no rotation");
  LayerEncoding& places = resolved_.layers[static_cast<size_t>(layer)];
  for (const int64_t h : rotation.heads) {
    const Term*& owner = rotation_terms_[static_cast<size_t>(layer * shape_.heads + h)];
    if (owner != nullptr) {
      fail_term(
          clash(*owner, fmt::format("rotate head {} of layer {}; give them different heads or layers", h, layer)));
    }
    owner = stack_.back();
  }
  if (places.token_rotation) {
    fail_term(fmt::format("'{}' and '{}' both turn layer {} by its tokens; give them different layers",
                          places.token_rotation->name, term_text(), layer));
  }
  places.token_rotation = rotation;
}

void EncodingPlaces::multiply_scale(const std::vector<double>& factors, int64_t layer_only) {
  assert(static_cast<int64_t>(factors.size()) == shape_.heads);
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no scale");
  for (const int64_t layer : layers()) {
    if (layer_only != kAllLayers && layer != layer_only) continue;
    for (const int64_t head : heads()) {
      resolved_.layers[static_cast<size_t>(layer)].scale[static_cast<size_t>(head)] *=
          factors[static_cast<size_t>(head)];
    }
  }
}

void EncodingPlaces::check_scale_size() const { check_size(scale_tables() * shape_.heads * scale_columns()); }

ScaleTerm& EncodingPlaces::row_scale(int64_t layer) {
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no scale");
  const auto l = static_cast<size_t>(layer);
  const int64_t axis = position_axis();
  if (row_scales_[l] == nullptr) {
    check_scale_size();
    row_scales_[l] =
        std::make_unique<ScaleTerm>(ScaleTerm{.axis = axis,
                                              .per_length = form_.scale_per_length,
                                              .fixed = Table(scale_tables() * shape_.heads, scale_columns()),
                                              .learned = {}});
    std::fill(row_scales_[l]->fixed.values.begin(), row_scales_[l]->fixed.values.end(), 1.0);
    scale_terms_[l] = stack_.back();
  }
  if (row_scales_[l]->axis != axis) {
    fail_term(clash(*scale_terms_[l], fmt::format("scale the logits of layer {}, but by different positions", layer)));
  }
  return *row_scales_[l];
}

void EncodingPlaces::own_row_scale(int64_t layer, int64_t head, bool learned) {
  RowScaleOwner& owner = scale_owners_[static_cast<size_t>(layer * shape_.heads + head)];
  if (owner.term != nullptr && (learned || owner.learned)) {
    fail_term(clash(*owner.term, fmt::format("scale the logits of head {} of layer {} by row, and one of them is "
                                             "trained; write their product as one scale(...), or give them different "
                                             "heads or layers",
                                             head, layer)));
  }
  owner = {stack_.back(), learned};
}

void EncodingPlaces::multiply_row_scale(const Table& table, int64_t layer) {
  for (const int64_t l : layers()) {
    if ((layer != kAllLayers && l != layer) || heads().empty()) continue;
    Table& fixed = row_scale(l).fixed;
    assert(table.rows == fixed.rows && table.columns == fixed.columns);
    for (const int64_t head : heads()) own_row_scale(l, head, false);
    for (int64_t r = 0; r < fixed.rows; ++r) {
      if (!covers_head(r % shape_.heads)) continue;
      for (int64_t c = 0; c < fixed.columns; ++c) fixed(r, c) *= table(r, c);
    }
  }
}

void EncodingPlaces::multiply_row_scale(int64_t layer, TableSource source) {
  ScaleTerm& place = row_scale(layer);
  for (const int64_t head : heads()) own_row_scale(layer, head, true);
  // Sources are added to what is there.
  for (int64_t r = 0; r < place.fixed.rows; ++r) {
    if (!covers_head(r % shape_.heads)) continue;
    for (int64_t c = 0; c < place.fixed.columns; ++c) place.fixed(r, c) = 0.0;
  }
  place.learned.push_back(std::move(source));
}

void EncodingPlaces::decouple(DecoupledPath path) {
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no decoupled path");
  if (static_cast<int64_t>(heads().size()) != shape_.heads) {
    fail_term(fmt::format("{} makes the queries and keys of all heads, so it cannot be assigned to a few",
                          stack_.back()->name));
  }
  path.name = term_text();
  for (const int64_t layer : layers()) {
    const Term*& owner = decoupled_terms_[static_cast<size_t>(layer)];
    if (owner != nullptr) {
      fail_term(clash(*owner, fmt::format("make the queries and keys of layer {}; give them different layers", layer)));
    }
    owner = stack_.back();
    resolved_.layers[static_cast<size_t>(layer)].decoupled = path;
    check_no_rows(layer);
  }
}

void EncodingPlaces::add_gates(int64_t layer, GateTerm gates) {
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no gates");
  for (const int64_t h : gates.heads) {
    const Term*& owner = gate_terms_[static_cast<size_t>(layer * shape_.heads + h)];
    if (owner != nullptr) {
      fail_term(clash(*owner, fmt::format("gate head {} of layer {}; give them different heads or layers", h, layer)));
    }
    owner = stack_.back();
  }
  resolved_.layers[static_cast<size_t>(layer)].gates.push_back(std::move(gates));
}

void EncodingPlaces::map_features(FeatureMap feature) {
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no features");
  if (static_cast<int64_t>(heads().size()) != shape_.heads) {
    fail_term(fmt::format("{} makes features of the queries and keys of all heads, so it cannot be assigned to a few",
                          stack_.back()->name));
  }
  for (const int64_t layer : layers()) {
    const Term*& owner = decoupled_terms_[static_cast<size_t>(layer)];
    if (owner != nullptr) {
      fail_term(clash(*owner, fmt::format("make the queries and keys of layer {}; give them different layers", layer)));
    }
    owner = stack_.back();
    resolved_.layers[static_cast<size_t>(layer)].feature = feature;
    check_no_rows(layer);
  }
}

// --- Masks and sinks -----------------------------------------------------------------------------

// All masks of a head hold together.
void EncodingPlaces::apply_masks(const Term& term) {
  if (!term.masks()) return;
  if (concatenated_) {
    const TermMask& given = term.window.tokens > 0 ? term.window : term.chunk;
    throw EncodingError(
        resolved_.expression, given.column,
        "concat takes terms that are added to the embeddings; give windows and chunks to concat itself");
  }
  for (const int64_t layer : layers()) {
    for (const int64_t head : heads()) {
      HeadMask& mask = resolved_.layers[static_cast<size_t>(layer)].masks[static_cast<size_t>(head)];
      if (term.window.tokens > 0 && (mask.window == 0 || term.window.tokens < mask.window)) {
        mask.window = term.window.tokens;
      }
      if (term.chunk.tokens == 0) continue;
      const Term*& owner = chunk_terms_[static_cast<size_t>(layer * shape_.heads + head)];
      const int64_t smaller = mask.chunk == 0 ? term.chunk.tokens : std::min(mask.chunk, term.chunk.tokens);
      if (std::max(mask.chunk, term.chunk.tokens) % smaller != 0) {
        throw EncodingError(
            resolved_.expression, term.chunk.column,
            clash(*owner, fmt::format("cut the sequence of head {} of layer {} into chunks, and neither "
                                      "length divides the other",
                                      head, layer)));
      }
      mask.chunk = smaller;
      owner = &term;
    }
  }
}

SinkTerm& EncodingPlaces::sink(int64_t layer, double logit) {
  if (concatenated_) fail_term("concat takes terms that are added to the embeddings, and no sink");
  std::unique_ptr<SinkTerm>& place = sinks_[static_cast<size_t>(layer)];
  if (place == nullptr) {
    place = std::make_unique<SinkTerm>(SinkTerm{.fixed = Table(1, shape_.heads), .learned = {}});
    std::fill(place->fixed.values.begin(), place->fixed.values.end(), -std::numeric_limits<double>::infinity());
  }
  for (const int64_t head : heads()) {
    const Term*& owner = sink_terms_[static_cast<size_t>(layer * shape_.heads + head)];
    if (owner != nullptr) {
      fail_term(clash(*owner, fmt::format("are the sink of head {} of layer {}; give them different heads or layers",
                                          head, layer)));
    }
    owner = stack_.back();
    place->fixed(0, head) = logit;
  }
  return *place;
}

void EncodingPlaces::add_sink(int64_t layer, double logit) { sink(layer, logit); }

void EncodingPlaces::add_sink(int64_t layer, double logit, TableSource source) {
  sink(layer, logit).learned.push_back(std::move(source));
}

// --- Errors and the end --------------------------------------------------------------------------

void EncodingPlaces::fail_term(std::string_view reason) const {
  throw EncodingError(resolved_.expression, stack_.back()->column, reason);
}

std::string EncodingPlaces::term_text() const { return print_expression(*stack_.back()); }

void EncodingPlaces::check_size(int64_t entries) const {
  if (entries <= kMostEntries) return;
  fail_term(fmt::format("{} needs a table of {:.1f} GiB for {} positions; the most is 1 GiB", term_text(),
                        static_cast<double>(entries) * 4.0 / 1073741824.0, shape_.positions));
}

std::string EncodingPlaces::clash(const Term& earlier, std::string_view what) const {
  return fmt::format("'{}' (column {}) and '{}' both {}", print_expression(earlier), earlier.column.value, term_text(),
                     what);
}

ResolvedEncoding EncodingPlaces::take() {
  check_dense();
  // Whoever reads positions finds one, even where no term asks for any.
  if (resolved_.axes.empty()) resolved_.axes.push_back({.extent = shape_.positions});
  // Layers of equal biases share one.
  std::shared_ptr<const BiasTerm> last;
  for (size_t l = 0; l < biases_.size(); ++l) {
    if (biases_[l] == nullptr) continue;
    if (last == nullptr || !(*last == *biases_[l])) last = std::shared_ptr<const BiasTerm>(std::move(biases_[l]));
    resolved_.layers[l].bias = last;
  }
  std::shared_ptr<const ScaleTerm> last_scale;
  for (size_t l = 0; l < row_scales_.size(); ++l) {
    if (row_scales_[l] == nullptr) continue;
    if (last_scale == nullptr || !(*last_scale == *row_scales_[l])) {
      last_scale = std::shared_ptr<const ScaleTerm>(std::move(row_scales_[l]));
    }
    resolved_.layers[l].row_scale = last_scale;
  }
  for (size_t l = 0; l < sinks_.size(); ++l) resolved_.layers[l].sink = std::move(sinks_[l]);
  return std::move(resolved_);
}

}  // namespace phasor
