// A bias that sums up what every token adds to the distance.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/gate_places.h"

namespace phasor {
namespace {

class Cable : public EncodingComponent {
 public:
  explicit Cable(const EncodingArguments&) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::content_bias,
            .exactly_relative = true,
            .learnable = true,
            .extrapolates = true,
            .bidirectional = true};
  }

  void fill(EncodingPlaces& places) const override { add_gates(places, GateTerm::Map::minus_softplus); }
};

}  // namespace

EncodingEntry cable_entry() {
  return {
      .name = "cable",
      .summary = "every token is a step of its own width, by its hidden state; logits fall off with the steps",
      .formula = "b_ij = -|c_i - c_j|, c_t = -sum_(s<=t) log(1 + e^(w_h x_s + b_h)), x the layer's normed stream",
      .paper = "Veisi, Amirzadeh, Mansourian: Context-aware Biases for Length Extrapolation (arXiv 2503.08067)",
      .year = 2025,
      .parameters = {},
      .notes =
          "As the released code computes it: biases are sums of -softplus(w_h x + b_h), with "
          "`layers.<l>.encoding.cable.weight`, [heads, width], from N(0, 0.02^2) and `.bias`, [heads], from 0. "
          "Since -softplus(z) = log sigmoid(-z), it is `fox` with the signs of w and b turned about: the two differ "
          "in how they start only by the sign of random numbers. The released code is causal; keys behind the query "
          "get the same of the tokens between, -|c_i - c_j|, which does not tell left from right and is Phasor's "
          "reading. Nothing is read from positions. The released code does not divide products by the root of the "
          "head's width; Phasor does, as for all encodings.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Cable>(arguments);
      }};
}

}  // namespace phasor
