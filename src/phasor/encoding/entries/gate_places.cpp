#include "phasor/encoding/entries/gate_places.h"

#include <cmath>

namespace phasor {

void add_gates(EncodingPlaces& places, GateTerm::Map map) {
  const std::vector<int64_t> heads = places.heads();
  if (heads.empty()) return;
  const auto count = static_cast<int64_t>(heads.size());
  for (const int64_t layer : places.layers()) {
    GateTerm gates{.name = places.term_text(), .heads = heads, .map = map};
    LearnedParameter weight;
    weight.shape = {count, places.model_width()};
    weight.initial = {.kind = InitialValues::Kind::normal, .centre = 0.0, .size = 0.02};
    weight.heads = heads;
    gates.weight = places.add_parameter("weight", weight, layer);
    LearnedParameter bias;
    bias.shape = {count};
    bias.heads = heads;
    gates.bias = places.add_parameter("bias", bias, layer);
    places.add_gates(layer, std::move(gates));
  }
}

int64_t add_uniform(EncodingPlaces& places, std::string_view name, const std::vector<int64_t>& shape, int64_t layer) {
  LearnedParameter parameter;
  parameter.shape = shape;
  parameter.initial = {
      .kind = InitialValues::Kind::uniform, .centre = 0.0, .size = 1.0 / std::sqrt(static_cast<double>(shape.back()))};
  return places.add_parameter(name, parameter, layer);
}

int64_t add_constant(EncodingPlaces& places, std::string_view name, const std::vector<int64_t>& shape, double value,
                     int64_t layer) {
  LearnedParameter parameter;
  parameter.shape = shape;
  parameter.initial.centre = value;
  return places.add_parameter(name, parameter, layer);
}

}  // namespace phasor
