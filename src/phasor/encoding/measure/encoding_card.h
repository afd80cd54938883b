#pragma once
// All there is to say about one encoding on one shape: what it is, where it goes, what it does, measured.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/measure/desiderata.h"
#include "phasor/encoding/measure/kernel_curves.h"
#include "phasor/encoding/measure/rotary_pairs.h"
#include "phasor/encoding/measure/row_scale_curves.h"
#include "phasor/encoding/resolve/component.h"
#include "phasor/encoding/syntax/parameter.h"

namespace phasor {

struct EncodingCard {
  Encoding encoding;
  std::string expression;  // canonical
  EncodingTraits traits;
  std::string beyond;  // what becomes of positions beyond those of training
  ResolvedEncoding resolved;
  uint64_t seed = 0;  // of the model whose start the numbers below are
  std::vector<RotaryPairs> rotary_pairs;
  std::vector<RowScaleCurve> row_scales;
  std::string left_out;               // why there are no kernels and desiderata; empty: there are
  std::vector<KernelCurves> kernels;  // for the heads of the first layer that has each place
  std::vector<Desiderata> desiderata;
};

EncodingCard make_card(const Encoding& encoding, const EncodingShape& shape, uint64_t seed);

struct CardText {
  bool ascii = false;  // kernels without Braille dots
  bool all = false;    // every parameter of the entries, used here or not, and the catalogue's notes
};

// At most 100 columns wide.
std::string card_text(const EncodingCard& card, const CardText& form = {});
// What stands on it about the terms: what each is, its formula in force, and the parameters that have a say.
std::string terms_text(const Encoding& encoding);
const Fields<EncodingCard>& json_fields(const EncodingCard*);
nlohmann::ordered_json card_json(const EncodingCard& card);

// "layers.<l>.encoding.t5.bias" for the tensors of all layers that start alike.
struct TensorGroup {
  std::string name;
  int64_t count = 0;
  const LearnedParameter* parameter = nullptr;  // one of them
};
std::vector<TensorGroup> tensor_groups(const ResolvedEncoding& encoding);

// A term of the expression, or of one within it.
struct CardTerm {
  const Term* term = nullptr;
  int depth = 0;  // within how many others
};
std::vector<CardTerm> card_terms(const Encoding& encoding);
// The term's formula as its arguments make it, and whether a parameter of its entry has a say beside them.
std::string formula_in_force(const Term& term);
bool has_say(const Term& term, const EncodingParameter& parameter);
// What was given for a parameter, or null.
const TermValue* given_value(const Term& term, const EncodingParameter& parameter);

}  // namespace phasor
