#pragma once
// All there is to say about one encoding on one shape: what it is, where it goes, what it does, measured.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/encoding/measure/desiderata.h"
#include "phasor/encoding/measure/kernel.h"
#include "phasor/encoding/resolve/component.h"
#include "phasor/encoding/syntax/parameter.h"

namespace phasor {

// The kernels of one place along one axis, for the heads of the first layer that has them.
struct KernelCurves {
  struct Curve {
    std::vector<int64_t> heads;  // that share it; empty for an input term, which has none
    Kernel kernel;
  };
  CodeSite site;
  PositionAxis axis;
  std::vector<Curve> curves;
};

struct EncodingCard {
  Encoding encoding;
  std::string expression;  // canonical
  EncodingTraits traits;
  ResolvedEncoding resolved;
  uint64_t seed = 0;  // of the model whose start the numbers below are
  std::vector<KernelCurves> kernels;
  std::vector<Desiderata> desiderata;
};

EncodingCard make_card(const Encoding& encoding, const EncodingShape& shape, uint64_t seed);

// At most 100 columns wide. `ascii` draws kernels without Braille dots.
std::string card_text(const EncodingCard& card, bool ascii);
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
// What was given for a parameter, or null.
const TermValue* given_value(const Term& term, const EncodingParameter& parameter);

}  // namespace phasor
