// A trained bias per head and bucket of distances.
#include <fmt/format.h>

#include <cmath>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/learned_places.h"
#include "phasor/encoding/entries/t5_bucket.h"

namespace phasor {
namespace {

class T5 : public EncodingComponent {
 public:
  explicit T5(const EncodingArguments& arguments)
      : buckets_(arguments.integer("buckets")),
        max_distance_(arguments.integer("max_distance")),
        direction_(arguments.word("direction")),
        shared_(arguments.word("sharing") == "model"),
        deviation_(arguments.number("init")),
        unscaled_(arguments.word("scale") == "one") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::toeplitz_bias,
            .exactly_relative = true,
            .learnable = true,
            .extrapolates = true,  // all distances from max_distance on share a bucket
            .bidirectional = direction_ != "past",
            .beyond = Beyond::clamped};
  }
  std::string beyond() const override {
    return fmt::format(
        "distances of {} and more share the last bucket; buckets that training never had keep their "
        "start",
        max_distance_);
  }

  void fill(EncodingPlaces& places) const override {
    const bool both = direction_ == "auto" ? !places.shape().causal : direction_ == "both";
    check(places, both);
    const int64_t reach = places.shape().positions - 1;
    std::vector<int32_t> bucket_of_distance;
    for (int64_t distance = -reach; distance <= reach; ++distance) {
      bucket_of_distance.push_back(t5_bucket(distance, buckets_, max_distance_, both));
    }
    InitialValues initial;
    initial.kind = InitialValues::Kind::normal;
    initial.size = deviation_;
    add_learned_bias(places, "bias", buckets_, bucket_of_distance, initial, shared_);
    if (unscaled_) {
      const double head_width = static_cast<double>(places.shape().head_width);
      places.multiply_scale(std::vector<double>(static_cast<size_t>(places.shape().heads), std::sqrt(head_width)));
    }
  }

 private:
  void check(const EncodingPlaces& places, bool both) const {
    if (both && (buckets_ % 2 != 0 || buckets_ < 4)) {
      places.fail_term(fmt::format("two directions need an even number of buckets, at least 4, not {}", buckets_));
    }
    const int64_t exact = exact_t5_buckets(buckets_, both);
    if (max_distance_ <= exact) {
      places.fail_term(
          fmt::format("max_distance must be more than {}, since {} buckets hold the distances 0 to {} one "
                      "by one; not {}",
                      exact, buckets_, exact - 1, max_distance_));
    }
  }

  int64_t buckets_, max_distance_;
  std::string direction_;
  bool shared_;
  double deviation_;
  bool unscaled_;
};

}  // namespace

EncodingEntry t5_entry() {
  // As small as `relative` starts, so that the two differ in their buckets alone.
  constexpr double kInit = 0.02;
  return {.name = "t5",
          .summary = "a trained bias per head and bucket of distances, logarithmic ones far away",
          .formula = "b_h(d) = B[h][bucket(d)], B starts as N(0, init^2)",
          .paper =
              "Raffel, Shazeer, Roberts, Lee, Narang, Matena, Zhou, Li, Liu: Exploring the Limits of Transfer Learning "
              "with a Unified Text-to-Text Transformer (arXiv 1910.10683)",
          .year = 2019,
          .parameters =
              {integer_parameter("buckets", 32, 2, 65536, "of both directions together"),
               integer_parameter("max_distance", 128, 2, 1048576, "from here on all distances share a bucket"),
               word_parameter("direction", {"auto", "both", "past"},
                              "half of the buckets for each direction, or all for keys up to the query; auto: past "
                              "where the model is causal"),
               word_parameter("sharing", {"model", "layer"}, "one table for all layers, as in T5, or one per layer"),
               number_parameter("init", kInit, 0, 100, "standard deviation that the biases start with"),
               word_parameter("scale", {"standard", "one"},
                              "logits divided by the root of the head's width, or as in T5 not at all")},
          .notes =
              "Half of a direction's buckets hold one distance each, the others logarithmic ranges up to "
              "`max_distance`. Buckets are those of Hugging Face's T5, down to the float32 rounding at their "
              "edges. T5's own code starts from N(0, 1/width), which is `init=0.0625` at width 256; the default "
              "is what `relative` starts from. With `scale=one` T5 starts its query weights smaller by the root "
              "of the head's width; a model that does not so starts with sharper attention. The table is the "
              "tensor `encoding.t5.bias`, [heads, buckets], or one `layers.<l>.encoding.t5.bias` per layer.",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<T5>(arguments);
          }};
}

}  // namespace phasor
