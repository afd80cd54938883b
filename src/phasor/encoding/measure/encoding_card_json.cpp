#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/encoding_list.h"
#include "phasor/encoding/measure/encoding_card.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json axis_json(const PositionAxis& axis) {
  switch (axis.kind) {
    case PositionAxis::Kind::index:
      return {{"kind", "index"}, {"extent", axis.extent}};
    case PositionAxis::Kind::randomized:
      return {{"kind", "randomized"}, {"extent", axis.extent}};
    case PositionAxis::Kind::coordinate:
      return {{"kind", "coordinate"}, {"coordinate", axis.coordinate}, {"extent", axis.extent}};
  }
  return nullptr;
}

Json term_json(const CardTerm& shown) {
  const Term& term = *shown.term;
  const EncodingEntry& entry = *find_encoding(term.name);
  Json parameters = Json::array();
  for (const EncodingParameter& parameter : entry.parameters) {
    Json json = parameter_json(parameter);
    const TermValue* value = given_value(term, parameter);
    json["given"] = value != nullptr;
    json["value"] = json["default"];
    if (value != nullptr) {
      const double* number = std::get_if<double>(&value->content);
      const auto* quoted = std::get_if<QuotedText>(&value->content);
      json["value"] = number != nullptr   ? Json(*number)
                      : quoted != nullptr ? Json(quoted->text)
                                          : Json(print_expression(*value));
    }
    parameters.push_back(std::move(json));
  }
  Json variables = Json::object();  // names in a formula that are no parameters of the entry
  for (const TermArgument& argument : term.arguments) {
    bool known = false;
    for (const EncodingParameter& parameter : entry.parameters)
      known = known || parameter.name == parameter_name(argument, entry);
    if (!known) variables[argument.key] = print_expression(argument.value);
  }
  return {{"name", entry.name},       {"expression", print_expression(term)},
          {"within", shown.depth},    {"summary", entry.summary},
          {"formula", entry.formula}, {"paper", entry.paper},
          {"year", entry.year},       {"notes", entry.notes},
          {"parameters", parameters}, {"variables", variables}};
}

Json places_json(const ResolvedEncoding& encoding) {
  Json layers = Json::array();
  for (const LayerEncoding& layer : encoding.layers) {
    Json rotations = Json::array();
    for (const auto& rotation : layer.rotation) {
      rotations.push_back(rotation == nullptr ? Json(nullptr)
                                              : Json{{"term", rotation->name},
                                                     {"first", rotation->first},
                                                     {"pairs", rotation->pairs},
                                                     {"layout", rotation->halves ? "half" : "interleaved"},
                                                     {"axes", rotation->axes},
                                                     {"length_classes", rotation->classes}});
    }
    Json decoupled = nullptr;
    if (layer.decoupled) {
      decoupled = {{"key_latent", layer.decoupled->key_latent},
                   {"query_latent", layer.decoupled->query_latent},
                   {"rotary", layer.decoupled->rotary},
                   {"shared_query", layer.decoupled->shared_query},
                   {"norm", layer.decoupled->norm}};
    }
    Json bias = nullptr;
    if (layer.bias != nullptr) {
      bias = {{"by_query", layer.bias->rows > 1}, {"per_length", layer.bias->per_length}, {"axis", layer.bias->axis}};
    }
    layers.push_back(
        {{"rotation", rotations}, {"bias", bias}, {"scale", layer.scale}, {"decoupled", std::move(decoupled)}});
  }
  Json input = nullptr;
  if (encoding.input) input = {{"axis", encoding.input->axis}, {"per_length", encoding.input->per_length}};
  return {{"embedding_width", encoding.embedding_width}, {"input", input}, {"layers", layers}};
}

Json start_json(const InitialValues& initial) {
  switch (initial.kind) {
    case InitialValues::Kind::constant:
      return {{"kind", "constant"}, {"value", initial.centre}};
    case InitialValues::Kind::normal:
      return {{"kind", "normal"}, {"mean", initial.centre}, {"deviation", initial.size}};
    case InitialValues::Kind::uniform:
      return {{"kind", "uniform"}, {"from", initial.centre - initial.size}, {"to", initial.centre + initial.size}};
    case InitialValues::Kind::values:
      return {{"kind", "values"}, {"values", initial.values}};
  }
  return nullptr;
}

Json tensors_json(const ResolvedEncoding& encoding) {
  Json list = Json::array();
  for (const LearnedParameter& parameter : encoding.parameters) {
    Json json = {{"name", parameter.name}, {"shape", parameter.shape}, {"start", start_json(parameter.initial)}};
    json["least"] = parameter.least;  // null where there is no bound
    json["most"] = parameter.most;
    list.push_back(std::move(json));
  }
  return list;
}

Json kernels_json(const std::vector<KernelCurves>& groups) {
  Json list = Json::array();
  for (const KernelCurves& group : groups) {
    for (const KernelCurves::Curve& curve : group.curves) {
      const Kernel& kernel = curve.kernel;
      list.push_back({{"place", place_name(group.site.place)},
                      {"layer", group.site.layer},
                      {"heads", curve.heads},
                      {"axis", axis_json(group.axis)},
                      {"first_distance", kernel.first},
                      {"values", kernel.values},
                      {"query_position", {{"keys_behind", -kernel.first}, {"keys_ahead", 0}}},
                      {"deviation", kernel.deviation},
                      {"toeplitz", kernel.toeplitz()}});
    }
  }
  return list;
}

}  // namespace

Json card_json(const EncodingCard& card) {
  const EncodingShape& shape = card.resolved.shape;
  const EncodingTraits& traits = card.traits;
  Json terms = Json::array();
  for (const CardTerm& term : card_terms(card.encoding)) terms.push_back(term_json(term));
  Json axes = Json::array();
  for (const PositionAxis& axis : card.resolved.axes) axes.push_back(axis_json(axis));
  Json desiderata = Json::array();
  for (const Desiderata& place : card.desiderata) desiderata.push_back(desiderata_json(place));
  return {{"name", card.expression},
          {"class", coupling_name(traits.coupling)},
          {"traits",
           {{"exactly_relative", traits.exactly_relative},
            {"learnable", traits.learnable},
            {"extrapolates", traits.extrapolates},
            {"bidirectional", traits.bidirectional},
            {"depends_on_length", traits.depends_on_length},
            {"n_dimensional", traits.n_dimensional}}},
          {"shape",
           {{"layers", shape.layers},
            {"heads", shape.heads},
            {"head_width", shape.head_width},
            {"width", shape.width},
            {"positions", shape.positions},
            {"causal", shape.causal},
            {"grid", shape.grid}}},
          {"seed", card.seed},
          {"terms", std::move(terms)},
          {"axes", std::move(axes)},
          {"places", places_json(card.resolved)},
          {"tensors", tensors_json(card.resolved)},
          {"kernels", kernels_json(card.kernels)},
          {"desiderata", std::move(desiderata)}};
}

}  // namespace phasor
