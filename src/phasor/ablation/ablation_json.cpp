#include "phasor/ablation/ablation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/statistics/concentration.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

// What the published way ablates.
constexpr const char* kHeads = "heads, the last one of each earlier layer off";
constexpr const char* kLatents = "columns of latents";

const std::vector<Deposit> kDeposits = {Deposit::deposit, Deposit::partial, Deposit::spread, Deposit::not_used,
                                        Deposit::undetermined};

std::string deposit_name(Deposit verdict) { return std::string(name(verdict)); }

// JSON has no infinities: what is not bounded or not defined is null.
Json number(double value) { return JsonValue<double>::write(value); }

}  // namespace

static const Fields<Estimate>& json_fields(const Estimate*) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static const Fields<Estimate> fields = {
      field("value", &Estimate::value, "the estimate; null: not defined"),
      field_or("low", &Estimate::low, -kInfinity, "lower end of its 95 % interval; null: unbounded"),
      field_or("high", &Estimate::high, kInfinity, "upper end")};
  return fields;
}

static const Fields<LayerEffect::HeldOut>& json_fields(const LayerEffect::HeldOut*) {
  using HeldOut = LayerEffect::HeldOut;
  static const Fields<HeldOut> fields = {
      field("head", &HeldOut::head, "the head, chosen on the samples of even number"),
      field("drop", &HeldOut::drop, "what it costs on the others"),
      field("lead", &HeldOut::lead, "that less the largest cost of another head"),
      field("share", &HeldOut::share, "of the heads' costs"),
      field("necessity", &HeldOut::necessity, "its cost over the layer's"),
      field("sufficiency", &HeldOut::sufficiency, "what it keeps of the layer's worth alone"),
      field("n1", &HeldOut::n1, "effective heads by entropy"),
      field("n2", &HeldOut::n2, "effective heads by Simpson"),
      field("p", &HeldOut::p, "of a cost above 0, one-sided"),
      field("p_holm", &HeldOut::p_holm, "adjusted for all heads of all layers"),
      field("head_p_holm", &HeldOut::head_p_holm, "the same of every head")};
  return fields;
}

static const Fields<LayerEffect>& json_fields(const LayerEffect*) {
  static const Fields<LayerEffect> fields = {
      field("layer_drop", &LayerEffect::layer, "loss that the whole layer's ablation adds"),
      field("head_drops", &LayerEffect::heads, "loss that each head's ablation adds"),
      Field<LayerEffect>{.name = "shares",
                         .type = "list",
                         .help = "of the heads' costs, each",
                         .write = [](const LayerEffect& effect) { return write_json(effect.shares.shares); },
                         .read =
                             [](LayerEffect& effect, const Json& json, const JsonPath& path) {
                               std::vector<double> drops;
                               for (const Estimate& head : effect.heads) drops.push_back(head.value);
                               effect.shares = statistics::concentration(drops);
                               effect.shares.shares = read_json<std::vector<double>>(json, path);
                             }},
      field("top", &LayerEffect::top, "the head that costs most"),
      field("max_share", &LayerEffect::max_share, "its share"),
      field("dominance", &LayerEffect::dominance, "its share less the second one's"),
      derived_field<LayerEffect>(
          "dominance_ratio", "number", [](const LayerEffect& effect) { return number(effect.shares.dominance_ratio); },
          "its share over the second one's"),
      field("gini", &LayerEffect::gini, "Gini coefficient of the costs"),
      field("n1", &LayerEffect::n1, "effective heads by entropy"),
      field("n2", &LayerEffect::n2, "effective heads by Simpson"),
      field("redundancy", &LayerEffect::redundancy, "the layer's cost over the sum of its heads'"),
      field("necessity", &LayerEffect::necessity, "the top head's cost over the layer's"),
      field("sufficiency", &LayerEffect::sufficiency, "what the top head keeps of the layer's worth alone"),
      field("held_out", &LayerEffect::held_out, "one head, chosen on half of the samples and measured on the other")};
  return fields;
}

static const Fields<Clause>& json_fields(const Clause*) {
  static const Fields<Clause> fields = {field("clause", &Clause::name, "which one"),
                                        field("text", &Clause::text, "with its number"),
                                        field("holds", &Clause::holds, "null: could not be judged")};
  return fields;
}

static const Fields<LayerVerdict>& json_fields(const LayerVerdict*) {
  static const Fields<LayerVerdict> fields = {
      name_field("verdict", &LayerVerdict::verdict, kDeposits, deposit_name, "DEPOSIT, SPREAD, ..."),
      field("redundant", &LayerVerdict::redundant, "heads stand in for each other"),
      field("reason", &LayerVerdict::reason, "in words"),
      field("clauses", &LayerVerdict::clauses, "what the verdict rests on"),
      field("effect", &LayerVerdict::effect, "the numbers")};
  return fields;
}

static const Fields<RunVerdict>& json_fields(const RunVerdict*) {
  static const Fields<RunVerdict> fields = {
      name_field("verdict", &RunVerdict::verdict, kDeposits, deposit_name, "of the layer that matters most"),
      field("layer", &RunVerdict::layer, "that layer"), field("reason", &RunVerdict::reason, "in words"),
      field("top_share_of_all", &RunVerdict::top_share_of_all, "its top head's share among all heads of all layers"),
      Field<RunVerdict>{.name = "layers",
                        .type = "list",
                        .help = "every layer's verdict, with its number",
                        .write =
                            [](const RunVerdict& verdict) {
                              Json list = Json::array();
                              for (size_t l = 0; l < verdict.layers.size(); ++l) {
                                Json layer = {{"layer", l}};
                                layer.update(write_json(verdict.layers[l]));
                                list.push_back(std::move(layer));
                              }
                              return list;
                            },
                        .read =
                            [](RunVerdict& verdict, Json list, const JsonPath& path) {
                              if (!list.is_array()) fail_member(path, "is not a list");
                              for (Json& layer : list) {
                                const JsonPath here(path, verdict.layers.size());
                                if (!layer.is_object() || layer.erase("layer") == 0) fail_member(here, "has no layer");
                                verdict.layers.push_back(read_json<LayerVerdict>(layer, here));
                              }
                            }}};
  return fields;
}

static const Fields<HeadHabit>& json_fields(const HeadHabit*) {
  static const Fields<HeadHabit> fields = {
      field("mean_distance", &HeadHabit::mean_distance, "how far a query looks, on average"),
      field("even_distance", &HeadHabit::even_distance, "if attention were even"),
      field("favourite", &HeadHabit::favourite, "the key - query that gets most beyond even attention"),
      field("favourite_gain", &HeadHabit::favourite_gain, "how many times even attention that is"),
      field("distance_share", &HeadHabit::distance_share, "of the variance of attention that distance explains"),
      field("entropy", &HeadHabit::entropy, "of attention, in nats"),
      field("even_entropy", &HeadHabit::even_entropy, "if attention were even")};
  return fields;
}

static const Fields<RemovalScore>& json_fields(const RemovalScore*) {
  static const Fields<RemovalScore> fields = {field("loss", &RemovalScore::loss, "mean over samples"),
                                              field("accuracy", &RemovalScore::accuracy, "share of right answers")};
  return fields;
}

static const Fields<RemovalExcess>& json_fields(const RemovalExcess*) {
  static const Fields<RemovalExcess> fields = {field("value", &RemovalExcess::value, "mean over samples"),
                                               field("low", &RemovalExcess::low, "lower end of its 95 % interval"),
                                               field("high", &RemovalExcess::high, "upper end")};
  return fields;
}

static const Fields<LayerRemoval>& json_fields(const LayerRemoval*) {
  static const Fields<LayerRemoval> fields = {
      field("layer", &LayerRemoval::layer, "that the stream enters"),
      field("means", &LayerRemoval::means, "without the mean state of each position"),
      field("input_term", &LayerRemoval::input_term, "without the encoding's input term; null: it has none"),
      field("random", &LayerRemoval::random, "without random vectors of the same length, draw by draw"),
      field("excess", &LayerRemoval::excess, "loss beyond that of random vectors"),
      field("norm_share", &LayerRemoval::norm_share, "what is removed of the stream's squared norm")};
  return fields;
}

static const Fields<StreamRemoval>& json_fields(const StreamRemoval*) {
  static const Fields<StreamRemoval> fields = {field("intact", &StreamRemoval::intact, "with nothing removed"),
                                               field("layers", &StreamRemoval::layers, "layer by layer")};
  return fields;
}

namespace {

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

Json to_json(const Estimate& estimate) { return write_json(estimate); }
Json to_json(const RunVerdict& verdict) { return write_json(verdict); }
RunVerdict verdict_from_json(const Json& json) { return read_json<RunVerdict>(json); }
Json to_json(const StreamRemoval& removal) { return write_json(removal); }
StreamRemoval removal_from_json(const Json& json) { return read_json<StreamRemoval>(json); }
Json to_json(const std::vector<std::vector<HeadHabit>>& habits) { return write_json(habits); }
std::vector<std::vector<HeadHabit>> habits_from_json(const Json& json) {
  return read_json<std::vector<std::vector<HeadHabit>>>(json);
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
                             .without_effect = read_json<int64_t>(json.at("turns_without_effect")),
                             .samples = read_json<int64_t>(json.at("samples"))};
  for (const Json& layer : json.at("layers")) {
    ablation.accuracy.push_back(layer.at("accuracy").get<std::vector<double>>());
  }
  return ablation;
}

}  // namespace phasor
