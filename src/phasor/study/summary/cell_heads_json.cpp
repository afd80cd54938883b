#include "phasor/study/summary/cell_heads_json.h"

#include "phasor/ablation/ablation_json.h"
#include "phasor/base/json_number.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json prevalence_json(const Prevalence& prevalence) {
  return {{"seeds", prevalence.seeds},
          {"low", prevalence.interval.low},
          {"high", prevalence.interval.high},
          {"lower", prevalence.lower}};
}

Json verdict_json(const EncodingVerdict& verdict) {
  return {{"verdict", name(verdict.verdict)},
          {"reason", verdict.reason},
          {"seeds", verdict.seeds.size()},
          {"deposit", prevalence_json(verdict.deposit)},
          {"spread", prevalence_json(verdict.spread)},
          {"not_used", prevalence_json(verdict.not_used)},
          {"undetermined", prevalence_json(verdict.undetermined)},
          {"without_shares", verdict.without_shares},
          {"max_share", to_json(verdict.max_share)},
          {"n2", to_json(verdict.n2)},
          {"necessity", to_json(verdict.necessity)},
          {"sufficiency", to_json(verdict.sufficiency)}};
}

Json clauses_json(const std::vector<Clause>& clauses) {
  Json list = Json::array();
  for (const Clause& clause : clauses) {
    list.push_back({{"clause", clause.name}, {"text", clause.text}, {"holds", json_number(clause.holds)}});
  }
  return list;
}

Json layer_json(const LayerVerdict& layer, size_t number) {
  const LayerEffect& effect = layer.effect;
  return {{"layer", number},
          {"verdict", name(layer.verdict)},
          {"redundant", layer.redundant},
          {"reason", layer.reason},
          {"layer_drop", to_json(effect.layer)},
          {"shares", json_numbers(effect.shares.shares)},
          {"top", effect.top},
          {"max_share", to_json(effect.max_share)},
          {"n2", to_json(effect.n2)},
          {"redundancy", to_json(effect.redundancy)},
          {"necessity", to_json(effect.necessity)},
          {"sufficiency", to_json(effect.sufficiency)},
          {"head_p_holm", json_numbers(effect.held_out.head_p_holm)},
          {"clauses", clauses_json(layer.clauses)}};
}

Json seed_json(const SeedHeads& seed) {
  Json layers = Json::array();
  for (size_t l = 0; l < seed.verdict.layers.size(); ++l) layers.push_back(layer_json(seed.verdict.layers[l], l));
  return {{"id", seed.id},
          {"seed", seed.seed},
          {"converged", seed.converged},
          {"samples", seed.samples},
          {"accuracy", json_number(seed.accuracy)},
          {"floor_accuracy", json_number(seed.floor_accuracy)},
          {"verdict", name(seed.verdict.verdict)},
          {"layer", seed.verdict.layer},
          {"reason", seed.verdict.reason},
          {"top_share_of_all", json_number(seed.verdict.top_share_of_all)},
          {"loss_drops", json_numbers(seed.loss_drops)},
          {"accuracies", json_numbers(seed.accuracies)},
          {"layers", std::move(layers)}};
}

Json shares_json(const SnapshotShares& shares) {
  return {{"max_share", to_json(shares.max_share)}, {"n2", to_json(shares.n2)}, {"leading", shares.leading}};
}

}  // namespace

Json to_json(const QuestionSummary& question) {
  Json seeds = Json::array();
  for (const SeedHeads& seed : question.seeds) seeds.push_back(seed_json(seed));
  return {{"over_seeds", verdict_json(question.verdict)},
          {"sorted_drops", json_numbers(sorted_drops(question.seeds))},
          {"seeds", std::move(seeds)}};
}

Json to_json(const std::vector<RemovalSummary>& removal) {
  Json list = Json::array();
  for (const RemovalSummary& layer : removal) {
    list.push_back({{"layer", layer.layer},
                    {"without_position", to_json(layer.without_position)},
                    {"without_input_term", to_json(layer.without_input_term)},
                    {"random", to_json(layer.random)},
                    {"excess", to_json(layer.excess)},
                    {"norm_share", to_json(layer.norm_share)}});
  }
  return list;
}

Json to_json(const std::vector<SnapshotSummary>& snapshots) {
  Json list = Json::array();
  for (const SnapshotSummary& snapshot : snapshots) {
    list.push_back({{"step", snapshot.step},
                    {"accuracy", to_json(snapshot.accuracy)},
                    {"position", shares_json(snapshot.position)},
                    {"importance", shares_json(snapshot.importance)}});
  }
  return list;
}

}  // namespace phasor
