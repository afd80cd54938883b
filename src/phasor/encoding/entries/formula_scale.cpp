// A factor on a query's logits that a person wrote as a formula.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

class FormulaScale : public EncodingComponent {
 public:
  explicit FormulaScale(const EncodingArguments& arguments) : term_(FormulaTerm::Place::scale, arguments, "formula") {}

  EncodingTraits traits() const override {
    return {.coupling = term_.uses("i") ? Coupling::row_scale : Coupling::none,
            .exactly_relative = !term_.uses("i"),
            .learnable = term_.learned(),
            .extrapolates = true,  // a formula has a value at any position; whether it helps is another matter
            .bidirectional = term_.uses("i"),
            .depends_on_length = term_.uses("n")};
  }
  std::string formula() const override { return "s = " + term_.text(); }
  TableForm form() const override { return term_.scale_form(); }

  void fill(EncodingPlaces& places) const override { term_.multiply_scale(places); }

 private:
  FormulaTerm term_;
};

}  // namespace

EncodingEntry scale_entry() {
  return {.name = "scale",
          .summary = "a factor on the logits of a query, by formula",
          .formula = "s = formula of i query position, n length, h head, l layer, H heads, L layers",
          .paper = "yours",
          .year = 2026,
          .parameters = {required_formula_parameter("formula", "in quotes, of i, n, h, l, H, L and your own names")},
          .other_arguments = OtherArguments::formula_variables,
          .notes =
              "The factor is on the products of query and keys, on top of 1 / sqrt(query width); biases stand outside. "
              "Positions i count from 0. Other arguments are names as in `bias(...)`; each layer trains its own. Fixed "
              "factors on the same heads multiply; a trained one must be alone there, as a product of tables has no "
              "gradient: write the product as one formula. Without i, n and trained numbers it is one factor per head. "
              "The formula goes on beyond the trained lengths.",
          .example = "scale(\"s*log(i+2)\",s=learned(1,per=head))",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<FormulaScale>(arguments);
          }};
}

}  // namespace phasor
