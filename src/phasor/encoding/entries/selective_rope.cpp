// Rotations by angles that tokens choose: every token turns what follows by angles of its hidden state.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"
#include "phasor/encoding/entries/frequencies.h"
#include "phasor/encoding/entries/gate_places.h"

namespace phasor {
namespace {

class SelectiveRope : public EncodingComponent {
 public:
  explicit SelectiveRope(const EncodingArguments& arguments)
      : rank_(arguments.integer("rank")),
        gated_(arguments.word("gate") == "sigmoid"),
        base_(arguments.number("base")),
        halves_(arguments.word("layout") == "half") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::content_rotation, .exactly_relative = true, .learnable = true, .bidirectional = true};
  }

  void fill(EncodingPlaces& places) const override {
    const std::vector<int64_t> heads = places.heads();
    if (heads.empty()) return;
    TokenRotation rotation{.name = places.term_text(), .heads = heads, .halves = halves_};
    rotation.pairs = head_pairs(places, "selective_rope");
    rotation.frequencies = geometric_frequencies(base_, 2 * rotation.pairs);
    rotation.per_pair = rotation.summed = true;
    rotation.inner = rank_;
    const int64_t width = places.model_width();
    const auto count = static_cast<int64_t>(heads.size());
    for (const int64_t layer : places.layers()) {
      if (rank_ > 0) rotation.inner_weight = add_uniform(places, "inner", {rank_, width}, layer);
      rotation.weight = add_uniform(places, "weight", {rotation.numbers(), rank_ > 0 ? rank_ : width}, layer);
      rotation.bias = add_constant(places, "bias", {rotation.numbers()}, 1.0, layer);
      if (gated_) {
        rotation.gate_weight = add_uniform(places, "gate_weight", {count, width}, layer);
        rotation.gate_bias = add_constant(places, "gate_bias", {count}, 0.0, layer);
      }
      places.rotate_by_tokens(layer, rotation);
    }
  }

 private:
  int64_t rank_;
  bool gated_;
  double base_;
  bool halves_;
};

}  // namespace

EncodingEntry selective_rope_entry() {
  return {
      .name = "selective_rope",
      .summary = "every token turns queries and keys behind it by angles of its hidden state",
      .formula =
          "query and key pair c turned by w_c sum_(s<=t) u_sc, u = W x_s + b, w_c = base^(-2c/D), D = head "
          "width, x the layer's normed stream",
      .paper =
          "Movahedi, Carstensen, Afzal, Hutter, Orvieto, Cevher: Selective Rotary Position Embedding (arXiv "
          "2511.17388)",
      .year = 2025,
      .parameters = {integer_parameter("rank", 16, 0, 65535,
                                       "channels between the stream and the angles, 0 for a product without any"),
                     word_parameter("gate", {"none", "sigmoid"},
                                    "a factor sigmoid(V x + v) per token and head on all its angles"),
                     number_parameter("base", 500000, 1, 1e12, "the slowest pair turns once in about 2 pi base steps"),
                     pair_layout_parameter()},
      .notes =
          "The core of the paper's rotation: angles of every token, head and pair by a product of low rank, summed up "
          "along the sequence, times a fixed temperature per pair (`base`, the released code's), with an optional "
          "gate. Left out, of the released code: the causal convolution over four tokens in front of the sum, the "
          "unit length of x (the stream is normed here), weight-normalised products by head, temperatures other "
          "than those of rope or trained ones. Its optional bias, e^b there, is a plain b here that starts at 1: "
          "without the product (W = 0) the angle of the token at index t is w_c (t + 1), which is `rope` with "
          "that base. Nothing is read from positions. The tensors are `layers.<l>.encoding.selective_rope.inner`, "
          "[rank, width], `.weight`, [heads * pairs, rank], both even within 1 / sqrt(columns), and `.bias`, "
          "[heads * pairs]; with a gate also `.gate_weight`, [heads, width], and `.gate_bias`, [heads].",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<SelectiveRope>(arguments);
      }};
}

}  // namespace phasor
