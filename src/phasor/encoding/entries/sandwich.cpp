// What is left of sinusoidal vectors when only their products with each other count.
#include <fmt/format.h>

#include "phasor/base/phase.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/frequencies.h"

namespace phasor {
namespace {

class Sandwich : public EncodingComponent {
 public:
  explicit Sandwich(const EncodingArguments& arguments)
      : channels_(arguments.integer("channels")), base_(arguments.number("base")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::toeplitz_bias, .exactly_relative = true, .extrapolates = true, .bidirectional = true};
  }

  // A head keeps the factor of its number when the term is assigned to a few heads only.
  void fill(EncodingPlaces& places) const override {
    if (channels_ % 2 != 0) {
      places.fail_term(fmt::format("sandwich needs an even number of channels, not {}", channels_));
    }
    const int64_t heads = places.shape().heads;
    const int64_t reach = places.shape().positions - 1;
    const std::vector<double> frequencies = geometric_frequencies(base_, channels_);
    Table table(heads, 2 * reach + 1);
    for (int64_t distance = 0; distance <= reach; ++distance) {
      double sum = 0.0;
      for (const double frequency : frequencies) sum += phase(distance, frequency).real();
      for (int64_t head = 0; head < heads; ++head) {
        const double bias = static_cast<double>(heads) / (8.0 * static_cast<double>(head + 1)) * sum;
        table(head, reach + distance) = bias;
        table(head, reach - distance) = bias;
      }
    }
    places.add_bias(table);
  }

 private:
  int64_t channels_;
  double base_;
};

}  // namespace

EncodingEntry sandwich_entry() {
  return {
      .name = "sandwich",
      .summary = "the products of sinusoidal vectors with each other as a bias",
      .formula = "b_h(d) = H / (8 (h+1)) sum_c cos(d w_c), w_c = base^(-2c/channels), c < channels/2",
      .paper =
          "Chi, Fan, Rudnicky, Ramadge: Dissecting Transformer Length Extrapolation via the Lens of Receptive Field "
          "Analysis (arXiv 2212.10356)",
      .year = 2022,
      .parameters = {integer_parameter("channels", 128, 2, 65536, "of the sinusoidal vectors; not the model's"),
                     number_parameter("base", 10000, 1, 1e12, "ratio of the longest wavelength to the shortest")},
      .notes =
          "As in the paper the sum is neither divided by the number of channels nor moved: at distance 0 it is "
          "H channels / (16 (h+1)), and only differences to that reach the attention, since softmax does not "
          "see constants. On average it falls off like a logarithm, with ripples. Nothing is trained. Both "
          "sides of the query get the same: it does not tell left from right.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Sandwich>(arguments);
      }};
}

}  // namespace phasor
