// A penalty that grows with distance, one slope per head.
#include <bit>
#include <cmath>
#include <cstdlib>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"

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
  explicit Alibi(const EncodingArguments& arguments)
      : released_(arguments.word("slopes") == "released"), learned_(arguments.word("slopes") == "learned") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::toeplitz_bias,
            .exactly_relative = true,
            .learnable = learned_,
            .extrapolates = true,
            .bidirectional = true};
  }

  std::string formula() const override {
    if (released_) return "b_h(d) = -m_h |d|, m_h = e^(-h/H)";
    if (learned_)
      return "b_h(d) = -m_h |d|, m_h trained per head and layer, from 2^(-8(h+1)/H) on for H a power of two";
    return {};
  }

  void fill(EncodingPlaces& places) const override { learned_ ? fill_learned(places) : fill_fixed(places); }

 private:
  // A head keeps the slope of its number when the term is assigned to a few heads only.
  double slope(int64_t head, int64_t heads) const {
    return released_ ? released_slope(head, heads) : standard_slope(head, heads);
  }

  void fill_fixed(EncodingPlaces& places) const {
    const int64_t heads = places.shape().heads;
    const int64_t reach = places.shape().positions - 1;
    Table table(heads, 2 * reach + 1);
    for (int64_t head = 0; head < heads; ++head) {
      for (int64_t distance = -reach; distance <= reach; ++distance) {
        table(head, reach + distance) = -slope(head, heads) * static_cast<double>(std::abs(distance));
      }
    }
    places.add_bias(table);
  }

  void fill_learned(EncodingPlaces& places) const {
    FormulaArgument slopes{.name = "slope", .learned = true, .initial = {}, .per_head = true};
    slopes.initial.kind = InitialValues::Kind::values;
    for (const int64_t head : places.heads()) slopes.initial.values.push_back(slope(head, places.shape().heads));
    FormulaTerm(FormulaTerm::Place::bias, "-slope*abs(d)", {slopes}).add_bias(places);
  }

  bool released_, learned_;
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
          .parameters = {word_parameter("slopes", {"standard", "released", "learned"},
                                        "the paper's slopes; exp(-h/H) as in the code of arXiv 2505.13027; or the "
                                        "paper's to start from, trained")},
          .notes =
              "Other numbers of heads take the slopes of the power of two below, then every other one of the power "
              "of two above. Both sides of the query get the same: it does not tell left from right. Trained "
              "slopes are the tensor `layers.<l>.encoding.alibi.slope`, [heads], and may change sign.",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Alibi>(arguments);
          }};
}

}  // namespace phasor
