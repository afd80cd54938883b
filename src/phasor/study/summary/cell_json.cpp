#include "phasor/study/summary/cell_json.h"

#include <string>

#include "phasor/ablation/ablation_json.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/summary/cell_heads_json.h"
#include "phasor/task/task_output.h"

namespace phasor {
namespace {

// Where the interval lies, in words: below 1 is contraction.
std::string against_one(const SeedInterval& contraction) {
  if (!contraction.low) return "no interval";
  if (*contraction.high < 1.0) return "95 % interval below 1";
  return *contraction.low > 1.0 ? "95 % interval above 1" : "95 % interval includes 1";
}

// Mean accuracy of the intact models that the released code's ablation starts from; NaN without any.
double published_baseline(const CellSummary& cell) {
  std::vector<double> baselines;
  for (const SeedPublished& seed : cell.published) baselines.push_back(seed.ablation.baseline);
  return baselines.empty() ? kNaN : statistics::mean(baselines);
}

}  // namespace

std::string_view json_name(const CellName*) { return "name of a cell"; }

const Fields<CellName>& cell_identity_fields() {
  static const Fields<CellName> fields = {field("task", &CellName::task, "its name"),
                                          field("protocol", &CellName::protocol, "its name"),
                                          field("encoding", &CellName::encoding, "the canonical expression"),
                                          field("variant", &CellName::variant, "what else sets it apart; often empty")};
  return fields;
}

const Fields<CellName>& json_fields(const CellName*) {
  static const Fields<CellName> fields = joined_fields<CellName>(
      {cell_identity_fields(),
       {field("label", &CellName::label, "what the encoding is called: its name, a short form, or the expression")
            .since_later()
            .written_by([](const CellName& cell) { return encoding_label(cell); })}});
  return fields;
}

const Fields<EncodingLabel>& json_fields(const EncodingLabel*) {
  using L = EncodingLabel;
  static const Fields<L> fields = {
      field("label", &L::label, "what it is called"), field("expression", &L::expression, "the canonical expression"),
      field("named", &L::named, "by the study's author; else the label is a short form of the expression")};
  return fields;
}

std::string_view json_name(const SeedInterval*) { return "number over seeds"; }

const Fields<SeedInterval>& json_fields(const SeedInterval*) {
  using S = SeedInterval;
  static const Fields<S> fields = {
      field("values", &S::values, "one per seed, in the order of the cell's `runs`; null where a seed has none"),
      field("count", &S::count, "of the values that are there; all else here is theirs"),
      field("mean", &S::mean, "null without values"),
      field("deviation", &S::deviation, "standard deviation, by count - 1"),
      field("low", &S::low, "lower end of the 95 % interval of the mean"),
      field("high", &S::high, "upper end"),
      field("degenerate", &S::degenerate, "all values are equal: the interval is that point")};
  return fields;
}

static const Fields<SeedOutcome>& json_fields(const SeedOutcome*) {
  using S = SeedOutcome;
  static const Fields<S> fields = {
      field("id", &S::id, "its folder's name"),
      field("seed", &S::seed, "of initial weights and dropout"),
      field("learning_rate", &S::learning_rate, "the largest of its schedule"),
      field("steps", &S::steps, "steps done"),
      field("parameters", &S::parameters, "how many numbers were trained"),
      field("converged", &S::converged, "had stopped improving, as in result.json"),
      field("validation_accuracy", &S::validation_accuracy, "null without a validation set"),
      field("validation_loss", &S::validation_loss, "likewise")};
  return fields;
}

static const Fields<SuccessRate>& json_fields(const SuccessRate*) {
  using S = SuccessRate;
  static const Fields<S> fields = {
      field("successes", &S::successes, "runs with a test accuracy of at least 0.9"),
      field("trials", &S::trials, "runs that ended; one that failed is no success"),
      derived_field<S>("rate", &S::rate, "`successes` / `trials`"),
      derived_field<S>(
          "low", [](const S& success) { return success.interval.low; }, "95 % interval by Clopper and Pearson"),
      derived_field<S>(
          "high", [](const S& success) { return success.interval.high; }, "its upper end")};
  return fields;
}

static const Fields<StepsTo90>& json_fields(const StepsTo90*) {
  using S = StepsTo90;
  static const Fields<S> fields = {
      field("values", &S::values, "of every run; null where it never came"),
      field("reached", &S::reached, "runs that reached it"), field("never", &S::never, "runs that did not"),
      field("median", &S::median, "null where the median run never reached it"),
      derived_field<S>(
          "mean", [](const S& steps) { return steps.mean.count > 0 ? std::optional(steps.mean) : std::nullopt; },
          "null unless all runs reached it")};
  return fields;
}

std::string_view json_name(const CellNumbers*) { return "cell's numbers"; }

const Fields<CellNumbers>& json_fields(const CellNumbers*) {
  using N = CellNumbers;
  static const Fields<N> fields = {
      derived_field<N>(
          "runs", [](const N& numbers) { return numbers.test_accuracy.values.size(); }, "how many"),
      field("test_samples", &N::test_samples, "different ones behind the mean test accuracy; 0: not known"),
      derived_field<N>("mixed", &N::mixed, "test accuracies lie more than 20 points apart"),
      field("test_accuracy", &N::test_accuracy, "on the whole test set"),
      field("train_accuracy", &N::train_accuracy, "on the whole training set"),
      field("test_loss", &N::test_loss, "on the whole test set"),
      field("generalisation_gap", &N::generalisation_gap, "train accuracy - test accuracy"),
      field("loss_area", &N::loss_area, "mean test loss over all evaluations / loss before the first step"),
      field("loss_spikes", &N::loss_spikes, "as in result.json"),
      field("gradient_variation", &N::gradient_variation,
            "standard deviation / mean of the gradient norms after the warm-up"),
      field("success", &N::success, "null where no run has ended"),
      field("steps_to_90", &N::steps_to_90, "first evaluation with a test accuracy of at least 0.9")};
  return fields;
}

std::string_view json_name(const CurveColumns*) { return "curve"; }

const Fields<CurveColumns>& json_fields(const CurveColumns*) {
  using C = CurveColumns;
  static const Fields<C> fields = {field("mean", &C::mean, "over seeds, by step"),
                                   field("low", &C::low, "lower end of its 95 % interval, by step"),
                                   field("high", &C::high, "upper end, by step"),
                                   field("seeds", &C::seeds, "every run's values by step; null: not evaluated there")};
  return fields;
}

CurveColumns curve_columns(const std::vector<SeedInterval>& curve, size_t runs) {
  CurveColumns columns;
  for (const SeedInterval& point : curve) {
    columns.mean.push_back(point.mean);
    columns.low.push_back(point.low);
    columns.high.push_back(point.high);
  }
  columns.seeds.resize(runs);
  for (size_t r = 0; r < runs; ++r) {
    for (const SeedInterval& point : curve) columns.seeds[r].push_back(point.values[r]);
  }
  return columns;
}

const Fields<CurveTable>& json_fields(const CurveTable*) {
  using C = CurveTable;
  static const Fields<C> fields = {field("steps", &C::steps, "at which some run was evaluated"),
                                   field("test_accuracy", &C::test_accuracy, "as in metrics.jsonl"),
                                   field("train_accuracy", &C::train_accuracy, "as in metrics.jsonl")};
  return fields;
}

CurveTable curve_table(const LearningCurves& curves, size_t runs) {
  return {curves.steps, curve_columns(curves.test_accuracy, runs), curve_columns(curves.train_accuracy, runs)};
}

const Fields<LengthSummary>& json_fields(const LengthSummary*) {
  using L = LengthSummary;
  static const Fields<L> fields = {field("factor", &L::factor, "times the length of training"),
                                   field("longest", &L::longest, "sequence, in tokens"),
                                   field("accuracy", &L::accuracy, "on samples of that length")};
  return fields;
}

const Fields<SpectrumSummary>& json_fields(const SpectrumSummary*) {
  using S = SpectrumSummary;
  static const Fields<S> fields = {
      field("contraction_start", &S::contraction_start, "sigma_1 over that with all angles at zero, before training"),
      field("contraction_end", &S::contraction_end, "the same of the trained model"),
      derived_field<S>(
          "contraction_start_interval", [](const S& spectrum) { return against_one(spectrum.contraction_start); },
          "how its interval lies to 1, in words"),
      derived_field<S>(
          "contraction_end_interval", [](const S& spectrum) { return against_one(spectrum.contraction_end); },
          "likewise"),
      field("product_norm_start", &S::product_norm_start, "sigma_1 of the products, before training"),
      field("product_norm_end", &S::product_norm_end, "the same of the trained model, as all that follows"),
      field("relative_r2", &S::relative_r2, "what distance explains of the logits, adjusted"),
      field("position_toeplitz", &S::position_toeplitz, "the same of the positional Gram"),
      field("logit_interaction", &S::logit_interaction, "share that content and offset have only together"),
      field("content_share", &S::content_share, "of the logits' variance by content alone"),
      field("product_share", &S::product_share, "by content with position; the three shares add up to 1"),
      field("positional_share", &S::positional_share, "by position alone, with the bias"),
      field("stream_position", &S::stream_position, "share of the stream's variance by position"),
      field("stream_interaction", &S::stream_interaction, "by token and position only together"),
      field("stream_interaction_deviation", &S::stream_interaction_deviation, "standard error of that"),
      field("head_contractions_start", &S::head_contractions_start, "of every run and head, before training"),
      field("head_contractions_end", &S::head_contractions_end, "of every run and head")};
  return fields;
}

static const Fields<SeedPublished>& json_fields(const SeedPublished*) {
  using S = SeedPublished;
  static const Fields<S> fields = {field("id", &S::id, "of the run"), field("seed", &S::seed, "of the run"),
                                   field("ablation", &S::ablation, "as in ablation_published.json")};
  return fields;
}

std::string_view json_name(const CellSummary*) { return "cell"; }

const Fields<CellSummary>& json_fields(const CellSummary*) {
  using C = CellSummary;
  static const Fields<C> fields = {
      field("cell", &C::cell, "which one"),
      derived_field<C>(
          "name", [](const C& cell) { return text(cell.cell); }, "the same in words"),
      field("planned", &C::planned, "runs"),
      field("runs", &C::runs, "the finished ones"),
      field("added_seeds", &C::added_seeds, "of finished runs that an extension of the study added").since_later(),
      field("unconverged", &C::unconverged, "ids of finished runs that had not stopped improving"),
      field("failed", &C::failed, "ids of runs that failed"),
      field("learning_rates", &C::learning_rates, "all that occur, rising"),
      field("parameters", &C::parameters, "numbers that were trained, all that occur, rising"),
      field("layers", &C::layers, "of the model"),
      field("heads", &C::heads, "of each layer"),
      field("floors", &C::floors, "baselines and ceiling of the accuracy, as in result.json"),
      field("numbers", &C::numbers, "of all finished runs"),
      derived_field<C>(
          "curves", [](const C& cell) { return curve_table(cell.curves, cell.runs.size()); }, "by step"),
      field("lengths", &C::lengths, "by rising factor; empty: not measured"),
      field("spectrum", &C::spectrum, "means over heads; null: not measured"),
      field("position", &C::position, "which heads carry position; null: not measured"),
      field("importance", &C::importance, "which heads matter; null: not measured"),
      field("removal", &C::removal, "the positional part p removed from the stream, layer by layer"),
      field("snapshots", &C::snapshots, "by rising step"),
      field("published", &C::published, "every run's heads ablated as the released code does it"),
      field("learned", &C::learned, "by the encoding, over seeds; empty lists: nothing, or it was not kept"),
      derived_field<C>("published_baseline", published_baseline, "mean accuracy of the intact models there")};
  return fields;
}

nlohmann::ordered_json to_json(const CellName& cell) { return write_json(cell); }

nlohmann::ordered_json to_json(const CellSummary& cell) { return write_json(cell); }

}  // namespace phasor
