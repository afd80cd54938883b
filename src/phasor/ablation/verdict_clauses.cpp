#include "phasor/ablation/verdict_clauses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "phasor/statistics/distribution.h"
#include "phasor/statistics/proportion.h"

namespace phasor {
namespace {

constexpr double kLevel = 0.05;
constexpr double kHalf = 0.5;
constexpr double kMostEffectiveHeads = 2.5;
constexpr double kSufficient = 0.8;
constexpr double kRedundant = 1.5;
constexpr double kKnownShare = 0.25;  // width of the interval of a share that is known
constexpr const char* kNeither = "neither concentrated in one head nor spread";

std::string times_more(double times) {
  constexpr double kMost = 1000.0;
  if (!(times <= kMost)) return "more than 1000 times as many samples would be needed";
  return fmt::format("about {:.2g} times as many samples would tell", std::max(times, 1.1));
}

// Widths fall with the root of the number of samples. Where the interval does not reach the bound, none helps.
std::string more_samples(const Estimate& estimate, double bound) {
  if (std::isnan(estimate.value)) return "the layer's drops leave it undefined";
  if (estimate.low > bound || estimate.high < bound) return kNeither;
  const double reach = estimate.value > bound ? estimate.value - estimate.low : estimate.high - estimate.value;
  const double needed = std::abs(estimate.value - bound);
  return times_more((reach / needed) * (reach / needed));
}

std::optional<bool> judged(const Estimate& estimate, bool holds) {
  return std::isnan(estimate.value) ? std::nullopt : std::optional(holds);
}

// The remedy is for clauses that do not hold.
Clause clause(const char* name, std::string text, std::optional<bool> holds, std::string remedy) {
  return {name, std::move(text), holds, holds.value_or(false) ? "" : std::move(remedy)};
}

Clause layer_clause(const LayerCase& layer) {
  const Estimate& cost = layer.effect.held_out.layer;
  return clause(
      "(i) layer",
      fmt::format("the layer costs at least {} nats; it has to be more than {}", show(cost.low), show(layer.least)),
      cost.low > layer.least, more_samples(cost, layer.least));
}

// By how many times the normal deviate of the p-value falls short.
std::string more_samples_for(double p, size_t family) {
  const double deviate = statistics::normal_quantile(1.0 - p);
  if (!(deviate > 0.0)) return "on the other half of the samples the head costs nothing: the halves disagree";
  const double needed = statistics::normal_quantile(1.0 - kLevel / static_cast<double>(family));
  return times_more((needed / deviate) * (needed / deviate));
}

Clause head_clause(const LayerCase& layer) {
  const LayerEffect::HeldOut& held_out = layer.effect.held_out;
  size_t family = 0;
  for (const LayerDrops& drops : layer.evidence.layers) family += drops.alone.size();
  return clause("(ii) head",
                fmt::format("head {} costs {} nats, p = {}, {} after Holm over {} heads", held_out.head,
                            show(held_out.drop), show(held_out.p), show(held_out.p_holm), family),
                held_out.p_holm <= kLevel, more_samples_for(held_out.p, family));
}

void add_share_clauses(const LayerCase& layer, std::vector<Clause>& clauses) {
  const LayerEffect::HeldOut& held_out = layer.effect.held_out;
  const Estimate &share = held_out.share, &lead = held_out.lead, &necessity = held_out.necessity;
  const double even = 1.0 / static_cast<double>(layer.heads());
  clauses.push_back(clause(
      "(iii) share", fmt::format("head {} has {} of the heads' drops; half is needed", held_out.head, show(share)),
      judged(share, share.value >= kHalf), more_samples(share, kHalf)));
  clauses.push_back(
      clause("(iii) lead",
             fmt::format("head {} leads every other by {} nats; more than 0 is needed", held_out.head, show(lead)),
             judged(lead, lead.low > 0.0), more_samples(lead, 0.0)));
  clauses.push_back(clause("(iii) above even",
                           fmt::format("the share of head {} is at least {}; an even share is {}", held_out.head,
                                       show(share.low), show(even)),
                           judged(share, share.low > even), more_samples(share, even)));
  clauses.push_back(clause("(iii) necessity",
                           fmt::format("head {} alone costs {} of what the whole layer costs; half is needed",
                                       held_out.head, show(necessity)),
                           judged(necessity, necessity.value >= kHalf), more_samples(necessity, kHalf)));
}

Clause effective_heads_clause(const LayerCase& layer) {
  const LayerEffect::HeldOut& held_out = layer.effect.held_out;
  return clause("(iv) effective heads",
                fmt::format("{} effective heads by Simpson (N2), {} by entropy (N1); N2 may be {}", show(held_out.n2),
                            show(held_out.n1), show(kMostEffectiveHeads)),
                judged(held_out.n2, held_out.n2.value <= kMostEffectiveHeads),
                more_samples(held_out.n2, kMostEffectiveHeads));
}

Clause sufficiency_clause(const LayerCase& layer) {
  const Estimate& sufficiency = layer.effect.held_out.sufficiency;
  const int64_t head = layer.effect.held_out.head;
  if (layer.evidence.layers[layer.number].only.empty()) {
    return clause("(v) sufficiency", fmt::format("what head {} alone keeps of the layer was not measured", head),
                  std::nullopt, "measure the layer with all heads but one ablated");
  }
  const double all = layer.effect.held_out.sufficiency_of_all;
  const bool fails_by_all = sufficiency.value >= kSufficient && all < kSufficient;
  return clause("(v) sufficiency",
                fmt::format("head {} alone keeps {} of the layer's worth, {} on all samples; {} is needed", head,
                            show(sufficiency), show(all), show(kSufficient)),
                judged(sufficiency, sufficiency.value >= kSufficient && !(all < kSufficient)),
                fails_by_all ? kNeither : more_samples(sufficiency, kSufficient));
}

Clause methods_clause(const LayerCase& layer) {
  const int64_t head = layer.effect.held_out.head;
  if (layer.evidence.others.empty()) {
    return clause("(vi) methods", fmt::format("no other method was asked whether it names head {}", head), std::nullopt,
                  "measure by another method as well");
  }
  std::string agree, differ;
  for (const RunEvidence::OtherMethod& other : layer.evidence.others) {
    const std::vector<double>& drops = other.drops[layer.number];
    const int64_t named = std::max_element(drops.begin(), drops.end()) - drops.begin();
    if (named == head) {
      agree += (agree.empty() ? "" : ", ") + other.name;
    } else {
      differ += fmt::format("{}{} names head {}", differ.empty() ? "" : ", ", other.name, named);
    }
  }
  const std::vector<std::string>& missing = layer.evidence.unmeasured;
  if (differ.empty() && !missing.empty()) {
    return clause("(vi) methods", fmt::format("{} name head {} too; {} was not asked", agree, head, missing.front()),
                  std::nullopt, fmt::format("measure by {} as well", missing.front()));
  }
  if (differ.empty()) return clause("(vi) methods", fmt::format("{} name head {} too", agree, head), true, "");
  return clause("(vi) methods", fmt::format("{}, not head {}", differ, head), false,
                "methods that disagree leave open what the head does");
}

}  // namespace

std::string show(double number) { return fmt::format("{:.3g}", number); }

std::string show(const Estimate& estimate) {
  if (std::isnan(estimate.value)) return "an undefined part";
  return fmt::format("{:.3g} [{:.3g}, {:.3g}]", estimate.value, estimate.low, estimate.high);
}

Clause used_clause(const LayerCase& layer) {
  const Estimate& cost = layer.effect.held_out.layer;
  const double knowledge = layer.evidence.knowledge;
  std::string text = fmt::format("ablating the whole layer costs {} nats", show(cost));
  text += knowledge > 0.0 ? fmt::format(" of {} that the model knows", show(knowledge))
                          : std::string(" of a model that knows no more than the labels' frequencies");
  if (cost.high < 0.0) {
    text += ": the model is better without it";
  } else if (cost.low <= 0.0) {
    text += ": the interval includes 0";
  } else if (cost.high < layer.least) {
    text += fmt::format(": less than {}, the smallest effect of interest", show(layer.least));
  }
  // No evidence is not evidence of none.
  const bool open = cost.low <= 0.0 && cost.high > layer.least;
  return clause("2 used", std::move(text), cost.low > 0.0 && cost.high >= layer.least,
                open ? fmt::format("a cost of up to {} is not excluded", show(cost.high)) : "");
}

Clause floor_clause(const LayerCase& layer) {
  const RunEvidence& run = layer.evidence;
  const double least = statistics::clopper_pearson(run.correct, run.samples).low;
  return clause(kFloorClause,
                fmt::format("the intact model has {} of {} right, at least {} of all (95 %); without position and "
                            "content it would be {}",
                            run.correct, run.samples, show(least), show(run.floor_accuracy)),
                least > run.floor_accuracy, "train the model until it is above its floor");
}

std::vector<Clause> deposit_clauses(const LayerCase& layer) {
  std::vector<Clause> clauses = {layer_clause(layer), head_clause(layer)};
  add_share_clauses(layer, clauses);
  clauses.push_back(effective_heads_clause(layer));
  clauses.push_back(sufficiency_clause(layer));
  clauses.push_back(methods_clause(layer));
  return clauses;
}

Clause spread_clause(const LayerCase& layer) {
  const Estimate &share = layer.effect.max_share, &necessity = layer.effect.necessity;
  return clause("4 spread",
                fmt::format("the largest share of the heads' drops is {}, the largest part of the layer's cost {}; one "
                            "of them has to end below half",
                            show(share), show(necessity)),
                share.high < kHalf || necessity.high < kHalf, "");
}

Clause redundant_clause(const LayerCase& layer) {
  const Estimate& redundancy = layer.effect.redundancy;
  return clause("4 redundant",
                fmt::format("the layer costs {} times what its heads cost one by one; more than {} is redundant",
                            show(redundancy), show(kRedundant)),
                judged(redundancy, redundancy.low > kRedundant), "");
}

// Methods that disagree, (vi), leave open what the head does: they make no pattern of it.
Clause partial_clause(const LayerCase& layer, const std::vector<Clause>& deposit) {
  constexpr size_t kFirstOfPattern = 2, kLastOfPattern = 7;  // (iii) share to (v) sufficiency
  const Estimate& share = layer.effect.held_out.share;
  const double width = share.high - share.low;
  const bool is_used = deposit[0].holds == true && deposit[1].holds == true;
  bool is_judged = true, fails = false;
  for (size_t i = kFirstOfPattern; i <= kLastOfPattern; ++i) {
    is_judged = is_judged && deposit[i].holds.has_value();
    fails = fails || deposit[i].holds == false;
  }
  return clause(
      "5 partial",
      fmt::format("the share of head {} is {}; one of (iii) to (v) has to fail, and the interval may be {} wide",
                  layer.effect.held_out.head, show(share), show(kKnownShare)),
      is_used && is_judged && fails && width <= kKnownShare,
      width > kKnownShare ? "more samples would make the share known" : "");
}

}  // namespace phasor
