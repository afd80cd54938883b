// A trained vector per position, added to the embeddings.
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/learned_places.h"

namespace phasor {
namespace {

class Learned : public EncodingComponent {
 public:
  explicit Learned(const EncodingArguments& arguments)
      : deviation_(arguments.number("init")), clamps_(arguments.word("beyond") == "clamp") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::input,
            .learnable = true,
            .bidirectional = true,
            .beyond = clamps_ ? Beyond::clamped : Beyond::refused};
  }
  std::string beyond() const override {
    return clamps_ ? "all positions read the last trained vector"
                   : "refused, each position has a trained vector of its own; beyond=clamp reads the last one";
  }

  void fill(EncodingPlaces& places) const override {
    InitialValues initial;
    initial.kind = InitialValues::Kind::normal;
    initial.size = deviation_;
    add_learned_input(places, "", initial, clamps_ ? trained_positions(places.shape()) : places.shape().positions);
  }

 private:
  double deviation_;
  bool clamps_;
};

}  // namespace

EncodingEntry learned_entry() {
  // 0.02 is what GPT-2 and BERT start from. It is small beside token embeddings of N(0, 1), so training
  // starts near nope and the model says itself how much position it wants; init=1 starts level with them.
  constexpr double kInit = 0.02;
  return {.name = "learned",
          .summary = "a trained vector per position, added to the embeddings",
          .formula = "x += E[p], E starts as N(0, init^2)",
          .paper =
              "Gehring, Auli, Grangier, Yarats, Dauphin: Convolutional Sequence to Sequence Learning (arXiv "
              "1705.03122)",
          .year = 2017,
          .parameters = {number_parameter("init", kInit, 0, 100, "standard deviation that the vectors start with"),
                         word_parameter("beyond", {"refuse", "clamp"},
                                        "positions that training never had: none, or all with its last vector")},
          .notes =
              "The default is what GPT-2 and BERT start from. Beside token embeddings of N(0, 1) it is small, so "
              "training starts near `nope` and the model says itself how much position it wants. "
              "`learned(init=1)` starts level with the token embeddings; it is what the code released with arXiv "
              "2505.13027 calls \"random\". The table is the tensor `encoding.learned`, [positions, width].",
          .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
            return std::make_unique<Learned>(arguments);
          }};
}

}  // namespace phasor
