#include <nlohmann/json.hpp>

#include "phasor/encoding/measure/desiderata.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json verdict_json(Fulfilment verdict) {
  if (verdict == Fulfilment::not_applicable) return nullptr;
  return verdict == Fulfilment::pass;
}

}  // namespace

Json desiderata_json(const Desiderata& measured) {
  const Desiderata& d = measured;
  const bool none = d.site.place == CodeSite::Place::none;
  const bool fitted = d.shift.verdict != Fulfilment::not_applicable;
  const auto number = [](bool there, double value) { return there ? Json(value) : Json(nullptr); };
  return {
      {"place", place_name(d.site.place)},
      {"layer", d.site.layer},
      {"head", d.site.head},
      {"by_distance", d.by_distance},
      {"positions", d.positions},
      {"unique",
       {{"pass", verdict_json(d.unique.verdict)},
        {"nearest", d.unique.nearest},
        {"length_difference", d.unique.length_difference}}},
      {"shift",
       {{"pass", verdict_json(d.shift.verdict)},
        {"residual", number(fitted, d.shift.residual)},
        {"rank", d.shift.rank},
        {"positions", d.shift.positions}}},
      {"longer",
       {{"pass", verdict_json(d.longer.verdict)},
        {"has_values", d.longer.has_values},
        {"reason", d.longer.reason},
        {"norm_ratio", number(d.longer.has_values, d.longer.norm_ratio)},
        {"step_ratio", number(d.longer.has_values, d.longer.step_ratio)}}},
      {"deterministic",
       {{"pass", verdict_json(d.origin.verdict)}, {"origin", none ? Json(nullptr) : Json(origin_name(d.origin.kind))}}},
      {"n_dimensional", {{"pass", verdict_json(d.n_dimensional)}}},
      {"norm_ratio", d.norm_ratio},
      {"largest_step", d.largest_step},
      {"unevenness", d.unevenness},
      {"sides_alike", d.sides_alike}};
}

}  // namespace phasor
