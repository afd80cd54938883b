// Rotations whose far distances count in groups.
#include <fmt/format.h>

#include "phasor/base/dense_limit.h"
#include "phasor/base/phase.h"
#include "phasor/encoding/catalogue.h"
#include "phasor/encoding/entries/far_angles.h"

namespace phasor {
namespace {

class SelfExtend : public EncodingComponent {
 public:
  explicit SelfExtend(const EncodingArguments& arguments)
      : near_(arguments, "self_extend"), group_(arguments.integer("group")), window_(arguments.integer("window")) {}

  EncodingTraits traits() const override {
    return {.coupling = group_ == 1 ? Coupling::hadamard_toeplitz : Coupling::hadamard,
            .exactly_relative = group_ == 1,
            .extrapolates = true,
            .bidirectional = true};
  }

  std::string beyond() const override {
    return fmt::format("distances from the window on count in groups of {}, up to {} tokens", group_, kMostDenseTokens);
  }

  void fill(EncodingPlaces& places) const override {
    const int64_t group = group_, shift = window_ - window_ / group_;
    near_.fill(places, {.window = window_,
                        .query_back = [=](int64_t p, double w) { return phase(p / group + shift, w); },
                        .query_ahead = [=](int64_t p, double w) { return phase(p / group - shift, w); },
                        .key = [=](int64_t p, double w) { return phase(p / group, w); }});
  }

 private:
  NearRotation near_;
  int64_t group_, window_;
};

}  // namespace

EncodingEntry self_extend_entry() {
  std::vector<EncodingParameter> parameters = {
      integer_parameter("group", 4, 1, 65536, "positions that far keys and queries have in common; 1: rope"),
      integer_parameter("window", 16, 1, 1 << 20, "distances below it are those of rope")};
  for (const EncodingParameter& parameter : near_rotation_parameters()) parameters.push_back(parameter);
  return {
      .name = "self_extend",
      .summary = "rope, with distances in groups from a window on: for models trained on less (slow)",
      .formula =
          "rope with d' for d = p_i - p_j: d' = d where |d| < W, else floor(p_i / G) - floor(p_j / G) + W - floor(W / "
          "G), G = group, W = window; mirrored for d < 0",
      .paper =
          "Jin, Han, Yang, Jiang, Liu, Chang, Chen, Hu: LLM Maybe LongLM: Self-Extend LLM Context Window Without "
          "Tuning (arXiv 2401.01325)",
      .year = 2024,
      .parameters = std::move(parameters),
      .notes = fmt::format(
          "Made for a model that was trained with `rope` and sees longer sequences: `phasor evaluate RUN --encoding "
          "'self_extend(group=4,window=16)' --lengths 1,2,4` ([swap.md](swap.md)). With the largest distance N of "
          "training, sequences of up to (N - W) G + W tokens keep to distances of training. As in the released code a "
          "query and a key from the window on both count in groups, and the query stands W - floor(W / G) further on; "
          "`group=1` is `rope`. Which token of its group a query is shifts where far distances step, so logits change "
          "when all positions move. Released for causal models; without a mask keys behind the query are mirrored, d' "
          "= -(...) with the query's shift taken off, which is Phasor's reading. base, layout and fraction must be "
          "those of training.\n\n"
          "Slow: it is computed with all logits of a head at hand, in double, on the CPU, for sequences of at most "
          "{} tokens. Cards measure neither kernels nor desiderata of it; in an analysis of logits, products are those "
          "of `rope`, and what groups change is in the bias.",
          kMostDenseTokens),
      .make = [](const EncodingArguments& arguments) -> std::unique_ptr<EncodingComponent> {
        return std::make_unique<SelfExtend>(arguments);
      }};
}

}  // namespace phasor
