// Rotations with a decay: queries shrink with their position and keys grow with theirs, so that the product of a
// query and a key far behind it is small.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"
#include "phasor/encoding/entries/frequencies.h"
#include "phasor/encoding/syntax/printer.h"

namespace phasor {
namespace {

constexpr double kGamma = 0.4;
// Factors are floats on the device; beyond this, products with them could leave a float's range.
constexpr double kLargestFactor = 1e18;

class Xpos : public EncodingComponent {
 public:
  explicit Xpos(const EncodingArguments& arguments)
      : base_(arguments.number("base")),
        halves_(arguments.word("layout") == "half"),
        decay_base_(arguments.number("decay_base")),
        scale_(arguments.number("scale")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::hadamard_toeplitz, .exactly_relative = true, .extrapolates = true};
  }

  std::string formula() const override {
    return fmt::format(
        "q z^(p/B) e^(i p w), k z^(-p/B) e^(i p w); z = {}, B = decay_base, w = base^(-2c/D), D = head "
        "width{}",
        scale_ > 0.0 ? "scale" : "(2c/D + 0.4)/1.4", halves_ ? "; pair c is channels c and D/2+c" : "");
  }
  bool reads(std::string_view parameter) const override { return parameter != "scale" || scale_ > 0.0; }

  void fill(EncodingPlaces& places) const override {
    const int64_t pairs = head_pairs(places, "xpos");
    Rotation rotation = index_rotation(places, geometric_frequencies(base_, 2 * pairs), halves_);
    // Only differences of exponents count in a product; the centre keeps both factors near 1.
    const double centre = 0.5 * static_cast<double>(rotation.positions - 1);
    check_range(places, centre, pairs);
    for (int64_t p = 0; p < rotation.positions; ++p) {
      const double exponent = (static_cast<double>(p) - centre) / decay_base_;
      for (int64_t c = 0; c < pairs; ++c) {
        const size_t at = static_cast<size_t>(p * pairs + c);
        rotation.query[at] *= std::pow(zeta(c, pairs), exponent);
        rotation.key[at] *= std::pow(zeta(c, pairs), -exponent);
      }
    }
    places.rotate(std::move(rotation));
  }

 private:
  double zeta(int64_t c, int64_t pairs) const {
    if (scale_ > 0.0) return scale_;
    return (static_cast<double>(c) / static_cast<double>(pairs) + kGamma) / (1.0 + kGamma);
  }

  // The first pair's zeta is the smallest.
  void check_range(const EncodingPlaces& places, double centre, int64_t pairs) const {
    const double exponents = -std::log(zeta(0, pairs)) * centre;
    const double limit = std::log(kLargestFactor);
    if (exponents / decay_base_ <= limit) return;
    places.fail_term(fmt::format("{} positions need factors beyond {:.0e}; decay_base must be at least {:.0f}, not {}",
                                 places.shape().positions, kLargestFactor, std::ceil(exponents / limit),
                                 print_number(decay_base_)));
  }

  double base_;
  bool halves_;
  double decay_base_;
  double scale_;
};

}  // namespace

EncodingEntry xpos_entry() {
  return {
      .name = "xpos",
      .summary = "rope with a decay by distance, slower for slower pairs",
      .formula = "q z^(p/B) e^(i p w), k z^(-p/B) e^(i p w); z = (2c/D + 0.4)/1.4, w = base^(-2c/D), D = head width",
      .paper =
          "Sun, Dong, Patra, Ma, Huang, Benhaim, Chaudhary, Song, Wei: A Length-Extrapolatable Transformer (arXiv "
          "2212.10554)",
      .year = 2022,
      .parameters = {rotation_base_parameter(), pair_layout_parameter(),
                     number_parameter("decay_base", 512, 1, 1e12, "B: a pair decays by its z in so many positions"),
                     number_parameter("scale", 0, 0, 1, "one z for all pairs; 0: the paper's, one for each")},
      .notes =
          "Made for causal masks: keys behind the query fade, keys ahead of it would grow. "
          "`xpos(scale=1)` is `rope`. Positions are counted from the middle of the range, which changes no "
          "product and keeps the factors near 1. The head width must be even.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Xpos>(arguments);
      }};
}

}  // namespace phasor
