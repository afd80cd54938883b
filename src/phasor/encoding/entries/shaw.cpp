// A trained vector per distance, multiplied with the query.
#include <fmt/format.h>

#include <algorithm>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/learned_places.h"

namespace phasor {
namespace {

class Shaw : public EncodingComponent {
 public:
  explicit Shaw(const EncodingArguments& arguments)
      : max_distance_(arguments.integer("max_distance")),
        shared_(arguments.word("table") == "shared"),
        deviation_(arguments.number("init")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::distance_rows,
            .exactly_relative = true,
            .learnable = true,
            .extrapolates = true,  // farther distances share the vector at the end
            .bidirectional = true,
            .beyond = Beyond::clamped};
  }
  std::string beyond() const override {
    return fmt::format("distances of {} and more count as {}; those that training never had keep their start",
                       max_distance_, max_distance_);
  }

  void fill(EncodingPlaces& places) const override {
    const int64_t reach = places.shape().positions - 1;
    std::vector<int32_t> row_of_distance;
    for (int64_t distance = -reach; distance <= reach; ++distance) {
      row_of_distance.push_back(
          static_cast<int32_t>(max_distance_ + std::clamp(distance, -max_distance_, max_distance_)));
    }
    InitialValues initial;
    initial.kind = InitialValues::Kind::normal;
    initial.size = deviation_;
    add_learned_rows(places, EncodingPlaces::RowsOf::queries, "keys", 2 * max_distance_ + 1, row_of_distance, initial,
                     shared_);
  }

 private:
  int64_t max_distance_;
  bool shared_;
  double deviation_;
};

}  // namespace

EncodingEntry shaw_entry() {
  constexpr double kInit = 0.02;  // as `relative` and `t5` start
  return {.name = "shaw",
          .summary = "a trained vector per distance, multiplied with the query",
          .formula = "L = (<q, k> + <q, a[clip(d)]>) / sqrt(C), clip(d) = max(-k, min(k, d)), k = max_distance",
          .paper = "Shaw, Uszkoreit, Vaswani: Self-Attention with Relative Position Representations (arXiv 1803.02155)",
          .year = 2018,
          .parameters = {integer_parameter("max_distance", 16, 1, 65536,
                                           "k: farther distances count as this one, at any length"),
                         word_parameter("table", {"shared", "per_head"},
                                        "one for all heads of a layer, as in the paper, or one for each head"),
                         number_parameter("init", kInit, 0, 100, "standard deviation that the vectors start with")},
          .notes =
              "The paper's a^K. Its a^V, vectors by distance that are added to the values, is not built: in the "
              "paper a^K alone does as well. The vectors meet the query as it stands before any rotation, "
              "so beside `rope` logits still depend on content and distance alone. At `init=0` the model starts as "
              "`nope`. The table is the tensor `layers.<l>.encoding.shaw.keys`, [2 max_distance + 1, head width], or "
              "[heads, 2 max_distance + 1, head width] with `table=per_head`; the distance -max_distance, of keys far "
              "behind the query, comes first.",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Shaw>(arguments);
          }};
}

}  // namespace phasor
