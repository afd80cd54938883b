// A trained kernel of the distance: its logarithm, or a power of it.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

// The kernel needs positive numbers; this is how near to 0 they may come.
constexpr double kLeast = 0.01;

// One number per head and layer, from anywhere between the least and `highest_start`.
FormulaArgument trained(std::string name, double highest_start) {
  FormulaArgument result{.name = std::move(name), .learned = true, .initial = {}, .per_head = true, .least = kLeast};
  result.initial.kind = InitialValues::Kind::uniform;
  result.initial.centre = (highest_start + kLeast) / 2.0;
  result.initial.size = (highest_start - kLeast) / 2.0;
  return result;
}

FormulaTerm logarithmic() {
  return {FormulaTerm::Place::bias, "-r1*log(1+r2*abs(d))", {trained("r1", 2.0), trained("r2", 1.0)}};
}

FormulaTerm power() {
  FormulaArgument exponent = trained("r2", 2.0);
  exponent.most = 2.0;  // beyond, the kernel is not conditionally positive definite any more
  return {FormulaTerm::Place::bias, "-r1*abs(d)^r2", {trained("r1", 1.0), exponent}};
}

class Kerple : public EncodingComponent {
 public:
  explicit Kerple(const EncodingArguments& arguments)
      : term_(arguments.word("kind") == "log" ? logarithmic() : power()) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::toeplitz_bias,
            .exactly_relative = true,
            .learnable = true,
            .extrapolates = true,
            .bidirectional = true};
  }

  std::string formula() const override { return "b_h(d) = " + term_.text() + ", r1 and r2 trained per head and layer"; }
  void fill(EncodingPlaces& places) const override { term_.add_bias(places); }

 private:
  FormulaTerm term_;
};

}  // namespace

EncodingEntry kerple_entry() {
  return {.name = "kerple",
          .summary = "logits fall off with the logarithm or a power of the distance, trained per head",
          .formula = "b_h(d) = -r1 log(1 + r2 |d|); power: b_h(d) = -r1 |d|^r2; r1 and r2 trained per head and layer",
          .paper =
              "Chi, Fan, Ramadge, Rudnicky: KERPLE: Kernelized Relative Positional Embedding for Length Extrapolation "
              "(arXiv 2205.09921)",
          .year = 2022,
          .parameters = {word_parameter("kind", {"log", "power"}, "which kernel of the distance")},
          .notes =
              "As in the released code, numbers start evenly spread and never fall below 0.01: log with r1 up to "
              "2 and r2 up to 1, power with r1 up to 1 and r2 up to 2, which it may not exceed later. "
              "`power` with r2 = 1 is `alibi` with trained slopes. Both sides of the query get the same: it does "
              "not tell left from right. The tensors are `layers.<l>.encoding.kerple.r1` and `.r2`, [heads].",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Kerple>(arguments);
          }};
}

}  // namespace phasor
