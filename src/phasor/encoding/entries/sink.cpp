// A logit per head that joins the softmax and has no value: somewhere to look when there is nothing to see.
#include <algorithm>

#include "phasor/encoding/catalogue.h"

namespace phasor {
namespace {

class Sink : public EncodingComponent {
 public:
  explicit Sink(const EncodingArguments& arguments)
      : start_(arguments.number("start")), learned_(arguments.word("logit") == "learned") {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::none, .exactly_relative = true, .learnable = learned_, .extrapolates = true};
  }

  std::string beyond() const override { return "nothing depends on positions"; }

  void fill(EncodingPlaces& places) const override {
    const std::vector<int64_t> heads = places.heads();
    if (heads.empty()) return;
    for (const int64_t layer : places.layers()) {
      if (!learned_) {
        places.add_sink(layer, start_);
        continue;
      }
      LearnedParameter parameter;
      parameter.shape = {static_cast<int64_t>(heads.size())};
      parameter.initial = {.kind = InitialValues::Kind::constant, .centre = start_};
      parameter.heads = heads;
      GatherSource source;
      source.parameter = places.add_parameter("logit", parameter, layer);
      source.index.assign(static_cast<size_t>(places.shape().heads), -1);
      for (size_t g = 0; g < heads.size(); ++g) {
        source.index[static_cast<size_t>(heads[g])] = static_cast<int32_t>(g);
      }
      places.add_sink(layer, 0.0, std::move(source));
    }
  }

 private:
  double start_;
  bool learned_;
};

}  // namespace

EncodingEntry sink_entry() {
  return {
      .name = "sink",
      .summary = "a logit per head that joins the softmax and has no value: weights may sum to less",
      .formula = "w_ij = exp(L_ij) / (exp(s_h) + sum over keys k of exp(L_ik))",
      .paper = "OpenAI: gpt-oss-120b & gpt-oss-20b Model Card (arXiv 2508.10925)",
      .year = 2025,
      .parameters = {number_parameter("start", 0, -1e4, 1e4, "the logit that every head starts with, or keeps"),
                     word_parameter("logit", {"learned", "fixed"}, "a trained one for each head, or `start` itself")},
      .notes =
          "It says nothing about position, so it stands beside other terms: `rope+sink`, or with windows "
          "`rope[window=128]+sink`, as in gpt-oss. A head with nothing to say can leave its weight with the sink; "
          "without one it goes to the first tokens (Xiao et al., arXiv 2309.17453). `sink(logit=fixed)` is the softmax "
          "with a 1 in the denominator, \"off by one\". The tensor is `layers.<l>.encoding.sink.logit`, a number for "
          "each of the term's heads. Ablation of position keeps the sink.",
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Sink>(arguments);
      }};
}

}  // namespace phasor
