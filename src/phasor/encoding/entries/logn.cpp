// Log-n scaling: beyond the trained length, logits grow with the logarithm of the number of keys.
#include <fmt/format.h>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

class Logn : public EncodingComponent {
 public:
  explicit Logn(const EncodingArguments& arguments)
      : original_(static_cast<double>(arguments.integer("original"))), masked_(term("i+1")), open_(term("n")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::row_scale, .extrapolates = true, .bidirectional = true, .depends_on_length = true};
  }
  TableForm form_for(const EncodingShape& shape) const override { return of(shape).scale_form(); }
  void fill(EncodingPlaces& places) const override { of(places.shape()).multiply_scale(places); }

 private:
  const FormulaTerm& of(const EncodingShape& shape) const { return shape.causal ? masked_ : open_; }

  FormulaTerm term(const std::string& count) const {
    return {FormulaTerm::Place::scale,
            fmt::format("max(1,log({})/log(original))", count),
            {{.name = "original", .value = original_, .initial = {}}}};
  }

  double original_;
  FormulaTerm masked_, open_;
};

}  // namespace

EncodingEntry logn_entry() {
  return {
      .name = "logn",
      .summary = "logits times log n / log(trained length) in sequences that are longer, for use after training",
      .formula = "s_i = max(1, log(i + 1) / log(original)) with a causal mask, max(1, log n / log(original)) without",
      .paper =
          "Chiang, Cholak: Overcoming a Theoretical Limitation of Self-Attention (arXiv 2202.12172); Su: the scale "
          "of attention from invariance of entropy (kexue.fm/archives/8823), as in Qwen's first models",
      .year = 2022,
      .parameters = {integer_parameter("original", 512, 2, int64_t{1} << 30, "the trained length")},
      .notes =
          "Clipped at 1 from below, as in Qwen's code: up to the trained length nothing changes, beyond it the "
          "logarithm goes on. Give the length of your training as `original`: with a longer one this is no encoding "
          "at all. Unclipped, for training with it: `scale(\"log(n)/log(512)\")`. Within `randomized`, i is the "
          "drawn position.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Logn>(arguments);
      }};
}

}  // namespace phasor
