#include "phasor/encoding/measure/encoding_card.h"

#include <algorithm>
#include <utility>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/measure/measured_sizes.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/resolve/values.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

void collect_terms(const Encoding& encoding, int depth, std::vector<CardTerm>& terms) {
  for (const Term& term : encoding.terms) {
    terms.push_back({.term = &term, .depth = depth});
    for (const EncodingParameter& parameter : find_encoding(term.name)->parameters) {
      if (parameter.kind != EncodingParameter::Kind::encoding) continue;
      if (const TermValue* value = given_value(term, parameter)) {
        collect_terms(std::get<Encoding>(value->content), depth + 1, terms);
      }
    }
  }
}

}  // namespace

EncodingCard make_card(const Encoding& encoding, const EncodingShape& shape, uint64_t seed) {
  EncodingCard card{
      .encoding = {}, .expression = print(encoding), .traits = {}, .beyond = {}, .resolved = {}, .seed = seed};
  card.encoding = parse_encoding(card.expression);
  const EncodingSum sum(card.encoding, card.expression);
  card.traits = sum.traits();
  card.beyond = sum.beyond();
  EncodingShape resolved_for = shape;
  resolved_for.factors = shape.positions <= measured_positions(card.encoding, shape).most;
  card.resolved = resolve(card.encoding, resolved_for);
  card.left_out = measures_left_out(card.encoding, card.resolved);
  const ResolvedEncoding started = with_values(card.resolved, initial_values(card.resolved, seed));
  card.rotary_pairs = rotary_pairs(started);
  card.row_scales = row_scale_curves(started);
  if (!card.left_out.empty()) return card;
  for (const CodeSite& site : code_sites(started)) {
    for (KernelCurves& curves : kernel_curves(started, site)) card.kernels.push_back(std::move(curves));
  }
  card.desiderata = measure_desiderata(card.encoding, shape, seed);
  return card;
}

std::vector<TensorGroup> tensor_groups(const ResolvedEncoding& encoding) {
  std::vector<TensorGroup> groups;
  for (const LearnedParameter& parameter : encoding.parameters) {
    std::string name = parameter.name;
    if (name.starts_with("layers.")) name = "layers.<l>" + name.substr(name.find('.', 7));
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const TensorGroup& group) {
      return group.name == name && group.parameter->shape == parameter.shape &&
             group.parameter->initial == parameter.initial;
    });
    if (same != groups.end()) {
      ++same->count;
    } else {
      groups.push_back({.name = std::move(name), .count = 1, .parameter = &parameter});
    }
  }
  return groups;
}

std::vector<CardTerm> card_terms(const Encoding& encoding) {
  std::vector<CardTerm> terms;
  collect_terms(encoding, 0, terms);
  return terms;
}

std::string formula_in_force(const Term& term) {
  const std::string formula = make_component(term, print_expression(term))->formula();
  return formula.empty() ? find_encoding(term.name)->formula : formula;
}

bool has_say(const Term& term, const EncodingParameter& parameter) {
  return make_component(term, print_expression(term))->reads(parameter.name);
}

const TermValue* given_value(const Term& term, const EncodingParameter& parameter) {
  const EncodingEntry& entry = *find_encoding(term.name);
  for (const TermArgument& argument : term.arguments) {
    if (parameter_name(argument, entry) == parameter.name) return &argument.value;
  }
  return nullptr;
}

}  // namespace phasor
