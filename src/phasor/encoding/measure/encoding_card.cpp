#include "phasor/encoding/measure/encoding_card.h"

#include <algorithm>
#include <map>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/resolve/encoding_sum.h"
#include "phasor/encoding/resolve/values.h"

namespace phasor {
namespace {

using Place = CodeSite::Place;

void add_curve(KernelCurves& group, Kernel kernel, int64_t head) {
  for (KernelCurves::Curve& curve : group.curves) {
    if (curve.kernel.values == kernel.values) {
      curve.heads.push_back(head);
      return;
    }
  }
  group.curves.push_back({.heads = {head}, .kernel = std::move(kernel)});
}

// A group per axis.
std::vector<KernelCurves> curves_at(const ResolvedEncoding& encoding, const CodeSite& first) {
  std::vector<KernelCurves> groups;
  std::map<const Rotation*, std::vector<Kernel>> rotations;  // heads that share a table share its kernels
  for (int64_t head = first.head; head < encoding.shape.heads; ++head) {
    for (const CodeSite& site : code_sites(encoding, first.layer, head)) {
      if (site.place != first.place) continue;
      const LayerEncoding& layer = encoding.layers[static_cast<size_t>(site.layer)];
      const Rotation* rotation = layer.rotation[static_cast<size_t>(head)].get();
      const bool turns = site.place == Place::rotation || site.place == Place::decoupled;
      std::vector<Kernel>& known = rotations[turns ? rotation : nullptr];
      if (!turns || known.empty()) known = kernels_at(encoding, site);
      groups.resize(known.size());
      for (size_t a = 0; a < known.size(); ++a) {
        groups[a].site = first;
        groups[a].axis = known[a].axis;
        add_curve(groups[a], known[a], head);
      }
    }
    if (first.place == Place::input) break;  // for all heads
  }
  if (first.place == Place::input) groups.front().curves.front().heads.clear();
  return groups;
}

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
  EncodingCard card{.encoding = {}, .expression = print(encoding), .traits = {}, .resolved = {}, .seed = seed};
  card.encoding = parse_encoding(card.expression);
  card.traits = EncodingSum(card.encoding, card.expression).traits();
  card.resolved = resolve(card.encoding, shape);
  const ResolvedEncoding started = with_values(card.resolved, initial_values(card.resolved, seed));
  for (const CodeSite& site : code_sites(started)) {
    for (KernelCurves& curves : curves_at(started, site)) card.kernels.push_back(std::move(curves));
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

const TermValue* given_value(const Term& term, const EncodingParameter& parameter) {
  const EncodingEntry& entry = *find_encoding(term.name);
  for (const TermArgument& argument : term.arguments) {
    if (parameter_name(argument, entry) == parameter.name) return &argument.value;
  }
  return nullptr;
}

}  // namespace phasor
