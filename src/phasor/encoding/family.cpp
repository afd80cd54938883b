#include "phasor/encoding/family.h"

#include <algorithm>

#include "phasor/encoding/encoding.h"
#include "phasor/encoding/measure/usual_shape.h"
#include "phasor/encoding/resolve/encoding_sum.h"

namespace phasor {

std::string_view family_name(EncodingFamily family) {
  switch (family) {
    case EncodingFamily::input:
      return "input";
    case EncodingFamily::bias:
      return "bias";
    case EncodingFamily::gates:
      return "gates";
    case EncodingFamily::rows:
      return "rows";
    case EncodingFamily::rotation:
      return "rotation";
    case EncodingFamily::scale:
      return "scale";
    case EncodingFamily::decoupled:
      return "decoupled";
    case EncodingFamily::softmax:
      return "softmax";
    case EncodingFamily::wrapper:
      return "wrapper";
    case EncodingFamily::formula:
      return "formula";
  }
  return "input";
}

std::string_view family_title(EncodingFamily family) {
  switch (family) {
    case EncodingFamily::input:
      return "Nothing, and terms added to the embeddings";
    case EncodingFamily::bias:
      return "Biases added to the logits by distance";
    case EncodingFamily::gates:
      return "By what the tokens say: gates between query and key, angles";
    case EncodingFamily::rows:
      return "Vectors by distance, multiplied with queries and keys";
    case EncodingFamily::rotation:
      return "Rotations of queries and keys";
    case EncodingFamily::scale:
      return "Factors on the logits by the query's position";
    case EncodingFamily::decoupled:
      return "Positions on channels of their own";
    case EncodingFamily::softmax:
      return "Beside the logits of keys";
    case EncodingFamily::wrapper:
      return "Around another encoding";
    case EncodingFamily::formula:
      return "By a formula of yours";
  }
  return "";
}

std::string shown_expression(const EncodingEntry& entry) { return entry.example.empty() ? entry.name : entry.example; }

EncodingFamily family_of(const EncodingEntry& entry) {
  using Kind = EncodingParameter::Kind;
  const auto has = [&entry](Kind kind) {
    return std::any_of(entry.parameters.begin(), entry.parameters.end(),
                       [kind](const auto& parameter) { return parameter.kind == kind && parameter.required; });
  };
  if (has(Kind::encoding)) return EncodingFamily::wrapper;
  if (has(Kind::formula)) return EncodingFamily::formula;
  const Encoding encoding = parse_encoding(shown_expression(entry));
  const LayerEncoding layer = resolve(encoding, usual_shape(encoding)).layers.front();
  if (layer.decoupled) return EncodingFamily::decoupled;
  if (layer.sink != nullptr) return EncodingFamily::softmax;
  switch (EncodingSum(encoding, print(encoding)).traits().coupling) {
    case Coupling::toeplitz_bias:
      return EncodingFamily::bias;
    case Coupling::hadamard_toeplitz:
    case Coupling::hadamard:
      return EncodingFamily::rotation;
    case Coupling::content_bias:
    case Coupling::content_rotation:
      return EncodingFamily::gates;
    case Coupling::row_scale:
      return EncodingFamily::scale;
    case Coupling::distance_rows:
      return EncodingFamily::rows;
    case Coupling::none:
    case Coupling::input:
      break;
  }
  return EncodingFamily::input;
}

}  // namespace phasor
