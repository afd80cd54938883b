// Sines and cosines of geometrically spaced frequencies, added to the embeddings.
#include <fmt/format.h>

#include <complex>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/phase.h"

namespace phasor {
namespace {

class Sinusoidal : public EncodingComponent {
 public:
  explicit Sinusoidal(const EncodingArguments& arguments)
      : base_(arguments.number("base")), halves_(arguments.word("layout") == "halves") {}

  EncodingTraits traits() const override { return {.coupling = Coupling::input, .bidirectional = true}; }

  void fill(EncodingPlaces& places) const override {
    const int64_t width = places.shape().width;
    if (width % 2 != 0) {
      places.fail_term(fmt::format("sinusoidal pairs sines with cosines, so the width must be even, not {}", width));
    }
    const std::vector<double> frequencies = geometric_frequencies(base_, width);
    const int64_t pairs = width / 2;
    Table table(places.shape().positions, width);
    for (int64_t position = 0; position < table.rows; ++position) {
      for (int64_t c = 0; c < pairs; ++c) {
        const std::complex<double> factor = phase(position, frequencies[static_cast<size_t>(c)]);
        table(position, halves_ ? c : 2 * c) = factor.imag();
        table(position, halves_ ? pairs + c : 2 * c + 1) = factor.real();
      }
    }
    places.add_input(table);
  }

 private:
  double base_;
  bool halves_;
};

}  // namespace

EncodingEntry sinusoidal_entry() {
  return {.name = "sinusoidal",
          .summary = "sines and cosines of the position, added to the embeddings",
          .formula = "x[2c] += sin(p w), x[2c+1] += cos(p w), w = base^(-2c/width)",
          .paper =
              "Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser, Polosukhin: Attention Is All You Need "
              "(arXiv 1706.03762)",
          .year = 2017,
          .parameters = {number_parameter("base", 10000, 1, 1e12, "the slowest sine takes about 2 pi base positions"),
                         word_parameter("layout", {"interleaved", "halves"},
                                        "sine beside its cosine, or all sines before all cosines")},
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Sinusoidal>(arguments);
          }};
}

}  // namespace phasor
