// Sines and cosines of geometrically spaced frequencies, added to the embeddings.
#include <fmt/format.h>

#include <complex>

#include "phasor/base/phase.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"
#include "phasor/encoding/entries/frequencies.h"

namespace phasor {
namespace {

class Sinusoidal : public EncodingComponent {
 public:
  explicit Sinusoidal(const EncodingArguments& arguments)
      : base_(arguments.number("base")),
        halves_(arguments.word("layout") == "halves"),
        scale_(arguments.learnable("scale")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::input, .learnable = scale_.learned, .bidirectional = true};
  }

  std::string formula() const override {
    const bool scaled = scale_.learned || scale_.value != 1.0;
    const char* scale = scaled ? "scale " : "";
    return halves_ ? fmt::format("x[c] += {0}sin(p w), x[width/2+c] += {0}cos(p w), w = base^(-2c/width)", scale)
                   : fmt::format("x[2c] += {0}sin(p w), x[2c+1] += {0}cos(p w), w = base^(-2c/width)", scale);
  }

  void fill(EncodingPlaces& places) const override {
    const int64_t width = places.shape().width;
    if (width % 2 != 0) {
      places.fail_term(fmt::format("sinusoidal pairs sines with cosines, so the width must be even, not {}", width));
    }
    places.check_input_size();
    if (scale_.learned) {
      learned_term().add_input(places);
    } else {
      places.add_input(table(places.shape().positions, width));
    }
  }

 private:
  Table table(int64_t positions, int64_t width) const {
    const std::vector<double> frequencies = geometric_frequencies(base_, width);
    const int64_t pairs = width / 2;
    Table table(positions, width);
    for (int64_t position = 0; position < positions; ++position) {
      for (int64_t c = 0; c < pairs; ++c) {
        const std::complex<double> factor = scale_.value * phase(position, frequencies[static_cast<size_t>(c)]);
        table(position, halves_ ? c : 2 * c) = factor.imag();
        table(position, halves_ ? pairs + c : 2 * c + 1) = factor.real();
      }
    }
    return table;
  }

  // A cosine is a sine a quarter turn ahead.
  FormulaTerm learned_term() const {
    const char* interleaved = "scale*sin(i*base^(-2*floor(c/2)/C)+pi/2*(c-2*floor(c/2)))";
    const char* halves = "scale*sin(i*base^(-2*(c-C/2*(c>=C/2))/C)+pi/2*(c>=C/2))";
    return {FormulaTerm::Place::input,
            halves_ ? halves : interleaved,
            {formula_argument("scale", scale_), {.name = "base", .value = base_, .initial = {}}}};
  }

  double base_;
  bool halves_;
  LearnableNumber scale_;
};

}  // namespace

EncodingEntry sinusoidal_entry() {
  return {.name = "sinusoidal",
          .summary = "sines and cosines of the position, added to the embeddings",
          .formula = "x[2c] += scale sin(p w), x[2c+1] += scale cos(p w), w = base^(-2c/width)",
          .paper =
              "Vaswani, Shazeer, Parmar, Uszkoreit, Jones, Gomez, Kaiser, Polosukhin: Attention Is All You Need "
              "(arXiv 1706.03762)",
          .year = 2017,
          .parameters = {number_parameter("base", 10000, 1, 1e12, "the slowest sine takes about 2 pi base positions"),
                         word_parameter("layout", {"interleaved", "halves"},
                                        "sine beside its cosine, or all sines before all cosines"),
                         learnable_parameter("scale", 1, -1000, 1000,
                                             "factor on all of it; learned(0.125) trains it, from 0.125 on")},
          .notes = "The width must be even.",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Sinusoidal>(arguments);
          }};
}

}  // namespace phasor
