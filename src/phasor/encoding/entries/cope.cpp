// Positions that count what a query's own gates let through.
#include <fmt/format.h>

#include <memory>

#include "phasor/base/dense_limit.h"
#include "phasor/encoding/catalogue.h"

namespace phasor {
namespace {

class Cope : public EncodingComponent {
 public:
  explicit Cope(const EncodingArguments& arguments)
      : most_(arguments.integer("max")),
        per_head_(arguments.word("sharing") == "head"),
        deviation_(arguments.number("init")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::content_bias,
            .exactly_relative = true,
            .learnable = true,
            .extrapolates = true,
            .beyond = Beyond::clamped};
  }

  std::string beyond() const override {
    return fmt::format("positions by gates end at {}, up to {} tokens", most_, kMostDenseTokens);
  }

  void fill(EncodingPlaces& places) const override {
    const std::vector<int64_t> heads = places.heads();
    if (heads.empty()) return;
    for (const int64_t layer : places.layers()) {
      LearnedParameter parameter;
      parameter.shape = {most_ + 1, places.shape().head_width};
      if (deviation_ > 0.0) {
        parameter.initial = {.kind = InitialValues::Kind::normal, .centre = 0.0, .size = deviation_};
      }
      if (per_head_) {
        parameter.shape.insert(parameter.shape.begin(), static_cast<int64_t>(heads.size()));
        parameter.heads = heads;
      }
      ContextPositions positions{.most = most_, .per_head = per_head_};
      positions.vectors = places.add_parameter("vectors", parameter, layer);
      places.add_dense(layer, std::make_shared<const DensePlace>(
                                  DensePlace{.name = places.term_text(), .heads = heads, .what = positions}));
    }
  }

 private:
  int64_t most_;
  bool per_head_;
  double deviation_;
};

}  // namespace

EncodingEntry cope_entry() {
  return {
      .name = "cope",
      .summary = "a key's position counts the tokens up to the query that the query itself lets count (slow)",
      .formula =
          "b_ij = <q_i, e(p_ij)>, p_ij = min(max, sum_(t=j..i) sigmoid(s <q_i, k_t>)); e(p) trained, between whole p "
          "in "
          "proportion",
      .paper =
          "Golovneva, Wang, Weston, Sukhbaatar: Contextual Position Encoding: Learning to Count What's "
          "Important (arXiv 2405.18719)",
      .year = 2024,
      .parameters = {integer_parameter("max", 16, 1, 512, "positions are cut off there; so many vectors, and one of 0"),
                     word_parameter("sharing", {"layer", "head"},
                                    "the heads of a layer share their vectors, or each has its own"),
                     number_parameter("init", 0, 0, 100,
                                      "standard deviation of e at the start; 0 in the released code")},
      .notes = fmt::format(
          "As in the released code, gates are of the scaled products of query and key, and b is added outside the "
          "scale, "
          "with the query before any rotation. e starts at 0 (`init=0`) and is shared by the heads of a layer; with "
          "`npos_max` "
          "there, `max` is one less. Gates do not see other terms of a sum (biases, gates of `fox`). For causal "
          "models: "
          "the paper defines nothing for keys behind the query, so models that look ahead are refused. Nothing is read "
          "from positions, so `randomized` and `scattered` change nothing. The tensor is "
          "`layers.<l>.encoding.cope.vectors`, [max + 1, head width] or [heads, max + 1, head width].\n\n"
          "Slow: the sum over keys needs the logits of a whole row, which no tiled kernel has. It is computed with all "
          "logits of a head at hand, in double, on the CPU, for sequences of at most {} tokens.",
          kMostDenseTokens),
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Cope>(arguments);
      }};
}

}  // namespace phasor
