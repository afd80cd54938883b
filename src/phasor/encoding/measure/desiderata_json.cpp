#include "phasor/base/json_fields.h"
#include "phasor/encoding/measure/desiderata.h"

namespace phasor {
namespace {

std::optional<bool> passes(Fulfilment verdict) {
  if (verdict == Fulfilment::not_applicable) return std::nullopt;
  return verdict == Fulfilment::pass;
}

template <class T>
Field<T> pass_field() {
  return derived_field<T>(
      "pass", [](const T& measured) { return passes(measured.verdict); }, "null: does not apply");
}

// A number, where there is one.
template <class T, class Has>
Field<T> number_if(const char* name, double T::*member, const Has& has, const char* help) {
  return derived_field<T>(
      name, [=](const T& measured) { return has(measured) ? std::optional(measured.*member) : std::nullopt; }, help);
}

}  // namespace

static const Fields<Desiderata::Uniqueness>& json_fields(const Desiderata::Uniqueness*) {
  using U = Desiderata::Uniqueness;
  static const Fields<U> fields = {
      pass_field<U>(), field("nearest", &U::nearest, "distance of the two most similar codes, over the mean norm"),
      field("length_difference", &U::length_difference,
            "largest change of a code from n tokens to n / 2, over the mean norm")};
  return fields;
}

static const Fields<Desiderata::Shift>& json_fields(const Desiderata::Shift*) {
  using S = Desiderata::Shift;
  const auto is_fitted = [](const S& shift) { return shift.verdict != Fulfilment::not_applicable; };
  static const Fields<S> fields = {pass_field<S>(),
                                   number_if("residual", &S::residual, is_fitted,
                                             "what one map from each code to the next leaves, over their spread"),
                                   field("rank", &S::rank, "directions that the codes differ in"),
                                   field("positions", &S::positions, "that the map was fitted on")};
  return fields;
}

static const Fields<Desiderata::Bounded>& json_fields(const Desiderata::Bounded*) {
  using L = Desiderata::Bounded;
  const auto has_values = [](const L& bounded) { return bounded.has_values; };
  static const Fields<L> fields = {
      pass_field<L>(), field("has_values", &L::has_values, "at positions n to 2 n - 1"),
      field("reason", &L::reason, "why not; empty where it has"),
      number_if("norm_ratio", &L::norm_ratio, has_values, "largest norm there over the largest before"),
      number_if("step_ratio", &L::step_ratio, has_values, "the same of steps between neighbours")};
  return fields;
}

const Fields<Desiderata>& json_fields(const Desiderata*) {
  using D = Desiderata;
  const auto origin = [](const D& d) {
    const bool none = d.site.place == CodeSite::Place::none;
    return none ? std::nullopt : std::optional(std::string(origin_name(d.origin.kind)));
  };
  static const Fields<CodeSite> site = {
      derived_field<CodeSite>(
          "place", [](const CodeSite& at) { return place_name(at.place); }, "that carries positions"),
      field("layer", &CodeSite::layer, "the first that has it"), field("head", &CodeSite::head, "likewise")};
  static const Fields<D> fields = joined_fields<D>(
      {part_fields(&D::site, site),
       {field("by_distance", &D::by_distance, "codes are those of distances from a query, not of positions"),
        field("positions", &D::positions, "that were compared"),
        field("unique", &D::unique, "no code stands for two positions, whatever the length"),
        field("shift", &D::shift, "one linear map takes every position to the next"),
        field("bounded", &D::bounded, "values beyond the length of training, no larger than before"),
        group_field<D>("deterministic",
                       {derived_field<D>(
                            "pass", [](const D& d) { return passes(d.origin.verdict); }, "null: does not apply"),
                        derived_field<D>("origin", origin, "rule, trained table, draw, ...; null: there are no codes")},
                       "made by a rule"),
        group_field<D>("n_dimensional",
                       {derived_field<D>(
                           "pass", [](const D& d) { return passes(d.n_dimensional); }, "null: does not apply")},
                       "reads several coordinates"),
        field("norm_ratio", &D::norm_ratio, "mean norm of the codes over that of content"),
        field("largest_step", &D::largest_step, "between neighbouring codes, over the norm of content"),
        field("unevenness", &D::unevenness, "largest step over the mean one"),
        field("sides_alike", &D::sides_alike, "of a bias without a causal mask: keys ahead look like keys behind")}});
  return fields;
}

nlohmann::ordered_json desiderata_json(const Desiderata& measured) { return write_json(measured); }

}  // namespace phasor
