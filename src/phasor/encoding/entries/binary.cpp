// The bits of the position, one per channel.
#include <fmt/format.h>

#include "phasor/encoding/catalogue.h"

namespace phasor {
namespace {

class Binary : public EncodingComponent {
 public:
  explicit Binary(const EncodingArguments& arguments) : signed_(arguments.word("values") == "signed") {}

  EncodingTraits traits() const override { return {.coupling = Coupling::input, .bidirectional = true}; }
  std::string beyond() const override { return "a further channel is used wherever the position needs a further bit"; }

  std::string formula() const override {
    return signed_ ? "x[c] += 2 (bit c of p) - 1 (the lowest first)" : "x[c] += bit c of p (the lowest first)";
  }

  void fill(EncodingPlaces& places) const override {
    const int64_t bits = needed_bits(places.shape().positions);
    if (bits > places.shape().width) {
      places.fail_term(fmt::format("{} positions have {} bits, which do not fit a width of {}",
                                   places.shape().positions, bits, places.shape().width));
    }
    places.check_input_size();
    Table table(places.shape().positions, places.shape().width);
    for (int64_t position = 0; position < table.rows; ++position) {
      // Channels beyond the bits that any position here has stay 0, with and without signs.
      for (int64_t c = 0; c < bits; ++c) {
        const double bit = static_cast<double>(position >> c & 1);
        table(position, c) = signed_ ? 2.0 * bit - 1.0 : bit;
      }
    }
    places.add_input(table);
  }

 private:
  static int64_t needed_bits(int64_t positions) {
    int64_t bits = 1;
    while ((positions - 1) >> bits > 0) ++bits;
    return bits;
  }

  bool signed_;
};

}  // namespace

EncodingEntry binary_entry() {
  return {
      .name = "binary",
      .summary = "the bits of the position, added to the first channels",
      .formula = "x[c] += bit c of p (the lowest first); signed: 2 bit - 1",
      .paper = "folklore; the second step in Fleetwood: You could have designed state of the art positional encoding",
      .year = 2024,
      .parameters = {word_parameter("values", {"unsigned", "signed"}, "bits as 0 and 1, or as -1 and 1")},
      .notes = "As many channels are used as the longest sequence needs bits; the others get nothing.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Binary>(arguments);
      }};
}

}  // namespace phasor
