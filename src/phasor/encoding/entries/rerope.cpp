// Rotations whose distances end at a window, or grow slower from there on.
#include <fmt/format.h>

#include <cmath>

#include "phasor/base/dense_limit.h"
#include "phasor/base/phase.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/far_angles.h"

namespace phasor {
namespace {

class Rerope : public EncodingComponent {
 public:
  explicit Rerope(const EncodingArguments& arguments)
      : near_(arguments, "rerope"), window_(arguments.integer("window")), leak_(arguments.number("leak")) {}

  EncodingTraits traits() const override {
    return {.coupling = Coupling::hadamard_toeplitz,
            .exactly_relative = true,
            .extrapolates = true,
            .bidirectional = true,
            .beyond = leak_ == 0.0 ? Beyond::clamped : Beyond::formula};
  }

  std::string beyond() const override {
    return leak_ == 0.0 ? fmt::format("distances end at the window of {}, up to {} tokens", window_, kMostDenseTokens)
                        : fmt::format("distances grow {} times as fast from the window of {} on, up to {} tokens",
                                      leak_, window_, kMostDenseTokens);
  }

  void fill(EncodingPlaces& places) const override {
    const int64_t window = window_;
    const double leak = leak_;
    // e^(i (start + leak p) w); whole positions as rope has them.
    const auto slow = [leak](int64_t start, int64_t p, double w) {
      if (leak == 0.0) return phase(start, w);
      if (leak == 1.0) return phase(start + p, w);
      return phase(start, w) * phase(p, leak * w);
    };
    near_.fill(places, {.window = window,
                        .query_back = [=](int64_t p, double w) { return slow(window, p - window, w); },
                        .query_ahead = [=](int64_t p, double w) { return slow(-window, p + window, w); },
                        .key = [=](int64_t p, double w) { return slow(0, p, w); }});
  }

 private:
  NearRotation near_;
  int64_t window_;
  double leak_;
};

}  // namespace

EncodingEntry rerope_entry() {
  std::vector<EncodingParameter> parameters = {
      integer_parameter("window", 16, 1, 1 << 20, "distances below it are those of rope"),
      number_parameter("leak", 0, 0, 1, "how fast distances grow from there on: 0 not at all, 1 as those of rope")};
  for (const EncodingParameter& parameter : near_rotation_parameters()) parameters.push_back(parameter);
  return {
      .name = "rerope",
      .summary = "rope, with distances clipped at a window: for models trained on less (slow)",
      .formula =
          "rope with d' for d = p_i - p_j: d' = d where |d| < W, else W + leak (d - W), W = window; mirrored for d < 0",
      .paper = "Su: Rectified Rotary Position Embeddings (https://github.com/bojone/rerope)",
      .year = 2023,
      .parameters = std::move(parameters),
      .notes = fmt::format(
          "Made for a model that was trained with `rope` and sees longer sequences: `phasor evaluate RUN --encoding "
          "'rerope(window=16)' --lengths 1,2,4` ([swap.md](swap.md)). `leak=0` is ReRoPE: every key from the window "
          "on seems to stand at its edge. Leaky ReRoPE has a leak of 1 / k. `leak=1` is `rope`, and so is a window as "
          "long as the sequence. base, layout and fraction must be those of training. Its author describes it in a "
          "blog post, for causal models; without a mask keys behind the query are mirrored.\n\n"
          "Slow: it is computed with all logits of a head at hand, in double, on the CPU, for sequences of at most "
          "{} tokens. Cards measure neither kernels nor desiderata of it; in an analysis of logits, products are those "
          "of `rope`, and what the window changes is in the bias.",
          kMostDenseTokens),
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<Rerope>(arguments);
      }};
}

}  // namespace phasor
