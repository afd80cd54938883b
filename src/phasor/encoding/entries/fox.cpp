// A gate per token and head says how much of what came before is forgotten.
#include <cmath>

#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/formula_term.h"
#include "phasor/encoding/entries/gate_places.h"

namespace phasor {
namespace {

constexpr double kShortest = 2.0, kLongest = 128.0;

class Fox : public EncodingComponent {
 public:
  explicit Fox(const EncodingArguments& arguments)
      : gate_(arguments.word("gate")), shortest_(arguments.number("shortest")), longest_(arguments.number("longest")) {}

  EncodingTraits traits() const override {
    return {.coupling = gate_ == "full" ? Coupling::content_bias : Coupling::toeplitz_bias,
            .exactly_relative = true,
            .learnable = gate_ != "fixed",
            .extrapolates = true,
            .bidirectional = true};
  }

  std::string formula() const override {
    if (gate_ == "bias") return "b_h(d) = |d| log sigmoid(b_h), b_h trained, from -1 / log sigmoid(b_h) = T_h on";
    if (gate_ == "fixed") return "b_h(d) = -|d| / T_h";
    return {};
  }

  bool reads(std::string_view parameter) const override { return parameter == "gate" || gate_ != "full"; }

  void fill(EncodingPlaces& places) const override {
    if (gate_ == "full") return add_gates(places, GateTerm::Map::log_sigmoid);
    gate_ == "bias" ? add_trained_slopes(places) : add_slopes(places);
  }

 private:
  // After so many tokens a gate has let e^-1 through: a geometric sequence over the heads.
  double time(int64_t head, int64_t heads) const {
    const double share = heads > 1 ? static_cast<double>(head) / static_cast<double>(heads - 1) : 0.0;
    return shortest_ * std::pow(longest_ / shortest_, share);
  }

  void add_slopes(EncodingPlaces& places) const {
    const int64_t heads = places.shape().heads;
    const int64_t reach = places.shape().positions - 1;
    Table table(heads, 2 * reach + 1);
    for (int64_t head = 0; head < heads; ++head) {
      for (int64_t distance = -reach; distance <= reach; ++distance) {
        table(head, reach + distance) = -static_cast<double>(std::abs(distance)) / time(head, heads);
      }
    }
    places.add_bias(table);
  }

  void add_trained_slopes(EncodingPlaces& places) const {
    FormulaArgument bias{.name = "b", .learned = true, .initial = {}, .per_head = true};
    bias.initial.kind = InitialValues::Kind::values;
    for (const int64_t head : places.heads()) {
      bias.initial.values.push_back(-std::log(std::expm1(1.0 / time(head, places.shape().heads))));
    }
    FormulaTerm(FormulaTerm::Place::bias, "-log(1+exp(-b))*abs(d)", {bias}).add_bias(places);
  }

  std::string gate_;
  double shortest_, longest_;
};

}  // namespace

EncodingEntry fox_entry() {
  return {
      .name = "fox",
      .summary = "every token forgets a part of what came before, by a gate of its hidden state",
      .formula = "b_ij = -|c_i - c_j|, c_t = sum_(s<=t) log sigmoid(w_h x_s + b_h), x the layer's normed stream",
      .paper =
          "Lin, Nikishin, He, Courville: Forgetting Transformer: Softmax Attention with a Forget Gate "
          "(arXiv 2503.02130)",
      .year = 2025,
      .parameters = {word_parameter("gate", {"full", "bias", "fixed"},
                                    "of the token's hidden state; one number per head, trained; or the same, fixed"),
                     number_parameter("shortest", kShortest, 1e-3, 1e9,
                                      "tokens after which the first head's gates let 1/e through, at the start"),
                     number_parameter("longest", kLongest, 1e-3, 1e9, "likewise of the last head")},
      .notes =
          "The paper's models are causal: there b_ij is the sum of the log gates of the tokens after j up to i. "
          "Where a model looks ahead too, keys behind the query get the same of the tokens between, -|c_i - c_j|: "
          "that form is Phasor's, not the paper's, and does not tell left from right. Nothing is read from "
          "positions, so `randomized` and `scattered` change nothing about `gate=full`. `gate=bias` and "
          "`gate=fixed` are the paper's data-independent and fixed gates: biases of distance with a slope per head, "
          "the same as `alibi` with other slopes; the two times are arguments, and their defaults are Phasor's. "
          "Gates start as in the released code: `layers.<l>.encoding.fox.weight`, [heads, width], from "
          "N(0, 0.02^2), and `.bias`, [heads], from 0, which lets a half through. Output gates, normed and shifted "
          "keys (the paper's Pro block) belong to the model and are not part of this entry.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Fox>(arguments);
      }};
}

}  // namespace phasor
