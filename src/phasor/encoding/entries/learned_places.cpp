#include "phasor/encoding/entries/learned_places.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <numeric>

namespace phasor {

void add_learned_bias(EncodingPlaces& places, std::string_view name, int64_t columns,
                      const std::vector<int32_t>& column_of_distance, const InitialValues& initial, bool shared) {
  const std::vector<int64_t> heads = places.heads();
  if (heads.empty()) return;
  places.check_bias_size();
  GatherSource source;
  const int64_t rows = places.bias_rows();
  for (int64_t r = 0; r < places.bias_tables() * places.shape().heads * rows; ++r) {
    const int64_t head = r / rows % places.shape().heads;
    int32_t group = -1;
    for (size_t g = 0; g < heads.size(); ++g) {
      if (heads[g] == head) group = static_cast<int32_t>(g);
    }
    for (const int32_t column : column_of_distance) {
      const bool used = group >= 0 && column >= 0;
      source.index.push_back(used ? group * static_cast<int32_t>(columns) + column : -1);
    }
  }
  LearnedParameter parameter;
  parameter.shape = {static_cast<int64_t>(heads.size()), columns};
  parameter.initial = initial;
  parameter.heads = heads;
  const std::vector<int64_t> layers = places.layers();
  for (const int64_t layer : layers) {
    if (!shared || layer == layers.front()) {
      source.parameter = places.add_parameter(name, parameter, shared ? EncodingPlaces::kAllLayers : layer);
    }
    places.add_bias(layer, source);
  }
}

void add_learned_rows(EncodingPlaces& places, EncodingPlaces::RowsOf which, std::string_view name, int64_t rows,
                      const std::vector<int32_t>& row_of_distance, const InitialValues& initial, bool shared) {
  const EncodingShape& shape = places.shape();
  const std::vector<int64_t> heads = places.heads();
  if (heads.empty()) return;
  const auto groups = static_cast<int64_t>(heads.size());
  const int64_t width = shape.head_width;
  // Heads without the term read zeros, so the others need columns of their own.
  const int64_t columns = shared && groups == shape.heads ? width : shape.heads * width;
  places.check_rows_size(rows, columns);
  RowTerm term;
  term.index = row_of_distance;
  term.fixed = Table(rows, columns);
  GatherSource source;
  source.index.assign(term.fixed.values.size(), -1);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t g = 0; g < groups; ++g) {
      const int64_t first = columns == width ? 0 : heads[static_cast<size_t>(g)] * width;
      const int64_t from = ((shared ? 0 : g * rows) + r) * width;
      std::iota(source.index.begin() + r * columns + first, source.index.begin() + r * columns + first + width,
                static_cast<int32_t>(from));
    }
  }
  LearnedParameter parameter;
  parameter.shape = shared ? std::vector{rows, width} : std::vector{groups, rows, width};
  parameter.initial = initial;
  if (!shared) parameter.heads = heads;
  for (const int64_t layer : places.layers()) {
    source.parameter = places.add_parameter(name, parameter, layer);
    term.learned = {source};
    places.add_rows(layer, which, term);
  }
}

int64_t trained_positions(const EncodingShape& shape) {
  return shape.trained > 0 ? std::min(shape.trained, shape.positions) : shape.positions;
}

void add_learned_input(EncodingPlaces& places, std::string_view name, const InitialValues& initial, int64_t rows) {
  places.check_input_size();
  const EncodingShape& shape = places.shape();
  LearnedParameter parameter;
  parameter.shape = {rows, shape.width};
  parameter.initial = initial;
  GatherSource source;
  for (int64_t t = 0; t < places.input_tables(); ++t) {
    for (int64_t position = 0; position < shape.positions; ++position) {
      const int64_t first = std::min(position, rows - 1) * shape.width;
      for (int64_t c = 0; c < shape.width; ++c) source.index.push_back(static_cast<int32_t>(first + c));
    }
  }
  source.parameter = places.add_parameter(name, parameter);
  places.add_input(std::move(source));
}

void rotate_learned(EncodingPlaces& places, std::string_view name, const std::vector<Rotation>& prototypes) {
  const std::vector<int64_t> heads = places.heads();
  if (heads.empty()) return;
  const bool per_head = prototypes.size() > 1;
  assert(!per_head || prototypes.size() == heads.size());
  const int64_t size = static_cast<int64_t>(prototypes.front().frequencies.values.size());
  LearnedParameter parameter;
  parameter.shape = per_head ? std::vector<int64_t>{static_cast<int64_t>(heads.size()), size} : std::vector{size};
  if (per_head) parameter.heads = heads;
  parameter.initial.kind = InitialValues::Kind::values;
  for (const Rotation& prototype : prototypes) {
    assert(prototype.classes == 1);
    const std::vector<double>& start = prototype.frequencies.values;
    parameter.initial.values.insert(parameter.initial.values.end(), start.begin(), start.end());
  }
  for (const int64_t layer : places.layers()) {
    GatherSource source;
    source.parameter = places.add_parameter(name, parameter, layer);
    source.index.resize(static_cast<size_t>(size));
    for (size_t g = 0; g < prototypes.size(); ++g) {
      auto rotation = std::make_shared<Rotation>(prototypes[g]);
      rotation->name = places.term_text();
      std::fill(rotation->frequencies.values.begin(), rotation->frequencies.values.end(), 0.0);
      rotation->query.clear();
      rotation->key.clear();
      std::iota(source.index.begin(), source.index.end(), static_cast<int32_t>(static_cast<int64_t>(g) * size));
      rotation->learned = {source};
      places.rotate(layer, per_head ? heads[g] : EncodingPlaces::kAllHeads, rotation);
    }
  }
}

}  // namespace phasor
