#include "phasor/study/summary/cell_heads_json.h"

#include "phasor/ablation/ablation_json.h"
#include "phasor/base/json_fields.h"
#include "phasor/study/summary/cell_json.h"

namespace phasor {
namespace {

// A layer of one seed, more briefly than ablation.json has it.
const Fields<LayerVerdict>& layer_fields() {
  using E = LayerEffect;
  static const Fields<E> effect = {
      field("layer_drop", &E::layer, "loss that the whole layer's ablation adds"),
      derived_field<E>(
          "shares", [](const E& found) { return found.shares.shares; }, "of the heads' costs, each"),
      field("top", &E::top, "the head that costs most"),
      field("max_share", &E::max_share, "its share"),
      field("n2", &E::n2, "effective heads by Simpson"),
      field("redundancy", &E::redundancy, "the layer's cost over the sum of its heads'"),
      field("necessity", &E::necessity, "the top head's cost over the layer's"),
      field("sufficiency", &E::sufficiency, "what the top head keeps of the layer's worth alone"),
      derived_field<E>(
          "head_p_holm", [](const E& found) { return found.held_out.head_p_holm; },
          "of every head's cost above 0 on held-out samples, adjusted for all heads of all layers")};
  using L = LayerVerdict;
  static const Fields<L> fields = joined_fields<L>(
      {{derived_field<L>(
            "verdict", [](const L& layer) { return name(layer.verdict); }, "of this layer"),
        field("redundant", &L::redundant, "heads stand in for each other"), field("reason", &L::reason, "in words")},
       part_fields(&L::effect, effect),
       {field("clauses", &L::clauses, "what the verdict rests on")}});
  return fields;
}

}  // namespace

std::string_view json_name(const EncodingVerdict*) { return "verdict over seeds"; }

const Fields<EncodingVerdict>& json_fields(const EncodingVerdict*) {
  using V = EncodingVerdict;
  static const Fields<V> summary = {
      derived_field<V>(
          "verdict", [](const V& verdict) { return name(verdict.verdict); },
          "the one that more than half of all seeds would get, by an exact 95 % bound, else `UNDETERMINED`"),
      field("reason", &V::reason, "in words"),
      derived_field<V>(
          "seeds", [](const V& verdict) { return verdict.seeds.size(); }, "how many")};
  static const Fields<V> fields = joined_fields<V>(
      {summary,
       prevalence_fields(),
       {field("without_shares", &V::without_shares, "seeds in which no head of the layer costs anything")},
       share_fields()});
  return fields;
}

static const Fields<SeedHeads>& json_fields(const SeedHeads*) {
  using V = RunVerdict;
  static const Fields<V> verdict = {
      derived_field<V>(
          "verdict", [](const V& run) { return name(run.verdict); }, "of the layer that matters most"),
      field("layer", &V::layer, "that layer"), field("reason", &V::reason, "in words"),
      field("top_share_of_all", &V::top_share_of_all, "its top head's share among all heads of all layers")};
  static const Fields<V> layers = {
      numbered_field("layers", &V::layers, "layer", layer_fields(), "every layer's own verdict")};
  using S = SeedHeads;
  static const Fields<S> seed = {
      field("id", &S::id, "of the run"),
      field("seed", &S::seed, "of the run"),
      field("converged", &S::converged, "whether the run had stopped improving"),
      field("samples", &S::samples, "held-out samples"),
      field("accuracy", &S::accuracy, "of the intact model"),
      field("floor_accuracy", &S::floor_accuracy, "its baseline: the best guess without reading tokens")};
  static const Fields<S> drops = {
      field("loss_drops", &S::loss_drops, "loss that each head's ablation adds, by layer and head"),
      field("accuracies", &S::accuracies, "without the head, by layer and head")};
  static const Fields<S> fields =
      joined_fields({seed, part_fields(&S::verdict, verdict), drops, part_fields(&S::verdict, layers)});
  return fields;
}

std::string_view json_name(const QuestionSummary*) { return "ablation over seeds"; }

const Fields<QuestionSummary>& json_fields(const QuestionSummary*) {
  using Q = QuestionSummary;
  static const Fields<Q> fields = {
      field("over_seeds", &Q::verdict, "of all finished runs"),
      derived_field<Q>(
          "sorted_drops", [](const Q& question) { return sorted_drops(question.seeds); },
          "loss that ablations of single heads add, from the largest down: means over seeds, by layer and rank"),
      field("seeds", &Q::seeds, "every run's own")};
  return fields;
}

const Fields<RemovalSummary>& json_fields(const RemovalSummary*) {
  using R = RemovalSummary;
  static const Fields<R> fields = {
      field("layer", &R::layer, "that the stream enters"),
      field("without_position", &R::without_position, "accuracy without the mean state of each position"),
      field("without_input_term", &R::without_input_term, "accuracy without the encoding's input term"),
      field("random", &R::random, "accuracy without random vectors of the same length"),
      field("excess", &R::excess, "loss beyond that of random vectors"),
      field("norm_share", &R::norm_share, "what is removed of the stream's variance")};
  return fields;
}

static const Fields<SnapshotShares>& json_fields(const SnapshotShares*) {
  using S = SnapshotShares;
  static const Fields<S> fields = {field("max_share", &S::max_share, "of the finished model's key layer at this step"),
                                   field("n2", &S::n2, "effective heads by Simpson, likewise"),
                                   field("leading", &S::leading, "seeds whose top head there is the finished model's")};
  return fields;
}

const Fields<SnapshotSummary>& json_fields(const SnapshotSummary*) {
  using S = SnapshotSummary;
  static const Fields<S> fields = {field("step", &S::step, "of the snapshot"),
                                   field("accuracy", &S::accuracy, "on held-out samples"),
                                   field("position", &S::position, "shares of heads in what position is worth"),
                                   field("importance", &S::importance, "shares of heads in what the layer is worth")};
  return fields;
}

}  // namespace phasor
