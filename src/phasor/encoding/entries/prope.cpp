// Rotations at the highest frequencies alone: the slow pairs, which carry content, stand still.
#include <algorithm>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"
#include "phasor/encoding/entries/frequencies.h"

namespace phasor {
namespace {

class Prope : public EncodingComponent {
 public:
  explicit Prope(const EncodingArguments& arguments)
      : share_(arguments.number("p")), base_(arguments.number("base")), halves_(arguments.word("layout") == "half") {}

  EncodingTraits traits() const override {
    if (share_ == 0.0) return {.neutral = true, .exactly_relative = true, .extrapolates = true};  // nope
    return {.coupling = Coupling::hadamard_toeplitz, .exactly_relative = true, .bidirectional = true};
  }

  void fill(EncodingPlaces& places) const override {
    if (share_ == 0.0) return;
    const int64_t pairs = head_pairs(places, "prope");
    const int64_t turning = pairs_of_share(places, "p", share_, pairs);
    // The grid spans the whole head, so that what turns keeps its frequency and its partner in either layout.
    std::vector<double> frequencies = geometric_frequencies(base_, 2 * pairs);
    std::fill(frequencies.begin() + turning, frequencies.end(), 0.0);
    places.rotate(index_rotation(places, frequencies, halves_));
  }

 private:
  double share_;
  double base_;
  bool halves_;
};

}  // namespace

EncodingEntry prope_entry() {
  return {.name = "prope",
          .summary = "rope without its lowest frequencies: the slow pairs stand still",
          .formula = "as rope, w = base^(-2c/D) for the first p D/2 pairs, 0 for the others; D = head width",
          .paper =
              "Barbero, Vitvitskyi, Perivolaropoulos, Pascanu, Velickovic: Round and Round We Go! What makes Rotary "
              "Positional Encodings useful? (arXiv 2410.06205)",
          .year = 2024,
          .parameters = {number_parameter("p", 0.75, 0, 1,
                                          "share of a head's pairs that turn, the fastest ones, rounded down"),
                         rotation_base_parameter(), pair_layout_parameter()},
          .notes =
              "`prope(0)` is `nope` and `prope(1)` is `rope`, bit for bit. Unlike `rope(fraction=p)`, which "
              "spreads all frequencies from fast to slow over fewer channels, it cuts the slow ones off; Hugging "
              "Face calls it `proportional`. The paper's best is p=0.75. The head width must be even.",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Prope>(arguments);
          }};
}

}  // namespace phasor
