#include "phasor/ablation/verdict.h"

#include <algorithm>
#include <cmath>

#include "phasor/ablation/verdict_clauses.h"
#include "phasor/base/error.h"

namespace phasor {
namespace {

void require_others(const RunEvidence& evidence) {
  for (const RunEvidence::OtherMethod& other : evidence.others) {
    if (other.drops.size() != evidence.layers.size()) {
      fail("method {} has drops of {} layers, the run has {}", other.name, other.drops.size(), evidence.layers.size());
    }
    for (size_t l = 0; l < other.drops.size(); ++l) {
      const size_t heads = evidence.layers[l].alone.size();
      if (other.drops[l].size() != heads) {
        fail("method {} has drops of {} heads in layer {}, which has {}", other.name, other.drops[l].size(), l, heads);
      }
      for (size_t h = 0; h < heads; ++h) {
        if (!std::isfinite(other.drops[l][h])) {
          fail("method {}: the drop of layer {}, head {} is {}", other.name, l, h, other.drops[l][h]);
        }
      }
    }
  }
}

void require_evidence(const RunEvidence& evidence, const VerdictOptions& options) {
  if (evidence.layers.empty()) fail("a run without layers cannot be judged");
  for (size_t l = 0; l < evidence.layers.size(); ++l) {
    require_drops(evidence.layers[l], static_cast<int64_t>(l));
    if (evidence.layers[l].whole.size() != evidence.layers[0].whole.size()) {
      fail("layer {} was measured on {} samples, layer 0 on {}", l, evidence.layers[l].whole.size(),
           evidence.layers[0].whole.size());
    }
  }
  require_others(evidence);
  if (options.least_effect < 0.0)
    fail("the least effect of interest is {}; it cannot be negative", options.least_effect);
  for (const double number : {evidence.floor_accuracy, evidence.knowledge, options.least_effect}) {
    if (!std::isfinite(number)) {
      fail("floor accuracy {}, knowledge {} and least effect {} have to be finite", evidence.floor_accuracy,
           evidence.knowledge, options.least_effect);
    }
  }
}

// Holm's smallest adjusted p is (number of heads) / (flips + 1): at most half the level.
int64_t enough_flips(const RunEvidence& evidence, int64_t flips) {
  constexpr int64_t kPerHead = 40;
  int64_t heads = 0;
  for (const LayerDrops& drops : evidence.layers) heads += std::ssize(drops.alone);
  return std::max(flips, kPerHead * heads);
}

// Delta_layer on the samples of even number.
double first_half_cost(const LayerDrops& drops) {
  double sum = 0.0;
  for (size_t i = 0; i < drops.whole.size(); i += 2) sum += drops.whole[i];
  return sum;
}

int64_t key_layer(const std::vector<LayerDrops>& layers) {
  const auto costs_less = [](const LayerDrops& a, const LayerDrops& b) {
    return first_half_cost(a) < first_half_cost(b);
  };
  return std::max_element(layers.begin(), layers.end(), costs_less) - layers.begin();
}

// Failed before unjudged, each in order; null where all hold.
const Clause* first_obstacle(const std::vector<Clause>& clauses) {
  for (const std::optional<bool> state : {std::optional(false), std::optional<bool>()}) {
    for (const Clause& clause : clauses) {
      if (clause.holds == state) return &clause;
    }
  }
  return nullptr;
}

std::string reason_of(const Clause& clause) {
  return fmt::format("{}: {}{}{}", clause.name, clause.text, clause.remedy.empty() ? "" : "; ", clause.remedy);
}

std::string deposit_reason(const LayerEffect& effect) {
  const LayerEffect::HeldOut& head = effect.held_out;
  return fmt::format(
      "head {}, chosen on one half of the samples, has on the other {} of the heads' drops and {} of the layer's cost, "
      "and alone keeps {} of its worth",
      head.head, show(head.share), show(head.necessity), show(head.sufficiency));
}

std::string spread_reason(const LayerEffect& effect, bool redundant) {
  std::string reason =
      effect.max_share.high < 0.5
          ? fmt::format("no head has half of the heads' drops: the largest share is {}", show(effect.max_share))
          : fmt::format("no head alone costs half of what the layer costs: at most {}", show(effect.necessity));
  if (redundant) {
    reason += fmt::format("; the layer costs {} times what its heads cost one by one: they stand in for each other",
                          show(effect.redundancy));
  }
  return reason;
}

// What is left once the layer is used, the model above its floor and heads can be compared.
void compare_heads(const LayerCase& layer, const std::vector<Clause>& deposit, LayerVerdict& result) {
  const Clause spread = spread_clause(layer);
  const Clause redundant = redundant_clause(layer);
  const Clause partial = partial_clause(layer, deposit);
  const Clause* const obstacle = first_obstacle(deposit);
  const bool measurable = deposit.front().holds == true;
  if (obstacle == nullptr) {
    result.verdict = Deposit::deposit;
    result.reason = deposit_reason(layer.effect);
  } else if (measurable && spread.holds == true) {
    result.verdict = Deposit::spread;
    result.redundant = redundant.holds == true;
    result.reason = spread_reason(layer.effect, result.redundant);
  } else if (partial.holds == true) {
    result.verdict = Deposit::partial;
    result.reason = fmt::format("{}: {}; neither concentrated in one head nor spread", obstacle->name, obstacle->text);
  } else {
    result.reason = reason_of(*obstacle);
  }
  result.clauses.push_back(spread);
  result.clauses.push_back(redundant);
  result.clauses.push_back(partial);
}

LayerVerdict judge_layer(const LayerCase& layer) {
  LayerVerdict result{.effect = layer.effect};
  const Clause used = used_clause(layer);
  const Clause floor = floor_clause(layer);
  result.clauses = {floor, used};
  if (floor.holds == false) {  // what it loses is not what it knows
    result.reason = reason_of(floor);
    return result;
  }
  if (used.holds == false) {  // shares of nothing mean nothing
    result.verdict = Deposit::not_used;
    result.reason = reason_of(used);
    return result;
  }
  const std::vector<Clause> deposit = deposit_clauses(layer);
  if (layer.heads() == 1) {
    result.clauses.push_back(deposit.front());
    result.reason = "one head: nothing to compare";
    return result;
  }
  result.clauses.insert(result.clauses.end(), deposit.begin(), deposit.end());
  compare_heads(layer, deposit, result);
  return result;
}

double share_of_all(const std::vector<LayerVerdict>& layers, size_t key) {
  double sum = 0.0;
  for (const LayerVerdict& layer : layers) {
    for (const Estimate& head : layer.effect.heads) sum += std::max(0.0, head.value);
  }
  const LayerEffect& effect = layers[key].effect;
  return std::max(0.0, effect.heads[static_cast<size_t>(effect.top)].value) / sum;
}

}  // namespace

std::string_view name(Deposit verdict) {
  switch (verdict) {
    case Deposit::deposit:
      return "DEPOSIT";
    case Deposit::partial:
      return "PARTIAL";
    case Deposit::spread:
      return "SPREAD";
    case Deposit::not_used:
      return "NOT USED";
    case Deposit::undetermined:
      break;
  }
  return "UNDETERMINED";
}

bool is_above_floor(const LayerVerdict& layer) {
  return std::none_of(layer.clauses.begin(), layer.clauses.end(),
                      [](const Clause& clause) { return clause.name == kFloorClause && clause.holds == false; });
}

RunVerdict judge_run(const RunEvidence& evidence, const VerdictOptions& options) {
  require_evidence(evidence, options);
  const EffectOptions effect_options{
      .resamples = options.resamples, .flips = enough_flips(evidence, options.flips), .seed = options.seed};
  std::vector<LayerEffect> effects;
  for (const LayerDrops& drops : evidence.layers) effects.push_back(measure_effect(drops, effect_options));
  adjust_for_all_heads(effects);

  RunVerdict result{.layer = key_layer(evidence.layers)};
  const double least = options.least_effect * std::max(0.0, evidence.knowledge);
  for (size_t l = 0; l < effects.size(); ++l) {
    result.layers.push_back(judge_layer({.evidence = evidence, .effect = effects[l], .number = l, .least = least}));
  }
  const auto key = static_cast<size_t>(result.layer);
  result.verdict = result.layers[key].verdict;
  result.reason = result.layers[key].reason;
  if (effects.size() > 1) result.reason = fmt::format("layer {}: {}", key, result.reason);
  result.top_share_of_all = share_of_all(result.layers, key);
  return result;
}

}  // namespace phasor
