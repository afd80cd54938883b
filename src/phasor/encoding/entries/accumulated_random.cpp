// Rotations by angles that are summed up from random steps: distances are never exact, and far ones are noise.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"
#include "phasor/encoding/entries/frequencies.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

constexpr uint32_t kSteps = 0x616363;  // a random stream of its own

class AccumulatedRandom : public EncodingComponent {
 public:
  explicit AccumulatedRandom(const EncodingArguments& arguments)
      : spread_(arguments.number("spread")),
        base_(arguments.number("base")),
        halves_(arguments.word("layout") == "half"),
        seed_(arguments.integer("seed")) {}

  EncodingTraits traits() const override {
    return {.coupling = spread_ == 0.0 ? Coupling::hadamard_toeplitz : Coupling::hadamard,
            .exactly_relative = spread_ == 0.0,
            .bidirectional = true};
  }

  std::string formula() const override {
    return spread_ == 0.0 ? "as rope, w = base^(-2c/D), D = head width" : std::string();
  }

  void fill(EncodingPlaces& places) const override {
    const std::vector<double> frequencies = geometric_frequencies(base_, 2 * head_pairs(places, "accumulated_random"));
    Rotation rotation = index_rotation(places, frequencies, halves_);
    if (spread_ > 0.0) accumulate(rotation, frequencies);
    places.rotate(std::move(rotation));
  }

 private:
  // A position's angle does not depend on how many positions there are.
  void accumulate(Rotation& rotation, const std::vector<double>& frequencies) const {
    const size_t pairs = frequencies.size();
    std::vector<double> angles(pairs);
    for (int64_t position = 1; position < rotation.positions; ++position) {
      const RandomStream stream{.seed = static_cast<uint64_t>(seed_),
                                .purpose = Purpose::encoding,
                                .site = kSteps,
                                .step = static_cast<uint32_t>(position)};
      for (size_t c = 0; c < pairs; ++c) {
        angles[c] += frequencies[c] * (1.0 + spread_ * (2.0 * uniform(stream, c) - 1.0));
        rotation.query[static_cast<size_t>(position) * pairs + c] = std::polar(1.0, angles[c]);
      }
    }
    rotation.key = rotation.query;
    rotation.frequencies = {};  // none that holds from every position
  }

  double spread_, base_;
  bool halves_;
  int64_t seed_;
};

}  // namespace

EncodingEntry accumulated_random_entry() {
  return {
      .name = "accumulated_random",
      .summary = "as rope, but every step turns by a random angle, and the angles add up",
      .formula = "query and key pair c of position p turned by sum_(s=1..p) w_c (1 + spread u_sc), u even in -1 to 1",
      .paper = "Godavarti: Why Do Accumulated Transformations Extrapolate? (arXiv 2606.24975)",
      .year = 2026,
      .parameters = {number_parameter("spread", 1, 0, 100, "how far a step strays from that of rope, in steps"),
                     rotation_base_parameter(), pair_layout_parameter(),
                     integer_parameter("seed", 0, 0, 1000000000, "which steps; the model's seed has no part in it")},
      .notes =
          "A control for `selective_rope`: rotations that accumulate without reading anything. The paper's abstract "
          "says that random accumulated rotations extrapolate better than `rope` and then degrade; how it draws them "
          "was not at hand, so the draw is Phasor's: a step per index and pair, the same in all layers, heads and "
          "sequences, evenly around the step of `rope`. `accumulated_random(spread=0)` is `rope`. Two positions see "
          "each other by the steps between them, which are not the same elsewhere: it is not relative. The head "
          "width must be even.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<AccumulatedRandom>(arguments);
      }};
}

}  // namespace phasor
