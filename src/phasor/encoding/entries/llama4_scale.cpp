// Llama 4's attention temperature: logits grow in steps with the query's position.
#include <fmt/format.h>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

FormulaArgument constant(std::string name, double value) {
  return {.name = std::move(name), .value = value, .initial = {}};
}

class Llama4Scale : public EncodingComponent {
 public:
  explicit Llama4Scale(const EncodingArguments& arguments)
      : beta_(arguments.learnable("beta")),
        term_(FormulaTerm::Place::scale, "1+beta*log(1+floor((i+offset)/step))",
              {formula_argument("beta", beta_), constant("offset", static_cast<double>(arguments.integer("offset"))),
               constant("step", static_cast<double>(arguments.integer("floor")))}) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::row_scale, .learnable = beta_.learned, .extrapolates = true, .bidirectional = true};
  }
  TableForm form() const override { return term_.scale_form(); }
  void fill(EncodingPlaces& places) const override { term_.multiply_scale(places); }

 private:
  LearnableNumber beta_;
  FormulaTerm term_;
};

}  // namespace

EncodingEntry llama4_scale_entry() {
  return {.name = "llama4_scale",
          .summary = "Llama 4's attention temperature: logits grow in steps with the query's position",
          .formula = "s_i = 1 + beta log(1 + floor((i + offset) / floor))",
          .paper = "Meta AI: The Llama 4 herd: The beginning of a new era of natively multimodal AI innovation (2025)",
          .year = 2025,
          .parameters = {learnable_parameter("beta", 0.1, -100, 100, "how fast the factor grows"),
                         integer_parameter("floor", 8192, 1, int64_t{1} << 30, "positions of one step"),
                         integer_parameter("offset", 1, 0, 1, "1 as in Llama 4, 0 as in Ministral 3")},
          .notes =
              "Positions i count from 0: the factor is 1 for the first floor - offset of them, and goes on for any "
              "other. Llama 4 has it in the layers without rotation: "
              "`rope[layers=0-2]+llama4_scale[layers=3]`. Ministral 3 has it in all: "
              "`rope(scaling=yarn,factor=16,original=16384)+llama4_scale(floor=16384,offset=0)`.",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Llama4Scale>(arguments);
          }};
}

}  // namespace phasor
