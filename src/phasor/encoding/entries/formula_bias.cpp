// A distance bias that a person wrote as a formula.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

class FormulaBias : public EncodingComponent {
 public:
  explicit FormulaBias(const EncodingArguments& arguments) : term_(FormulaTerm::Place::bias, arguments, "formula") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::toeplitz_bias,
            .exactly_relative = !term_.uses("i"),
            .learnable = term_.learned(),
            .extrapolates = true,  // a formula has a value at any distance; whether it helps is another matter
            .bidirectional = term_.uses("d") || term_.uses("i"),
            .depends_on_length = term_.uses("n")};
  }
  std::string formula() const override { return "b = " + term_.text(); }
  TableForm form() const override { return {.bias_by_query = term_.uses("i"), .bias_per_length = term_.uses("n")}; }

  void fill(EncodingPlaces& places) const override { term_.add_bias(places); }

 private:
  FormulaTerm term_;
};

}  // namespace

EncodingEntry bias_entry() {
  return {.name = "bias",
          .summary = "a distance bias by formula",
          .formula = "b = formula of d distance, i query position, n length, h head, l layer, H heads, L layers",
          .paper = "yours",
          .year = 2026,
          .parameters = {required_formula_parameter("formula", "in quotes, of d, i, n, h, l, H, L and your own names")},
          .other_arguments = OtherArguments::formula_variables,
          .notes =
              "Other arguments are names in the formula: numbers, or `learned(start)` for trained ones, "
              "`learned(start,per=head)` for one per head; each layer trains its own. `min` and `max` keep a "
              "trained number within bounds. A formula without i is a Toeplitz bias.",
          .example = "bias(\"-a*log(1+b*abs(d))\",a=1,b=learned(0.1))",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<FormulaBias>(arguments);
          }};
}

}  // namespace phasor
