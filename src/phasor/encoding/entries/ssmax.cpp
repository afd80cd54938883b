// Scalable-Softmax: logits grow with the logarithm of how many of them a query has.
#include <fmt/format.h>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

class Ssmax : public EncodingComponent {
 public:
  explicit Ssmax(const EncodingArguments& arguments)
      : strength_(arguments.word("s")),
        start_(arguments.number("start")),
        shift_(arguments.learnable("b")),
        masked_(term("i+1")),
        open_(term("n")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::row_scale,
            .learnable = strength_ != "fixed" || shift_.learned,
            .extrapolates = true,
            .bidirectional = true,
            .depends_on_length = true};
  }
  std::string formula() const override {
    return fmt::format("s_i = {} with a causal mask, {} without; {}", masked_.text(), open_.text(),
                       strength_ == "fixed"    ? fmt::format("s = {}", start_)
                       : strength_ == "shared" ? fmt::format("s trained in each layer, from {} on", start_)
                                               : fmt::format("s trained per head and layer, from {} on", start_));
  }
  TableForm form_for(const EncodingShape& shape) const override { return of(shape).scale_form(); }
  void fill(EncodingPlaces& places) const override { of(places.shape()).multiply_scale(places); }

 private:
  const FormulaTerm& of(const EncodingShape& shape) const { return shape.causal ? masked_ : open_; }

  FormulaTerm term(const std::string& count) const {
    FormulaArgument s{.name = "s", .learned = strength_ != "fixed", .value = start_, .initial = {}};
    s.initial.centre = start_;
    s.per_head = strength_ == "per_head";
    if (!shift_.learned && shift_.value == 0.0)
      return {FormulaTerm::Place::scale, fmt::format("s*log({})", count), {s}};
    return {FormulaTerm::Place::scale, fmt::format("s*log({})+b", count), {s, formula_argument("b", shift_)}};
  }

  std::string strength_;
  double start_;
  LearnableNumber shift_;
  FormulaTerm masked_, open_;
};

}  // namespace

EncodingEntry ssmax_entry() {
  return {
      .name = "ssmax",
      .summary = "Scalable-Softmax: logits times s log n, so that attention stays sharp among many keys",
      .formula = "s_i = s log(i + 1) with a causal mask, s log n without; s trained per head and layer",
      .paper = "Nakanishi: Scalable-Softmax Is Superior for Attention (arXiv 2501.19399)",
      .year = 2025,
      .parameters = {word_parameter("s", {"per_head", "shared", "fixed"},
                                    "trained per head and layer, once per layer, or fixed at `start`"),
                     number_parameter("start", 0.168, -1000, 1000, "where s starts, or what it is"),
                     learnable_parameter("b", 0, -1000, 1000,
                                         "added to s log n: the paper's variant with a bias is "
                                         "`b=learned(0,per=head)`")},
      .notes =
          "n is the size of the vector that a softmax normalises: the keys that a query sees, i + 1 of them with a "
          "causal mask, and the sequence's length without. It is a factor on products of query and key, on top of 1 "
          "/ sqrt(query width); other encodings' biases stand outside. The first token of a causal model has log(1) "
          "= 0: all its logits are 0, which changes nothing, as it sees itself alone; with b they are b times what "
          "they were. `start` is the inverse of the mean of log n over n up to 1024; the mean factor is then 1 in "
          "training at that length. Within `randomized`, i is the drawn position. Beyond the trained lengths the "
          "logarithm goes on.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Ssmax>(arguments);
      }};
}

}  // namespace phasor
