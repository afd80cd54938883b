// Polar coordinates: magnitudes of content, angles of position alone.
#include <fmt/format.h>

#include <memory>
#include <numbers>
#include <numeric>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"
#include "phasor/encoding/entries/frequencies.h"

namespace phasor {
namespace {

enum class Phase : uint8_t { learned, uniform, none };

Phase phase_of(const std::string& word) {
  if (word == "uniform") return Phase::uniform;
  return word == "none" ? Phase::none : Phase::learned;
}

class Pope : public EncodingComponent {
 public:
  explicit Pope(const EncodingArguments& arguments)
      : base_(arguments.number("base")),
        phase_(phase_of(arguments.word("phase"))),
        per_head_(arguments.word("sharing") == "head") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::hadamard_toeplitz,
            .exactly_relative = true,
            .learnable = phase_ != Phase::none,
            .extrapolates = true,
            .bidirectional = true};
  }

  std::string formula() const override {
    return fmt::format("logit = s sum_c softplus(q[c]) softplus(k[c]) cos(d w{}); w = base^(-c/D), D = head width",
                       phase_ == Phase::none ? "" : " + delta[c]");
  }
  bool reads(std::string_view parameter) const override { return parameter != "sharing" || phase_ != Phase::none; }

  void fill(EncodingPlaces& places) const override {
    places.map_features(FeatureMap::softplus);
    // A channel becomes a pair, so there are as many frequencies as channels.
    const Rotation prototype =
        index_rotation(places, geometric_frequencies(base_, 2 * places.shape().head_width), false);
    if (phase_ == Phase::none) return places.rotate(prototype);
    const int64_t heads = per_head_ ? places.shape().heads : 1;
    for (const int64_t layer : places.layers()) {
      const int64_t parameter = places.add_parameter("phase", phases(prototype.pairs, heads), layer);
      for (int64_t head = 0; head < heads; ++head) {
        auto rotation = std::make_shared<Rotation>(prototype);
        rotation->name = places.term_text();
        rotation->phases = Table(1, prototype.pairs);
        GatherSource source{.parameter = parameter,
                            .index = std::vector<int32_t>(static_cast<size_t>(prototype.pairs))};
        std::iota(source.index.begin(), source.index.end(), static_cast<int32_t>(head * prototype.pairs));
        rotation->learned_phases = {std::move(source)};
        places.rotate(layer, per_head_ ? head : EncodingPlaces::kAllHeads, rotation);
      }
    }
  }

 private:
  LearnedParameter phases(int64_t pairs, int64_t heads) const {
    LearnedParameter parameter;
    parameter.shape = per_head_ ? std::vector<int64_t>{heads, pairs} : std::vector<int64_t>{pairs};
    for (int64_t head = 0; per_head_ && head < heads; ++head) parameter.heads.push_back(head);
    parameter.least = -2.0 * std::numbers::pi;
    parameter.most = 0.0;
    if (phase_ == Phase::uniform) {
      parameter.initial.kind = InitialValues::Kind::uniform;
      parameter.initial.centre = -std::numbers::pi;
      parameter.initial.size = std::numbers::pi;
    }
    return parameter;
  }

  double base_;
  Phase phase_;
  bool per_head_;
};

}  // namespace

EncodingEntry pope_entry() {
  return {
      .name = "pope",
      .summary = "polar coordinates: content gives magnitudes, position alone gives angles",
      .formula =
          "logit = s sum_c softplus(q[c]) softplus(k[c]) cos(d w + delta[c]); w = base^(-c/D), D = head width, d = p_j "
          "- p_i",
      .paper =
          "Gopalakrishnan, Csordas, Schmidhuber, Mozer: Decoupling the \"What\" and \"Where\" With Polar Coordinate "
          "Positional Embeddings (arXiv 2509.10534)",
      .year = 2025,
      .parameters = {rotation_base_parameter(),
                     word_parameter("phase", {"learned", "uniform", "none"},
                                    "delta starts from 0, or from uniform numbers of -2 pi to 0, or there is none"),
                     word_parameter("sharing", {"head", "layer"},
                                    "each head has its own delta, or those of a layer "
                                    "share one")},
      .notes =
          "In rope the content of a pair has an angle of its own, which moves the distance that a head looks at. Here "
          "every channel x becomes the pair (softplus(x), 0) before it is turned, so that there are as many "
          "frequencies as channels and content has no angle; delta, the same for any content, is kept within -2 pi and "
          "0. As published, it starts from 0 where longer sequences are wanted, and from uniform numbers otherwise. "
          "s is 1 / sqrt(D), of the head width before that. Queries and keys of all heads of a layer become features, "
          "so "
          "it takes no `[heads=...]` and no other rotation or latents beside it.\n\n"
          "Attention multiplies twice as many channels. Logits are products of features that are turned, and it is the "
          "features that are taken apart into content and position; with `position_off` angles and delta go and "
          "features stay.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Pope>(arguments);
      }};
}

}  // namespace phasor
