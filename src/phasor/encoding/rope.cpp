// Queries and keys turned by their positions, so that their product sees the distance.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/phase.h"
#include "phasor/encoding/printer.h"

namespace phasor {
namespace {

class Rope : public EncodingComponent {
 public:
  explicit Rope(const EncodingArguments& arguments)
      : base_(arguments.number("base")),
        halves_(arguments.word("layout") == "half"),
        fraction_(arguments.number("fraction")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::hadamard_toeplitz, .exactly_relative = true, .bidirectional = true};
  }

  void fill(EncodingPlaces& places) const override {
    const int64_t positions = places.shape().positions;
    Rotation rotation;
    rotation.pairs = rotated_pairs(places);
    rotation.halves = halves_;
    // The grid of frequencies spans the rotated channels, as in GPT-NeoX, not the whole head.
    rotation.frequencies = geometric_frequencies(base_, 2 * rotation.pairs);
    rotation.query.reserve(static_cast<size_t>(positions * rotation.pairs));
    for (int64_t position = 0; position < positions; ++position) {
      for (const double frequency : rotation.frequencies) rotation.query.push_back(phase(position, frequency));
    }
    rotation.key = rotation.query;
    places.rotate(std::move(rotation));
  }

 private:
  int64_t rotated_pairs(const EncodingPlaces& places) const {
    const int64_t width = places.shape().head_width;
    if (width % 2 != 0) {
      places.fail_term(fmt::format("rope turns pairs of channels, so the head width must be even, not {}", width));
    }
    // The slack counts 0.58 of 100 channels as 58, which they fall short of in binary.
    constexpr double kSlack = 1e-9;
    const int64_t pairs = static_cast<int64_t>(std::floor(fraction_ * static_cast<double>(width) / 2.0 + kSlack));
    if (pairs == 0) {
      places.fail_term(fmt::format("fraction {} of {} channels is less than one pair; the least is {}",
                                   print_number(fraction_), width, print_number(2.0 / static_cast<double>(width))));
    }
    return pairs;
  }

  double base_;
  bool halves_;
  double fraction_;
};

}  // namespace

EncodingEntry rope_entry() {
  return {.name = "rope",
          .summary = "pairs of query and key channels are turned by the position",
          .formula = "(q[2c] + i q[2c+1]) e^(i p w), the same for k; w = base^(-2c/C), C = fraction * head width",
          .paper =
              "Su, Lu, Pan, Murtadha, Wen, Liu: RoFormer: Enhanced Transformer with Rotary Position Embedding "
              "(arXiv 2104.09864)",
          .year = 2021,
          .parameters = {number_parameter("base", 10000, 1, 1e12,
                                          "the slowest pair turns once in about 2 pi base "
                                          "positions"),
                         word_parameter("layout", {"interleaved", "half"},
                                        "pairs are neighbours (GPT-J, Llama) or half the rotated channels apart "
                                        "(GPT-NeoX, Hugging Face)"),
                         number_parameter("fraction", 1, 0, 1,
                                          "share of a head's channels that turn, rounded down to whole pairs; the "
                                          "rest carry content alone")},
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Rope>(arguments);
          }};
}

}  // namespace phasor
