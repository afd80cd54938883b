// The position itself, added to every channel: the first thing one would try.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

namespace phasor {
namespace {

class Integer : public EncodingComponent {
 public:
  explicit Integer(const EncodingArguments& arguments) : normalised_(arguments.word("scale") == "normalised") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::input, .bidirectional = true, .depends_on_length = normalised_};
  }
  std::string formula() const override {
    return normalised_ ? "x[c] += p / (n - 1), n the sequence's own length" : "x[c] += p";
  }
  std::string beyond() const override {
    return normalised_ ? "positions are shares of each sequence's own length" : "";
  }
  TableForm form() const override { return {.input_per_length = normalised_}; }

  void fill(EncodingPlaces& places) const override {
    // A sequence of one token has no step to normalise.
    FormulaTerm(FormulaTerm::Place::input, normalised_ ? "i/max(n-1,1)" : "i", {}).add_input(places);
  }

 private:
  bool normalised_;
};

}  // namespace

EncodingEntry integer_entry() {
  return {
      .name = "integer",
      .summary = "the position itself, added to every channel",
      .formula = "x[c] += p; normalised: x[c] += p / (n - 1), n the sequence's own length",
      .paper = "folklore; the first step in Fleetwood: You could have designed state of the art positional encoding",
      .year = 2024,
      .parameters = {word_parameter("scale", {"raw", "normalised"},
                                    "the position as it is, or divided by the last position of its sequence")},
      .notes =
          "Raw positions drown the content from a few tokens on; normalised ones mean something else in "
          "every length.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Integer>(arguments);
      }};
}

}  // namespace phasor
