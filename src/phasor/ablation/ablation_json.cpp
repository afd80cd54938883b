#include "phasor/ablation/ablation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/statistics/concentration.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

// What the published way ablates.
constexpr const char* kHeads = "heads, the last one of each earlier layer off";
constexpr const char* kLatents = "columns of latents";

// JSON has no infinities: what is not bounded or not defined is null.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

double number_from(const Json& json, double otherwise) { return json.is_null() ? otherwise : json.get<double>(); }

Estimate estimate_from(const Json& json) {
  const Estimate undefined;
  return {.value = number_from(json.at("value"), undefined.value),
          .low = number_from(json.at("low"), undefined.low),
          .high = number_from(json.at("high"), undefined.high)};
}

Json effect_json(const LayerEffect& effect) {
  Json heads = Json::array();
  for (const Estimate& head : effect.heads) heads.push_back(to_json(head));
  Json shares = Json::array();
  for (const double share : effect.shares.shares) shares.push_back(share);
  const LayerEffect::HeldOut& held = effect.held_out;
  return {{"layer_drop", to_json(effect.layer)},
          {"head_drops", heads},
          {"shares", shares},
          {"top", effect.top},
          {"max_share", to_json(effect.max_share)},
          {"dominance", to_json(effect.dominance)},
          {"dominance_ratio", number(effect.shares.dominance_ratio)},
          {"gini", to_json(effect.gini)},
          {"n1", to_json(effect.n1)},
          {"n2", to_json(effect.n2)},
          {"redundancy", to_json(effect.redundancy)},
          {"necessity", to_json(effect.necessity)},
          {"sufficiency", to_json(effect.sufficiency)},
          {"held_out",
           {{"head", held.head},
            {"drop", to_json(held.drop)},
            {"lead", to_json(held.lead)},
            {"share", to_json(held.share)},
            {"necessity", to_json(held.necessity)},
            {"sufficiency", to_json(held.sufficiency)},
            {"n1", to_json(held.n1)},
            {"n2", to_json(held.n2)},
            {"p", held.p},
            {"p_holm", held.p_holm},
            {"head_p_holm", held.head_p_holm}}}};
}

LayerEffect::HeldOut held_out_from(const Json& json) {
  return {.head = json.at("head"),
          .drop = estimate_from(json.at("drop")),
          .lead = estimate_from(json.at("lead")),
          .share = estimate_from(json.at("share")),
          .necessity = estimate_from(json.at("necessity")),
          .sufficiency = estimate_from(json.at("sufficiency")),
          .n1 = estimate_from(json.at("n1")),
          .n2 = estimate_from(json.at("n2")),
          .p = json.at("p"),
          .p_holm = json.at("p_holm"),
          .head_p_holm = json.at("head_p_holm").get<std::vector<double>>()};
}

LayerEffect effect_from(const Json& json) {
  LayerEffect effect{.layer = estimate_from(json.at("layer_drop")),
                     .top = json.at("top"),
                     .max_share = estimate_from(json.at("max_share")),
                     .dominance = estimate_from(json.at("dominance")),
                     .gini = estimate_from(json.at("gini")),
                     .n1 = estimate_from(json.at("n1")),
                     .n2 = estimate_from(json.at("n2")),
                     .redundancy = estimate_from(json.at("redundancy")),
                     .necessity = estimate_from(json.at("necessity")),
                     .sufficiency = estimate_from(json.at("sufficiency")),
                     .held_out = held_out_from(json.at("held_out"))};
  std::vector<double> drops;
  for (const Json& head : json.at("head_drops")) {
    effect.heads.push_back(estimate_from(head));
    drops.push_back(effect.heads.back().value);
  }
  effect.shares = statistics::concentration(drops);
  effect.shares.shares = json.at("shares").get<std::vector<double>>();
  return effect;
}

Deposit deposit_from(const Json& json) {
  const auto text = json.get<std::string>();
  for (const Deposit verdict : {Deposit::deposit, Deposit::spread, Deposit::not_used, Deposit::undetermined}) {
    if (name(verdict) == text) return verdict;
  }
  throw FormatError(fmt::format("there is no verdict {}", json.dump()));
}

Json clauses_json(const std::vector<Clause>& clauses) {
  Json list = Json::array();
  for (const Clause& clause : clauses) {
    Json entry = {{"clause", clause.name}, {"text", clause.text}};
    entry["holds"] = clause.holds ? Json(*clause.holds) : Json(nullptr);
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<Clause> clauses_from(const Json& json) {
  std::vector<Clause> clauses;
  for (const Json& entry : json) {
    Clause clause{.name = entry.at("clause"), .text = entry.at("text"), .holds = {}, .remedy = {}};
    if (!entry.at("holds").is_null()) clause.holds = entry.at("holds").get<bool>();
    clauses.push_back(std::move(clause));
  }
  return clauses;
}

Json habit_json(const HeadHabit& habit) {
  return {{"mean_distance", habit.mean_distance},   {"even_distance", habit.even_distance},
          {"favourite", habit.favourite},           {"favourite_gain", habit.favourite_gain},
          {"distance_share", habit.distance_share}, {"entropy", habit.entropy},
          {"even_entropy", habit.even_entropy}};
}

HeadHabit habit_from(const Json& json) {
  return {.mean_distance = json.at("mean_distance"),
          .even_distance = json.at("even_distance"),
          .favourite = json.at("favourite"),
          .favourite_gain = json.at("favourite_gain"),
          .distance_share = json.at("distance_share"),
          .entropy = json.at("entropy"),
          .even_entropy = json.at("even_entropy")};
}

RemovalScore score_from(const Json& json) { return {.loss = json.at("loss"), .accuracy = json.at("accuracy")}; }

Json score_json(const RemovalScore& score) { return {{"loss", score.loss}, {"accuracy", score.accuracy}}; }

Json conditions_json(const ScoreTable& table) {
  Json list = Json::array();
  for (const Condition& condition : table.conditions) {
    list.push_back({{"layer", condition.layer},
                    {"head", condition.head < 0 ? Json(nullptr) : Json(condition.head)},
                    {"ablated", condition.extent == AblationExtent::alone   ? "alone"
                                : condition.extent == AblationExtent::whole ? "whole"
                                                                            : "only"},
                    {"method", name(condition.method)},
                    {"loss_drop", table.mean_loss_drop(condition)},
                    {"accuracy", table.accuracy(condition)}});
  }
  return list;
}

}  // namespace

Json to_json(const Estimate& estimate) {
  return {{"value", number(estimate.value)}, {"low", number(estimate.low)}, {"high", number(estimate.high)}};
}

Json to_json(const RunVerdict& verdict) {
  Json layers = Json::array();
  for (size_t l = 0; l < verdict.layers.size(); ++l) {
    const LayerVerdict& layer = verdict.layers[l];
    layers.push_back({{"layer", l},
                      {"verdict", name(layer.verdict)},
                      {"redundant", layer.redundant},
                      {"reason", layer.reason},
                      {"clauses", clauses_json(layer.clauses)},
                      {"effect", effect_json(layer.effect)}});
  }
  return {{"verdict", name(verdict.verdict)},
          {"layer", verdict.layer},
          {"reason", verdict.reason},
          {"top_share_of_all", number(verdict.top_share_of_all)},
          {"layers", layers}};
}

RunVerdict verdict_from_json(const Json& json) {
  RunVerdict verdict{.verdict = deposit_from(json.at("verdict")),
                     .layer = json.at("layer"),
                     .reason = json.at("reason"),
                     .top_share_of_all = number_from(json.at("top_share_of_all"), Estimate().value)};
  for (const Json& layer : json.at("layers")) {
    verdict.layers.push_back({.verdict = deposit_from(layer.at("verdict")),
                              .redundant = layer.at("redundant"),
                              .clauses = clauses_from(layer.at("clauses")),
                              .reason = layer.at("reason"),
                              .effect = effect_from(layer.at("effect"))});
  }
  return verdict;
}

Json to_json(const StreamRemoval& removal) {
  Json layers = Json::array();
  for (const LayerRemoval& layer : removal.layers) {
    Json random = Json::array();
    for (const RemovalScore& score : layer.random) random.push_back(score_json(score));
    layers.push_back(
        {{"layer", layer.layer},
         {"means", score_json(layer.means)},
         {"input_term", layer.input_term ? score_json(*layer.input_term) : Json(nullptr)},
         {"random", random},
         {"excess", {{"value", layer.excess.value}, {"low", layer.excess.low}, {"high", layer.excess.high}}},
         {"norm_share", layer.norm_share}});
  }
  return {{"intact", score_json(removal.intact)}, {"layers", layers}};
}

Json to_json(const std::vector<std::vector<HeadHabit>>& habits) {
  Json list = Json::array();
  for (const std::vector<HeadHabit>& layer : habits) {
    Json row = Json::array();
    for (const HeadHabit& habit : layer) row.push_back(habit_json(habit));
    list.push_back(std::move(row));
  }
  return list;
}

std::vector<std::vector<HeadHabit>> habits_from_json(const Json& json) {
  std::vector<std::vector<HeadHabit>> habits;
  for (const Json& layer : json) {
    habits.emplace_back();
    for (const Json& head : layer) habits.back().push_back(habit_from(head));
  }
  return habits;
}

StreamRemoval removal_from_json(const Json& json) {
  StreamRemoval removal{.intact = score_from(json.at("intact"))};
  for (const Json& entry : json.at("layers")) {
    LayerRemoval layer{.layer = entry.at("layer"), .means = score_from(entry.at("means"))};
    if (!entry.at("input_term").is_null()) layer.input_term = score_from(entry.at("input_term"));
    for (const Json& score : entry.at("random")) layer.random.push_back(score_from(score));
    const Json& excess = entry.at("excess");
    layer.excess = {.value = excess.at("value"), .low = excess.at("low"), .high = excess.at("high")};
    layer.norm_share = entry.at("norm_share");
    removal.layers.push_back(std::move(layer));
  }
  return removal;
}

Json to_json(const RunAblation& ablation) {
  const auto verdict = [](const std::optional<RunVerdict>& found) { return found ? to_json(*found) : Json(nullptr); };
  return {{"samples", ablation.scores.samples},
          {"intact", {{"loss", ablation.scores.intact_loss()}, {"accuracy", ablation.scores.intact_accuracy()}}},
          {"floor_accuracy", ablation.context.floor_accuracy},
          {"guess_loss", ablation.context.guess_loss},
          {"parameters", ablation.parameters},
          {"position", verdict(ablation.position)},
          {"importance", verdict(ablation.importance)},
          {"conditions", conditions_json(ablation.scores)},
          {"habits", to_json(ablation.habits)},
          {"removal", to_json(ablation.removal)}};
}

Json to_json(const PublishedAblation& ablation) {
  Json layers = Json::array();
  for (size_t l = 0; l < ablation.accuracy.size(); ++l) {
    const statistics::Concentration found = ablation.concentration(static_cast<int64_t>(l));
    layers.push_back({{"layer", l},
                      {"accuracy", ablation.accuracy[l]},
                      {"top", found.top},
                      {"max_share", number(found.max_share)},
                      {"n2", number(found.n2)}});
  }
  return {{"baseline", ablation.baseline},
          {"samples", ablation.samples},
          {"ablated", ablation.latent ? kLatents : kHeads},
          {"turns_without_effect", ablation.without_effect},
          {"layers", layers}};
}

PublishedAblation published_from_json(const Json& json) {
  const Json& ablated = json.at("ablated");
  if (ablated != kHeads && ablated != kLatents) {
    throw FormatError(fmt::format("neither heads nor latents were ablated, but {}", ablated.dump()));
  }
  PublishedAblation ablation{.baseline = json.at("baseline"),
                             .latent = ablated == kLatents,
                             .without_effect = json.at("turns_without_effect"),
                             .samples = json.at("samples")};
  for (const Json& layer : json.at("layers")) {
    ablation.accuracy.push_back(layer.at("accuracy").get<std::vector<double>>());
  }
  return ablation;
}

}  // namespace phasor
