// A window around the query: logits fall off with the square of the distance.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

class Gaussian : public EncodingComponent {
 public:
  explicit Gaussian(const EncodingArguments& arguments)
      : term_(FormulaTerm::Place::bias, "-(d/width)^2/2", {formula_argument("width", arguments.learnable("width"))}) {}
  EncodingTraits traits() const override {
    return {.coupling = Coupling::toeplitz_bias,
            .exactly_relative = true,
            .learnable = term_.learned(),
            .extrapolates = true,
            .bidirectional = true};
  }
  void fill(EncodingPlaces& places) const override { term_.add_bias(places); }

 private:
  FormulaTerm term_;
};

}  // namespace

EncodingEntry gaussian_entry() {
  return {.name = "gaussian",
          .summary = "a window around the query: logits fall off with the square of the distance",
          .formula = "b(d) = -(d / width)^2 / 2",
          .paper = "after Yang et al.: Modeling Localness for Self-Attention Networks (arXiv 1810.10182)",
          .year = 2018,
          .parameters = {learnable_parameter("width", 8, 0.01, 1e6, "distance at which weights fall to e^-0.5")},
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Gaussian>(arguments);
          }};
}

}  // namespace phasor
