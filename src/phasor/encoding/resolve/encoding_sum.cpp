#include "phasor/encoding/resolve/encoding_sum.h"

#include <algorithm>

#include "phasor/encoding/catalogue.h"

namespace phasor {

EncodingSum::EncodingSum(const Encoding& encoding, std::string_view text) : encoding_(encoding) {
  for (const Term& term : encoding_.terms) components_.push_back(make_component(term, text));
}

EncodingTraits EncodingSum::traits() const {
  EncodingTraits sum{.neutral = true, .exactly_relative = true, .extrapolates = true};
  for (size_t t = 0; t < components_.size(); ++t) {
    EncodingTraits term = components_[t]->traits();
    const Term& written = encoding_.terms[t];
    term.neutral = term.neutral && !written.masks();
    term.exactly_relative = term.exactly_relative && written.chunk.tokens == 0;  // a boundary stays where it is
    sum.masked = sum.masked || term.masked || written.masks();
    sum.coupling = std::max(sum.coupling, term.coupling);
    sum.neutral = sum.neutral && term.neutral;
    sum.exactly_relative = sum.exactly_relative && term.exactly_relative;
    sum.learnable = sum.learnable || term.learnable;
    sum.extrapolates = sum.extrapolates && term.extrapolates;
    sum.bidirectional = sum.bidirectional || term.bidirectional;
    sum.depends_on_length = sum.depends_on_length || term.depends_on_length;
    sum.n_dimensional = sum.n_dimensional || term.n_dimensional;
  }
  return sum;
}

TableForm EncodingSum::form_for(const EncodingShape& shape) const {
  TableForm form;
  for (const auto& component : components_) form |= component->form_for(shape);
  return form;
}

void EncodingSum::fill(EncodingPlaces& places) const {
  for (size_t t = 0; t < components_.size(); ++t) {
    places.within(encoding_.terms[t], [&] { components_[t]->fill(places); });
  }
}

}  // namespace phasor
