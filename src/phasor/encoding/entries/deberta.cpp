// Disentangled attention: trained vectors per bucket of distances, multiplied with queries and with keys.
#include <fmt/format.h>

#include <cmath>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/deberta_bucket.h"
#include "phasor/encoding/entries/learned_places.h"

namespace phasor {
namespace {

class Deberta : public EncodingComponent {
 public:
  explicit Deberta(const EncodingArguments& arguments)
      : queries_(arguments.word("which") != "p2c"),
        keys_(arguments.word("which") != "c2p"),
        buckets_(arguments.integer("buckets")),
        max_distance_(arguments.integer("max_distance")),
        shared_(arguments.word("table") == "shared"),
        deviation_(arguments.number("init")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::distance_rows,
            .exactly_relative = true,
            .learnable = true,
            .extrapolates = true,  // all distances from max_distance on share a row
            .bidirectional = true,
            .beyond = Beyond::clamped};
  }
  std::string beyond() const override {
    return fmt::format("distances of {} and more share a row; rows that training never had keep their start",
                       max_distance_);
  }

  std::string formula() const override {
    if (queries_ && keys_) return {};
    return queries_ ? "L = (<q, k> + <q, K[bucket(d)]>) / sqrt(2 C)" : "L = (<q, k> + <k, Q[bucket(d)]>) / sqrt(2 C)";
  }

  void fill(EncodingPlaces& places) const override {
    check(places);
    const int64_t reach = places.shape().positions - 1;
    std::vector<int32_t> row_of_distance;
    for (int64_t distance = -reach; distance <= reach; ++distance) {
      row_of_distance.push_back(deberta_row(-distance, buckets_, max_distance_));
    }
    const int64_t rows = 2 * (buckets_ > 0 ? buckets_ : max_distance_);
    InitialValues initial;
    initial.kind = InitialValues::Kind::normal;
    initial.size = deviation_;
    if (queries_) {
      add_learned_rows(places, EncodingPlaces::RowsOf::queries, "keys", rows, row_of_distance, initial, shared_);
    }
    if (keys_) {
      add_learned_rows(places, EncodingPlaces::RowsOf::keys, "queries", rows, row_of_distance, initial, shared_);
    }
    const double terms = queries_ && keys_ ? 3.0 : 2.0;
    places.multiply_scale(std::vector<double>(static_cast<size_t>(places.shape().heads), 1.0 / std::sqrt(terms)));
  }

 private:
  void check(const EncodingPlaces& places) const {
    if (buckets_ == 1) places.fail_term("buckets must be 0 (each distance has its own row) or at least 2, not 1");
    if (buckets_ > 1 && max_distance_ - 1 <= buckets_ / 2) {
      places.fail_term(
          fmt::format("max_distance must be more than {}, since {} buckets hold the distances up to {} one by one; not "
                      "{}",
                      buckets_ / 2 + 1, buckets_, buckets_ / 2, max_distance_));
    }
  }

  bool queries_, keys_;
  int64_t buckets_, max_distance_;
  bool shared_;
  double deviation_;
};

}  // namespace

EncodingEntry deberta_entry() {
  constexpr double kInit = 0.02;  // as `relative` and `t5` start
  return {
      .name = "deberta",
      .summary = "trained vectors per bucket of distances, multiplied with queries and with keys",
      .formula = "L = (<q, k> + <q, K[bucket(d)]> + <k, Q[bucket(d)]>) / sqrt(3 C)",
      .paper = "He, Liu, Gao, Chen: DeBERTa: Decoding-enhanced BERT with Disentangled Attention (arXiv 2006.03654)",
      .year = 2020,
      .parameters = {word_parameter("which", {"both", "c2p", "p2c"},
                                    "content to position (queries), position to content (keys), or both"),
                     integer_parameter("buckets", 32, 0, 65536,
                                       "of each direction, as `position_buckets` of DeBERTa-v2; 0: each distance has "
                                       "its own row, as in DeBERTa"),
                     integer_parameter("max_distance", 128, 1, 1048576,
                                       "`max_relative_positions`: from here on all distances share a row"),
                     word_parameter("table", {"per_head", "shared"}, "one for each head, or one for all of a layer"),
                     number_parameter("init", kInit, 0, 100, "standard deviation that the vectors start with")},
      .notes =
          "Half of the buckets hold one distance each, the others logarithmic ranges up to `max_distance` - 1; they "
          "are those of Hugging Face's DeBERTa-v2, down to the float32 rounding at their edges. DeBERTa-v3-base has "
          "`buckets=256,max_distance=512`. Scores are divided by the root of (1 + terms) C, C the head's width: the "
          "terms that vectors add count as much as the content's.\n\n"
          "In the published model the vectors are a product P W: one table P for all layers, times a matrix per "
          "layer. Here each layer (and head) has its vectors itself. Every published model is one of these: its rows "
          "are P W, biases of W included. What is not published is their freedom to differ between layers, and the "
          "LayerNorm and dropout on P. Both tables are read at the bucket of i - j, as in the released code; the paper "
          "writes the bucket of j - i for Q, which names the rows of Q the other way round.\n\n"
          "Tensors are `layers.<l>.encoding.deberta.keys` and `.queries`, [heads, 2 buckets, head width], or "
          "[2 buckets, head width] with `table=shared`; row buckets + i - j is that of a near key j.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Deberta>(arguments);
      }};
}

}  // namespace phasor
