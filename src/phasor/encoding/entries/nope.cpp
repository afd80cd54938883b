// No encoding: what order there is comes from a causal mask.
#include "phasor/encoding/catalogue.h"

namespace phasor {
namespace {

class Nope : public EncodingComponent {
 public:
  EncodingTraits traits() const override {
    return {.coupling = Coupling::none, .neutral = true, .exactly_relative = true, .extrapolates = true};
  }
  void fill(EncodingPlaces&) const override {}
};

}  // namespace

EncodingEntry nope_entry() {
  return {
      .name = "nope",
      .summary = "no encoding; without a causal mask the model sees a bag of tokens",
      .formula = "nothing is added",
      .paper =
          "Haviv, Ram, Press, Izsak, Levy: Transformer Language Models without Positional Encodings Still "
          "Learn Positional Information (arXiv 2203.16634)",
      .year = 2022,
      .parameters = {},
      .make = [](const EncodingArguments&) -> std::unique_ptr<EncodingComponent> { return std::make_unique<Nope>(); }};
}

}  // namespace phasor
