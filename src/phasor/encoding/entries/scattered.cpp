// Positions are the indices in a random order: every token has a place of its own, and places that are close are not.
#include <fmt/format.h>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/resolve/encoding_sum.h"

namespace phasor {
namespace {

class Scattered : public EncodingComponent {
 public:
  explicit Scattered(const EncodingArguments& arguments)
      : inner_(arguments.encoding("encoding"), arguments.text()), seed_(arguments.integer("seed")) {}

  EncodingTraits traits() const override {
    EncodingTraits traits = inner_.traits();
    traits.extrapolates = traits.neutral;  // another length has another order
    return traits;
  }
  std::string beyond() const override {
    return fmt::format("another longest sequence has another order; {}", inner_.beyond());
  }
  TableForm form_for(const EncodingShape& shape) const override { return inner_.form_for(shape); }

  void fill(EncodingPlaces& places) const override {
    places.scatter(seed_, [&] { inner_.fill(places); });
  }

 private:
  EncodingSum inner_;
  int64_t seed_;
};

}  // namespace

EncodingEntry scattered_entry() {
  return {
      .name = "scattered",
      .summary = "positions are the indices in a random order that is drawn once",
      .formula = "p_i = s(i), s a permutation of 0 .. the longest sequence - 1; the inner encoding reads p",
      .paper = "a control: the same angles or vectors, without any relation to distance",
      .year = 2026,
      .parameters = {encoding_parameter("encoding", "the encoding that reads the positions"),
                     integer_parameter("seed", 0, 0, 1000000000, "which order; the model's seed has no part in it")},
      .notes =
          "What an encoding owes to the *set* of its angles or vectors it keeps; what it owes to their order it "
          "loses. Logits are Toeplitz in p, not in the index. The order depends on the longest sequence.",
      .example = "scattered(rope)",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Scattered>(arguments);
      }};
}

}  // namespace phasor
