// Positions drawn at random, in order, from a range wider than any sequence.
#include <fmt/format.h>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/resolve/encoding_sum.h"

namespace phasor {
namespace {

class Randomized : public EncodingComponent {
 public:
  explicit Randomized(const EncodingArguments& arguments)
      : inner_(arguments.encoding("encoding"), arguments.text()), max_(arguments.integer("max")) {}

  EncodingTraits traits() const override {
    EncodingTraits traits = inner_.traits();
    traits.extrapolates = true;  // to sequences that fit the range
    traits.beyond = Beyond::drawn;
    return traits;
  }
  std::string beyond() const override {
    return fmt::format("positions are drawn from 0 to {}, as in training; sequences of more than {} tokens are refused",
                       max_ - 1, max_);
  }
  TableForm form_for(const EncodingShape& shape) const override { return inner_.form_for(shape); }

  void fill(EncodingPlaces& places) const override {
    places.randomize(max_, [&] { inner_.fill(places); });
  }

 private:
  EncodingSum inner_;
  int64_t max_;
};

}  // namespace

EncodingEntry randomized_entry() {
  return {.name = "randomized",
          .summary = "positions are a random sorted subset of a wider range, drawn anew at every step",
          .formula = "p_0 < p_1 < ... drawn from 0 .. max-1 without replacement; the inner encoding reads p",
          .paper =
              "Ruoss, Deletang, Genewein, Grau-Moya, Csordas, Bennani, Legg, Veness: Randomized Positional Encodings "
              "Boost Length Generalization of Transformers (arXiv 2305.16843)",
          .year = 2023,
          .parameters = {encoding_parameter("encoding", "the encoding that reads the positions"),
                         integer_parameter("max", 2048, 1, 1048576, "positions are drawn from 0 to max - 1")},
          .notes =
              "A draw is a function of the seed, the step and the sequence's tokens; evaluation draws once and "
              "keeps to it. Logits are relative in the drawn positions, not in the index.",
          .example = "randomized(rope,max=512)",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Randomized>(arguments);
          }};
}

}  // namespace phasor
