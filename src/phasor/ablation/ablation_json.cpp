#include "phasor/ablation/ablation_json.h"

#include <cmath>

#include "phasor/base/json_fields.h"
#include "phasor/statistics/concentration.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

const std::vector<Deposit> kDeposits = {Deposit::deposit, Deposit::partial, Deposit::spread, Deposit::not_used,
                                        Deposit::undetermined};

std::string_view deposit_name(Deposit verdict) { return name(verdict); }

// What the published way ablates.
const char* published_parts(bool latent) {
  return latent ? "columns of latents" : "heads, the last one of each earlier layer off";
}

const char* extent_name(AblationExtent extent) {
  return extent == AblationExtent::alone ? "alone" : extent == AblationExtent::whole ? "whole" : "only";
}

struct PublishedLayer {
  int64_t layer = 0;
  std::vector<double> accuracy;
  int64_t top = 0;
  double max_share = 0.0, n2 = 0.0;
};

std::vector<PublishedLayer> published_layers(const PublishedAblation& ablation) {
  std::vector<PublishedLayer> layers;
  for (int64_t l = 0; l < std::ssize(ablation.accuracy); ++l) {
    const statistics::Concentration found = ablation.concentration(l);
    layers.push_back({l, ablation.accuracy[static_cast<size_t>(l)], found.top, found.max_share, found.n2});
  }
  return layers;
}

const Fields<PublishedLayer>& json_fields(const PublishedLayer*) {
  using L = PublishedLayer;
  static const Fields<L> fields = {field("layer", &L::layer, "from 0"),
                                   field("accuracy", &L::accuracy, "with each head or column off"),
                                   field("top", &L::top, "the one that costs most"),
                                   field("max_share", &L::max_share, "its share of the costs; null: none costs"),
                                   field("n2", &L::n2, "effective heads by Simpson; null likewise")};
  return fields;
}

}  // namespace

std::string_view json_name(const Estimate*) { return "estimate"; }
std::string_view json_name(const RunVerdict*) { return "verdict"; }
std::string_view json_name(const StreamRemoval*) { return "removal"; }
std::string_view json_name(const Prevalence*) { return "prevalence"; }

const Fields<Estimate>& json_fields(const Estimate*) {
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
      derived_field<LayerEffect>(
          "shares", [](const LayerEffect& effect) { return effect.shares.shares; }, "of the heads' costs, each")
          .read_by([](LayerEffect& effect, const Json& json, const JsonPath& path) {
            std::vector<double> drops;
            for (const Estimate& head : effect.heads) drops.push_back(head.value);
            effect.shares = statistics::concentration(drops);
            effect.shares.shares = read_json<std::vector<double>>(json, path);
          }),
      field("top", &LayerEffect::top, "the head that costs most"),
      field("max_share", &LayerEffect::max_share, "its share"),
      field("dominance", &LayerEffect::dominance, "its share less the second one's"),
      derived_field<LayerEffect>(
          "dominance_ratio", [](const LayerEffect& effect) { return effect.shares.dominance_ratio; },
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

const Fields<Clause>& json_fields(const Clause*) {
  static const Fields<Clause> fields = {field("clause", &Clause::name, "which one"),
                                        field("text", &Clause::text, "with its number"),
                                        field("holds", &Clause::holds, "null: could not be judged")};
  return fields;
}

static const Fields<LayerVerdict>& json_fields(const LayerVerdict*) {
  static const Fields<LayerVerdict> fields = {
      name_field("verdict", &LayerVerdict::verdict, kDeposits, deposit_name,
                 "`DEPOSIT`, `PARTIAL`, `SPREAD`, `NOT USED` or `UNDETERMINED`"),
      field("redundant", &LayerVerdict::redundant, "heads stand in for each other"),
      field("reason", &LayerVerdict::reason, "in words"),
      field("clauses", &LayerVerdict::clauses, "what the verdict rests on"),
      field("effect", &LayerVerdict::effect, "the numbers")};
  return fields;
}

const Fields<RunVerdict>& json_fields(const RunVerdict*) {
  static const Fields<RunVerdict> fields = {
      name_field("verdict", &RunVerdict::verdict, kDeposits, deposit_name, "of the layer that matters most"),
      field("layer", &RunVerdict::layer, "that layer"), field("reason", &RunVerdict::reason, "in words"),
      field("top_share_of_all", &RunVerdict::top_share_of_all, "its top head's share among all heads of all layers"),
      numbered_field("layers", &RunVerdict::layers, "layer", fields_of<LayerVerdict>(), "every layer's own verdict")};
  return fields;
}

const Fields<HeadHabit>& json_fields(const HeadHabit*) {
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

const Fields<StreamRemoval>& json_fields(const StreamRemoval*) {
  static const Fields<StreamRemoval> fields = {field("intact", &StreamRemoval::intact, "with nothing removed"),
                                               field("layers", &StreamRemoval::layers, "layer by layer")};
  return fields;
}

const Fields<Prevalence>& json_fields(const Prevalence*) {
  static const Fields<Prevalence> fields = {
      field("seeds", &Prevalence::seeds, "how many seeds got this verdict"),
      derived_field<Prevalence>(
          "low", [](const Prevalence& p) { return p.interval.low; },
          "which part of all seeds would, 95 % interval by Clopper and Pearson"),
      derived_field<Prevalence>(
          "high", [](const Prevalence& p) { return p.interval.high; }, "its upper end"),
      field("lower", &Prevalence::lower, "one-sided 95 % bound on that part")};
  return fields;
}

const Fields<EncodingVerdict>& prevalence_fields() {
  using V = EncodingVerdict;
  static const Fields<V> fields = {field("deposit", &V::deposit, "seeds with this verdict"),
                                   field("partial", &V::partial, "likewise"), field("spread", &V::spread, "likewise"),
                                   field("not_used", &V::not_used, "likewise"),
                                   field("undetermined", &V::undetermined, "likewise")};
  return fields;
}

const Fields<EncodingVerdict>& share_fields() {
  using V = EncodingVerdict;
  static const Fields<V> fields = {
      field("max_share", &V::max_share, "largest share of a head in its layer's cost, mean over seeds with shares"),
      field("n2", &V::n2, "effective heads by Simpson, likewise"),
      field("necessity", &V::necessity, "the top head's cost over the layer's, likewise"),
      field("sufficiency", &V::sufficiency, "what the top head keeps of the layer's worth alone, likewise")};
  return fields;
}

const Fields<AblationSource>& json_fields(const AblationSource*) {
  using S = AblationSource;
  static const Fields<S> fields = {field("task", &S::task, "as in config.json, like the next three"),
                                   field("encoding", &S::encoding, "the canonical expression"),
                                   field("protocol", &S::protocol, "its name"),
                                   field("seed", &S::seed, "of the run"),
                                   field("step", &S::step, "of the model that was ablated"),
                                   field("layers", &S::layers, "of the model"),
                                   field("heads", &S::heads, "of each layer")};
  return fields;
}

static const Fields<MeasuredCondition>& json_fields(const MeasuredCondition*) {
  using C = MeasuredCondition;
  static const Fields<C> fields = {
      field("layer", &C::layer, "from 0"),
      field("head", &C::head, "from 0; null: a whole layer"),
      field("ablated", &C::ablated, "`alone`: this head; `whole`: the layer; `only`: all but this head"),
      field("method", &C::method, "how: see [ablation.md](ablation.md)"),
      field("loss_drop", &C::loss_drop, "loss that the ablation adds, mean over samples"),
      field("accuracy", &C::accuracy, "of the ablated model")};
  return fields;
}

const Fields<StoredAblation>& json_fields(const StoredAblation*) {
  using A = StoredAblation;
  static const Fields<A> fields = {
      field("source", &A::source, "the model that was ablated"),
      size_field("samples", &A::samples, "held-out samples"),
      field("intact", &A::intact, "the model as it is"),
      field("floor_accuracy", &A::floor_accuracy, "baseline of the accuracy: the best guess without reading tokens"),
      field("guess_loss", &A::guess_loss, "baseline of the loss: the entropy of the answers, in nats"),
      field("parameters", &A::parameters, "hash of the model's parameters, the same before and after"),
      field("position", &A::position, "where position is; null: its method was not measured"),
      field("importance", &A::importance, "which heads matter; null likewise"),
      field("conditions", &A::conditions, "every ablation that was measured"),
      field("habits", &A::habits, "what heads attend to, by layer and head"),
      field("removal", &A::removal, "the positional part p removed from the stream")};
  return fields;
}

StoredAblation stored_ablation(const RunAblation& ablation, AblationSource source) {
  const ScoreTable& scores = ablation.scores;
  StoredAblation stored{.source = std::move(source),
                        .samples = scores.samples,
                        .intact = {.loss = scores.intact_loss(), .accuracy = scores.intact_accuracy()},
                        .floor_accuracy = ablation.context.floor_accuracy,
                        .guess_loss = ablation.context.guess_loss,
                        .parameters = ablation.parameters,
                        .position = ablation.position,
                        .importance = ablation.importance,
                        .habits = ablation.habits,
                        .removal = ablation.removal};
  for (const Condition& condition : scores.conditions) {
    stored.conditions.push_back({.layer = condition.layer,
                                 .head = condition.head < 0 ? std::optional<int64_t>() : condition.head,
                                 .ablated = extent_name(condition.extent),
                                 .method = std::string(name(condition.method)),
                                 .loss_drop = scores.mean_loss_drop(condition),
                                 .accuracy = scores.accuracy(condition)});
  }
  return stored;
}

const Fields<PublishedAblation>& json_fields(const PublishedAblation*) {
  using A = PublishedAblation;
  static const Fields<A> fields = {
      field("baseline", &A::baseline, "accuracy of the intact model"),
      field("samples", &A::samples, "of the training and test sets together"),
      name_field("ablated", &A::latent, {false, true}, published_parts, "what was: heads or latents"),
      field("turns_without_effect", &A::without_effect, "heads of a layer whose turn changes nothing"),
      derived_field<A>("layers", published_layers, "layer by layer")
          .read_by([](A& ablation, const Json& json, const JsonPath& path) {
            for (PublishedLayer& layer : read_json<std::vector<PublishedLayer>>(json, path)) {
              ablation.accuracy.push_back(std::move(layer.accuracy));
            }
          })};
  return fields;
}

const Fields<StoredPublished>& json_fields(const StoredPublished*) {
  static const Fields<StoredPublished> fields =
      joined_fields<StoredPublished>({{field("source", &StoredPublished::source, "the model that was ablated")},
                                      part_fields(&StoredPublished::ablation, fields_of<PublishedAblation>())});
  return fields;
}

}  // namespace phasor
