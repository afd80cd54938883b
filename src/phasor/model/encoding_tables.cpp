#include "phasor/model/encoding_tables.h"

#include <algorithm>

#include "phasor/base/error.h"

namespace phasor {
namespace {

void append_factors(std::vector<float>& to, const std::vector<std::complex<double>>& factors) {
  for (const std::complex<double>& factor : factors) {
    to.push_back(static_cast<float>(factor.real()));
    to.push_back(static_cast<float>(factor.imag()));
  }
}

// Layers of equal tables share one copy.
bool same_bias(const LayerEncoding& a, const LayerEncoding& b) {
  return a.bias.has_value() == b.bias.has_value() && (!a.bias || a.bias->values == b.bias->values);
}

}  // namespace

EncodingTables::EncodingTables(Backend& backend, const ResolvedEncoding& encoding) {
  if (encoding.fixed_input) fixed_input_ = upload(backend, *encoding.fixed_input);
  for (size_t l = 0; l < encoding.layers.size(); ++l) {
    const LayerEncoding& layer = encoding.layers[l];
    LayerTables tables;
    const bool rotation_again = l > 0 && layer.rotation == encoding.layers[l - 1].rotation;
    tables.rotation =
        rotation_again ? layers_.back().rotation : upload_rotations(backend, encoding, static_cast<int64_t>(l));
    if (l > 0 && same_bias(layer, encoding.layers[l - 1])) {
      tables.bias = layers_.back().bias;
    } else if (layer.bias) {
      tables.bias = {.table = upload(backend, *layer.bias), .reach = static_cast<int32_t>(layer.bias->columns / 2)};
    }
    if (std::any_of(layer.scale.begin(), layer.scale.end(), [](double s) { return s != 1.0; })) {
      const std::vector<float> scale(layer.scale.begin(), layer.scale.end());
      tables.head_scale = View<const float, 1>(upload_values(backend, scale), layer.scale.size());
    }
    layers_.push_back(tables);
  }
}

template <class T>
T* EncodingTables::upload_values(Backend& backend, const std::vector<T>& values) {
  memory_.push_back(backend.allocate(values.size() * sizeof(T)));
  backend.copy_in(memory_.back().data(), values.data(), values.size() * sizeof(T));
  return static_cast<T*>(memory_.back().data());
}

View<const float, 2> EncodingTables::upload(Backend& backend, const Table& table) {
  const std::vector<float> values(table.values.begin(), table.values.end());
  return View<const float, 2>(upload_values(backend, values), table.rows, table.columns);
}

RotationTable EncodingTables::upload_rotations(Backend& backend, const ResolvedEncoding& encoding, int64_t layer) {
  const auto& rotations = encoding.layers[static_cast<size_t>(layer)].rotation;
  std::vector<const Rotation*> sets;
  std::vector<int32_t> head_set;
  for (const auto& rotation : rotations) {
    if (rotation == nullptr) {
      head_set.push_back(-1);
      continue;
    }
    const auto found = std::find(sets.begin(), sets.end(), rotation.get());
    head_set.push_back(static_cast<int32_t>(found - sets.begin()));
    if (found == sets.end()) sets.push_back(rotation.get());
  }
  if (sets.empty()) return {};

  const Rotation& first = *sets.front();
  std::vector<float> query, key;
  for (const Rotation* set : sets) {
    if (set->pairs != first.pairs || set->first != first.first || set->halves != first.halves) {
      fail_usage("layer {}: {} and {} turn different channels; the heads of a layer must turn the same ones", layer,
                 first.name, set->name);
    }
    append_factors(query, set->query);
    append_factors(key, set->key);
  }
  const auto set_count = static_cast<int64_t>(sets.size());
  const int64_t positions = encoding.shape.positions;
  return {.query = View<const float, 4>(upload_values(backend, query), set_count, positions, first.pairs, 2),
          .key = View<const float, 4>(upload_values(backend, key), set_count, positions, first.pairs, 2),
          .head_set = View<const int32_t, 1>(upload_values(backend, head_set), head_set.size()),
          .sets = static_cast<int32_t>(set_count),
          .first = static_cast<int32_t>(first.first),
          .halves = first.halves};
}

}  // namespace phasor
