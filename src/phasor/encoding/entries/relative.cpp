// A trained bias per head and distance.
#include <fmt/format.h>

#include <algorithm>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/learned_places.h"

namespace phasor {
namespace {

class Relative : public EncodingComponent {
 public:
  explicit Relative(const EncodingArguments& arguments)
      : deviation_(arguments.number("init")),
        shared_(arguments.word("sharing") == "model"),
        max_distance_(arguments.integer("max_distance")),
        clamps_(arguments.word("beyond") == "clamp") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::toeplitz_bias,
            .exactly_relative = true,
            .learnable = true,
            .extrapolates = max_distance_ > 0 || clamps_,  // farther ones share the number at the end
            .bidirectional = true,
            .beyond = max_distance_ > 0 || clamps_ ? Beyond::clamped : Beyond::refused};
  }
  std::string beyond() const override {
    if (max_distance_ > 0) {
      return fmt::format("distances of {} and more count as {}; those that training never had keep their start",
                         max_distance_, max_distance_);
    }
    return clamps_ ? "farther distances count as the farthest of training"
                   : "refused, each distance has a trained number of its own; beyond=clamp reads the last one";
  }

  void fill(EncodingPlaces& places) const override {
    const int64_t reach = places.shape().positions - 1;
    // A given max_distance makes the tensor's shape alike for all lengths.
    const int64_t last = clamps_ ? trained_positions(places.shape()) - 1 : reach;
    const int64_t most = max_distance_ > 0 ? max_distance_ : last;
    std::vector<int32_t> column_of_distance;
    for (int64_t distance = -reach; distance <= reach; ++distance) {
      column_of_distance.push_back(static_cast<int32_t>(most + std::clamp(distance, -most, most)));
    }
    InitialValues initial;
    initial.kind = InitialValues::Kind::normal;
    initial.size = deviation_;
    add_learned_bias(places, "bias", 2 * most + 1, column_of_distance, initial, shared_);
  }

 private:
  double deviation_;
  bool shared_;
  int64_t max_distance_;
  bool clamps_;
};

}  // namespace

EncodingEntry relative_entry() {
  constexpr double kInit = 0.02;  // as in Swin
  return {
      .name = "relative",
      .summary = "a trained bias per head and distance",
      .formula = "b_h(d) = B[h][d], B starts as N(0, init^2)",
      .paper =
          "Liu, Lin, Cao, Hu, Wei, Zhang, Lin, Guo: Swin Transformer: Hierarchical Vision Transformer using Shifted "
          "Windows (arXiv 2103.14030)",
      .year = 2021,
      .parameters = {number_parameter("init", kInit, 0, 100, "standard deviation that the biases start with"),
                     word_parameter("sharing", {"layer", "model"}, "one table per layer, or one for all layers"),
                     integer_parameter("max_distance", 0, 0, 1048576,
                                       "farther distances count as this one; 0: every distance has its own"),
                     word_parameter("beyond", {"refuse", "clamp"},
                                    "distances that training never had, without max_distance: none, or all as its "
                                    "farthest")},
      .notes =
          "The freest Toeplitz bias there is: one number per distance and head, with nothing shared between "
          "neighbours. It is also the \"relative\" of the code released with arXiv 2505.13027. Without "
          "`max_distance`, distances that no training sequence had keep the values they started from. The "
          "table is the tensor `layers.<l>.encoding.relative.bias`, [heads, 2 reach + 1], the distance "
          "-reach first; reach is `max_distance` or, without it, the longest distance there is.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Relative>(arguments);
      }};
}

}  // namespace phasor
