#pragma once
// Does one head of a layer do what the layer does? Clauses are judged in this order, with delta = least_effect x what
// the model knows, the smallest effect of interest:
//   1. UNDETERMINED: the intact model is not above its floor.
//   2. NOT USED: the interval of Delta_layer reaches down to 0, or ends below delta. Delta_layer here and in (i) is
//   that
//      of the odd samples: the run's layer is chosen by the even ones, and would else look used by luck. UNDETERMINED
//      where that interval holds delta.
//   3. DEPOSIT, by a head chosen on one half of the samples and measured on the other. All of:
//      (i)   Delta_layer is above delta;
//      (ii)  the head's drop is above 0, by sign flips adjusted for all heads of all layers;
//      (iii) its share is at least half and above 1 / heads, it leads all others, and alone it costs at
//            least half of what the whole layer costs (two heads that stand in for each other would else pass);
//      (iv)  at most 2.5 effective heads by Simpson. Not by entropy: one head with 70 % of the drop and an even rest
//            has 2.6, 3.3 and 4.1 effective heads of 4, 8 and 16 by entropy, 1.9 to 2.0 by Simpson;
//      (v)   with it alone left, the layer keeps at least 80 % of its worth, on that half and on all samples;
//      (vi)  every other method names the same head.
//   4. SPREAD: (i), and no head has half of the drops, or none costs half of what the layer costs.
//   5. PARTIAL: (i) and (ii), some of (iii) to (v) fails, and the head's share is known to within a quarter: neither
//      one head nor spread, which is an answer.
//   6. UNDETERMINED otherwise.
// All by the ends of 95 % intervals.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/ablation/layer_drops.h"
#include "phasor/ablation/layer_effect.h"

namespace phasor {

enum class Deposit : uint8_t { deposit, partial, spread, not_used, undetermined };
std::string_view name(Deposit verdict);  // "DEPOSIT", ...

struct Clause {
  std::string name;           // "(iii) share"
  std::string text;           // with the number
  std::optional<bool> holds;  // empty: could not be judged
  std::string remedy;         // where it does not hold: what would help
};

struct LayerVerdict {
  Deposit verdict = Deposit::undetermined;
  bool redundant = false;  // by its interval the layer costs more than 1.5 times what its heads cost one by one
  std::vector<Clause> clauses;
  std::string reason;
  LayerEffect effect;
};

// False where the intact model is not significantly above its floor: what its heads cost is then not what it knows.
bool is_above_floor(const LayerVerdict& layer);

struct RunEvidence {
  std::vector<LayerDrops> layers;  // by the method that is judged
  // A method that must name the same head: its mean drops.
  struct OtherMethod {
    std::string name;
    std::vector<std::vector<double>> drops;  // [layers][heads]
  };
  std::vector<OtherMethod> others;
  std::vector<std::string> unmeasured;  // methods that should have been asked too
  int64_t correct = 0, samples = 0;     // of the intact model
  double floor_accuracy = 0.0;          // what the best guess without position or content gets
  double knowledge = 0.0;  // loss of guessing by label frequencies - intact loss, nats; <= 0: nothing learned
};

struct VerdictOptions {
  int64_t resamples = 2000;
  int64_t flips = 9999;  // more where Holm's correction for the number of heads could not reach 0.05 with so few
  uint64_t seed = 0;
  double least_effect = 0.01;
};

struct RunVerdict {
  Deposit verdict = Deposit::undetermined;  // that of the layer that matters most
  int64_t layer = 0;                        // the one with the largest Delta_layer on the samples of even number
  std::vector<LayerVerdict> layers;
  std::string reason;
  double top_share_of_all = 0.0;  // that layer's top head among all heads of all layers, by drops clipped at 0; or NaN
};

// Throws Error for samples that are too few, not finite or do not match.
RunVerdict judge_run(const RunEvidence& evidence, const VerdictOptions& options = {});

}  // namespace phasor
