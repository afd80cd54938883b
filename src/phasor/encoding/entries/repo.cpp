// Positions that tokens choose for themselves: rope at a number of the hidden state instead of the index.
#include <algorithm>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/channel_pairs.h"
#include "phasor/encoding/entries/frequencies.h"
#include "phasor/encoding/entries/gate_places.h"

namespace phasor {
namespace {

class Repo : public EncodingComponent {
 public:
  explicit Repo(const EncodingArguments& arguments)
      : linear_(arguments.word("map") == "linear"),
        inner_(arguments.integer("inner")),
        base_(arguments.number("base")),
        halves_(arguments.word("layout") == "half") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::content_rotation, .exactly_relative = true, .learnable = true};
  }

  std::string formula() const override {
    return linear_ ? "query and key pair c turned by w_c z_t, z = W x_t, w_c = base^(-2c/D), D = head width, x the "
                     "layer's normed stream"
                   : std::string();
  }

  bool reads(std::string_view parameter) const override { return parameter != "inner" || !linear_; }

  void fill(EncodingPlaces& places) const override {
    const std::vector<int64_t> heads = places.heads();
    if (heads.empty()) return;
    TokenRotation rotation{.name = places.term_text(), .heads = heads, .halves = halves_};
    rotation.pairs = head_pairs(places, "repo");
    rotation.frequencies = geometric_frequencies(base_, 2 * rotation.pairs);
    const int64_t width = places.model_width();
    if (!linear_) {
      rotation.inner = inner_ > 0 ? inner_ : std::max<int64_t>(1, width / 8);
      rotation.product = true;
    }
    for (const int64_t layer : places.layers()) {
      if (!linear_) rotation.inner_weight = add_uniform(places, "inner", {2 * rotation.inner, width}, layer);
      rotation.weight = add_uniform(places, "weight", {rotation.numbers(), linear_ ? width : rotation.inner}, layer);
      places.rotate_by_tokens(layer, rotation);
    }
  }

 private:
  bool linear_;
  int64_t inner_;
  double base_;
  bool halves_;
};

}  // namespace

EncodingEntry repo_entry() {
  return {
      .name = "repo",
      .summary = "rope at positions that tokens choose by their hidden state",
      .formula =
          "query and key pair c turned by w_c z_t, z = W (silu(G x_t) * (C x_t)), w_c = base^(-2c/D), D = head "
          "width, x the layer's normed stream",
      .paper = "Li, Zhao, Sproat: RePo: Language Models with Context Re-Positioning (arXiv 2512.14391)",
      .year = 2025,
      .parameters = {word_parameter("map", {"product", "linear"},
                                    "from the stream to the position: a gated product, or one linear map"),
                     integer_parameter("inner", 0, 0, 65535, "channels of the product; 0: width / 8, as in the paper"),
                     rotation_base_parameter(), pair_layout_parameter()},
      .notes =
          "As in the released code: one number per token and head in place of the index, not summed along the "
          "sequence, without any bias, so equal tokens of the first layer stand at one place and order is told by the "
          "causal mask alone. `map=linear` is the released code's other form. The paper trains on from a model with "
          "`rope` and re-positions from a third of the depth on: `rope[layers=0-1]+repo[layers=2-5]`. Its base is "
          "that of the model it starts from; here the default is that of `rope`. The tensors are "
          "`layers.<l>.encoding.repo.inner`, [2 inner, width] (G, then C), and `.weight`, [heads, inner], even "
          "within 1 / sqrt(columns) at the start.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Repo>(arguments);
      }};
}

}  // namespace phasor
