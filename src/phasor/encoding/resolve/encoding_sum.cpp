#include "phasor/encoding/resolve/encoding_sum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    sum.beyond = std::max(sum.beyond, term.beyond);
  }
  return sum;
}

namespace {

// Of a term that has no words of its own.
std::string_view usual_beyond(const EncodingTraits& traits) {
  switch (traits.beyond) {
    case Beyond::clamped:
      return "from a bound on, all count as the one at the bound";
    case Beyond::drawn:
      return "positions come from the range that training drew from";
    case Beyond::refused:
      return "refused, there are trained numbers for each position of training alone";
    case Beyond::formula:
      break;
  }
  switch (traits.coupling) {
    case Coupling::input:
      return "vectors go on by the formula";
    case Coupling::toeplitz_bias:
      return "biases go on by the formula";
    case Coupling::content_bias:
      return "gates go on to add up";
    case Coupling::hadamard_toeplitz:
    case Coupling::hadamard:
      return "angles go on to grow, beyond those of training";
    case Coupling::content_rotation:
      return "tokens go on to say angles";
    case Coupling::row_scale:
      return "factors go on by the formula";
    case Coupling::distance_rows:
      return "vectors go on by the formula";
    case Coupling::none:
      break;
  }
  return traits.neutral ? "nothing depends on positions" : "the formula goes on";
}

}  // namespace

std::string EncodingSum::beyond() const {
  std::vector<std::string> clauses;
  for (size_t t = 0; t < components_.size(); ++t) {
    std::string clause = components_[t]->beyond();
    if (clause.empty()) clause = usual_beyond(components_[t]->traits());
    if (components_.size() > 1) clause = fmt::format("{}: {}", encoding_.terms[t].name, clause);
    if (std::find(clauses.begin(), clauses.end(), clause) == clauses.end()) clauses.push_back(clause);
  }
  return fmt::format("{}", fmt::join(clauses, "; "));
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
