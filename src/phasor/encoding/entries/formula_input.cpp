// An input term that a person wrote as a formula.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

class FormulaInput : public EncodingComponent {
 public:
  explicit FormulaInput(const EncodingArguments& arguments) : term_(FormulaTerm::Place::input, arguments, "formula") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::input,
            .learnable = term_.learned(),
            .bidirectional = term_.uses("i"),
            .depends_on_length = term_.uses("n")};
  }
  std::string formula() const override { return "x[c] += " + term_.text(); }
  TableForm form() const override { return {.input_per_length = term_.uses("n")}; }

  void fill(EncodingPlaces& places) const override { term_.add_input(places); }

 private:
  FormulaTerm term_;
};

}  // namespace

EncodingEntry input_entry() {
  return {.name = "input",
          .summary = "an input term by formula",
          .formula = "x[c] += formula of i position, n length, c channel, C channels",
          .paper = "yours",
          .year = 2026,
          .parameters = {required_formula_parameter("formula", "in quotes, of i, n, c, C and your own names")},
          .other_arguments = OtherArguments::formula_variables,
          .notes = "Other arguments are names in the formula: numbers, or `learned(start)` for trained ones.",
          .example = "input(\"sin(i*base^(-2*floor(c/2)/C)+pi/2*(c-2*floor(c/2)))\",base=10000)",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<FormulaInput>(arguments);
          }};
}

}  // namespace phasor
