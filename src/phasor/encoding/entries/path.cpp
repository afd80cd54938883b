// Every token between key and query reflects: a product of Householder-like matrices stands between them.
#include <fmt/format.h>

#include <memory>

#include "phasor/base/dense_limit.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/gate_places.h"

namespace phasor {
namespace {

class Path : public EncodingComponent {
 public:
  explicit Path(const EncodingArguments& arguments) : rank_(arguments.integer("rank")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::content_rotation, .exactly_relative = true, .learnable = true};
  }

  std::string beyond() const override {
    return fmt::format("tokens go on to reflect, up to {} of them", kMostDenseTokens);
  }

  void fill(EncodingPlaces& places) const override {
    const std::vector<int64_t> heads = places.heads();
    if (heads.empty()) return;
    const int64_t width = places.model_width(), columns = rank_ > 0 ? rank_ : width;
    const auto count = static_cast<int64_t>(heads.size());
    for (const int64_t layer : places.layers()) {
      TokenReflections reflections{.inner = rank_};
      if (rank_ > 0) reflections.inner_weight = add_uniform(places, "inner", {rank_, width}, layer);
      reflections.weight = add_uniform(places, "weight", {count * places.shape().head_width, columns}, layer);
      reflections.strength_weight = add_uniform(places, "strength_weight", {count, width}, layer);
      reflections.strength_bias = add_constant(places, "strength_bias", {count}, 0.0, layer);
      places.add_dense(layer, std::make_shared<const DensePlace>(
                                  DensePlace{.name = places.term_text(), .heads = heads, .what = reflections}));
    }
  }

 private:
  int64_t rank_;
};

}  // namespace

EncodingEntry path_entry() {
  return {
      .name = "path",
      .summary = "every token between key and query reflects, by a direction of its hidden state (slow)",
      .formula =
          "logit = s q_i^T H_i ... H_(j+1) k_j, H_t = I - beta_t w_t w_t^T, w_t = W x_t of length 1, beta_t = 2 "
          "sigmoid(u x_t + b), x the layer's normed stream",
      .paper =
          "Yang, Shen, Wen, Tan, Mishra, Ren, Panda, Kim: PaTH Attention: Position Encoding via Accumulating "
          "Householder "
          "Transformations (arXiv 2505.16381)",
      .year = 2025,
      .parameters = {integer_parameter("rank", 32, 0, 65535,
                                       "channels between the stream and the directions, 0 for a product without any")},
      .notes = fmt::format(
          "A beta of 1 projects w away, one of 2 reflects, one of 0 changes nothing, so that `path` is `nope` there. "
          "Matrices are of every head, and do not commute: order counts. As in the released code directions come out "
          "of "
          "a product of low rank, w = x / sqrt(|x|^2 + {:g}), and beta reaches 2; left out is its causal convolution "
          "over three tokens in front of that length. PaTH-FoX is `path+fox`. Beside `rope` it multiplies queries and "
          "keys that are turned already. For causal models: the paper defines nothing for keys behind the query, so "
          "models that look ahead are refused. Nothing is read from positions. The tensors are "
          "`layers.<l>.encoding.path.inner`, [rank, width], `.weight`, [heads * head width, rank], "
          "`.strength_weight`, [heads, width], all even within 1 / sqrt(columns), and `.strength_bias`, [heads], from "
          "0.\n\n"
          "Slow: it is computed one query and key at a time, with all logits of a head at hand, in double, on the CPU, "
          "for sequences of at most {} tokens.",
          1e-6, kMostDenseTokens),
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Path>(arguments);
      }};
}

}  // namespace phasor
