// A penalty that grows with distance, one slope per head.
#include <bit>
#include <cmath>
#include <cstdlib>

#include "phasor/encoding/catalogue.h"

namespace phasor {
namespace {

// Head h of a power of two n: 2^(-8 (h + 1) / n).
double slope_of_power(int64_t head, int64_t heads) {
  return std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(heads));
}

// Other counts take the slopes of the power of two below, then those of the double set that lie
// between them: its first, third, fifth, ...
double standard_slope(int64_t head, int64_t heads) {
  const int64_t power = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  return head < power ? slope_of_power(head, power) : slope_of_power(2 * (head - power), 2 * power);
}

// What the code released with arXiv 2505.13027 computes: 1 down to 0.39, a reach of a few tokens.
double released_slope(int64_t head, int64_t heads) {
  return std::exp(-static_cast<double>(head) / static_cast<double>(heads));
}

class Alibi : public EncodingComponent {
 public:
  explicit Alibi(const EncodingArguments& arguments) : released_(arguments.word("slopes") == "released") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::toeplitz_bias, .exactly_relative = true, .extrapolates = true, .bidirectional = true};
  }

  // A head keeps the slope of its number when the term is assigned to a few heads only.
  void fill(EncodingPlaces& places) const override {
    const int64_t heads = places.shape().heads;
    const int64_t reach = places.shape().positions - 1;
    Table table(heads, 2 * reach + 1);
    for (int64_t head = 0; head < heads; ++head) {
      const double slope = released_ ? released_slope(head, heads) : standard_slope(head, heads);
      for (int64_t distance = -reach; distance <= reach; ++distance) {
        table(head, reach + distance) = -slope * static_cast<double>(std::abs(distance));
      }
    }
    places.add_bias(table);
  }

 private:
  bool released_;
};

}  // namespace

EncodingEntry alibi_entry() {
  return {.name = "alibi",
          .summary = "logits fall off linearly with distance, one slope per head",
          .formula = "b_h(d) = -m_h |d|, m_h = 2^(-8(h+1)/H) for H a power of two",
          .paper =
              "Press, Smith, Lewis: Train Short, Test Long: Attention with Linear Biases Enables Input Length "
              "Extrapolation (arXiv 2108.12409)",
          .year = 2021,
          .parameters = {word_parameter("slopes", {"standard", "released"},
                                        "the paper's slopes, or exp(-h/H) as in the code of arXiv 2505.13027")},
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Alibi>(arguments);
          }};
}

}  // namespace phasor
