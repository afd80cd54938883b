#include "phasor/study/summary/compared_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/base/number_text.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/mean_difference.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/carry_out/study_lengths.h"
#include "phasor/study/summary/cell_heads.h"
#include "phasor/study/summary/cell_numbers.h"
#include "phasor/study/summary/test_samples.h"

namespace phasor {
namespace {

struct Entry {
  ComparedQuantity quantity;
  const char* name;
  const char* title;
  double margin;
  ComparedWords words;
};

using enum ComparedQuantity;

const Entry kEntries[] = {
    {test_accuracy, "test_accuracy", "test accuracy", 0.01, {"is better than", "is worse than", 100.0, " points", 1}},
    {test_loss,
     "test_loss",
     "test loss",
     0.01,
     {"has a higher test loss than", "has a lower test loss than", 1.0, "", 3}},
    {generalisation_gap,
     "generalisation_gap",
     "gap between training and test accuracy",
     0.01,
     {"has a wider gap between training and test accuracy than",
      "has a narrower gap between training and test accuracy than", 100.0, " points", 1}},
    {steps_to_90,
     "steps_to_90",
     "steps to 90 %",
     50.0,
     {"reaches 90 % later than", "reaches 90 % sooner than", 1.0, " steps", 0}},
    {loss_area, "loss_area", "loss area", 0.01, {"learns more slowly than", "learns faster than", 1.0, "", 3}},
    {loss_spikes,
     "loss_spikes",
     "loss spikes",
     1.0,
     {"has more loss spikes than", "has fewer loss spikes than", 1.0, "", 1}},
    {gradient_variation,
     "gradient_variation",
     "gradient variation",
     0.05,
     {"has less steady gradients than", "has steadier gradients than", 1.0, "", 3}},
    {position_max_share,
     "position_max_share",
     "largest head's share of position",
     0.05,
     {"puts more of position into one head than", "puts less of position into one head than", 100.0, " points", 1}},
    {position_n2,
     "position_n2",
     "effective heads of position (N2)",
     0.5,
     {"spreads position over more heads than", "spreads position over fewer heads than", 1.0, " heads", 2}},
    {importance_max_share,
     "importance_max_share",
     "largest head's share of importance",
     0.05,
     {"leans more on one head than", "leans less on one head than", 100.0, " points", 1}},
    {importance_n2,
     "importance_n2",
     "effective heads of importance (N2)",
     0.5,
     {"leans on more heads than", "leans on fewer heads than", 1.0, " heads", 2}},
    {accuracy_at_length,
     "accuracy_at_",
     "accuracy at {} times the length",
     0.01,
     {"is better than", "is worse than", 100.0, " points", 1}},
    {contraction_start,
     "contraction_start",
     "contraction before training",
     0.01,
     {"contracts less before training than", "contracts more before training than", 1.0, "", 3}},
    {contraction_end,
     "contraction_end",
     "contraction after training",
     0.01,
     {"contracts less after training than", "contracts more after training than", 1.0, "", 3}},
    {position_toeplitz,
     "position_toeplitz",
     "share of the positional Gram that distance explains",
     0.05,
     {"has a positional Gram nearer to Toeplitz than", "has a positional Gram farther from Toeplitz than", 1.0, "", 3}},
    {logit_interaction,
     "logit_interaction",
     "interaction of content and offset in the logits",
     0.05,
     {"couples content and position more than", "couples content and position less than", 1.0, "", 3}},
};

const Entry& entry_of(const ComparedNumber& number) {
  const auto* const found = std::find_if(std::begin(kEntries), std::end(kEntries),
                                         [&](const Entry& entry) { return entry.quantity == number.quantity; });
  if (found == std::end(kEntries)) fail("there is no compared number {}", static_cast<int>(number.quantity));
  return *found;
}

// An effect size of the key layer.
std::optional<double> of_key_layer(const RunRecord& run, Question question, Estimate LayerEffect::*size) {
  if (!run.ablation || !run.ablation->record(question)) return std::nullopt;
  const RunVerdict& verdict = run.ablation->record(question)->judged.run;
  const LayerEffect* effect = used_effect(verdict, verdict.layer);
  return effect != nullptr ? std::optional((effect->*size).value) : std::nullopt;
}

std::optional<double> at_length(const RunRecord& run, double factor) {
  for (const LengthRecord& length : run.lengths) {
    if (length.factor == factor) return length.accuracy;
  }
  return std::nullopt;
}

std::optional<double> of_spectrum(const RunRecord& run, ComparedQuantity quantity) {
  if (!run.spectrum) return std::nullopt;
  if (quantity == contraction_start) return run.spectrum->start.contraction;
  if (quantity == contraction_end) return run.spectrum->end.contraction;
  return quantity == position_toeplitz ? run.spectrum->position_toeplitz : run.spectrum->logit_interaction;
}

std::optional<double> measured(const RunRecord& run, const ComparedNumber& number) {
  switch (number.quantity) {
    case test_accuracy:
      return run.test_accuracy;
    case test_loss:
      return run.test_loss;
    case generalisation_gap:
      return run.train_accuracy - run.test_accuracy;
    case steps_to_90:
      return static_cast<double>(run.steps_to_90.value_or(run.steps + 1));
    case loss_area:
      return run.loss_area;
    case loss_spikes:
      return run.loss_spikes;
    case gradient_variation:
      return run.gradient_variation;
    case position_max_share:
      return of_key_layer(run, Question::position, &LayerEffect::max_share);
    case position_n2:
      return of_key_layer(run, Question::position, &LayerEffect::n2);
    case importance_max_share:
      return of_key_layer(run, Question::importance, &LayerEffect::max_share);
    case importance_n2:
      return of_key_layer(run, Question::importance, &LayerEffect::n2);
    case accuracy_at_length:
      return at_length(run, number.factor);
    case contraction_start:
    case contraction_end:
    case position_toeplitz:
    case logit_interaction:
      return of_spectrum(run, number.quantity);
  }
  return std::nullopt;
}

// Lengths are scored on kLengthSamples samples of each data seed: for the training length, the first of the test set.
int64_t test_samples(const std::vector<RunRecord>& runs, const ComparedNumber& number) {
  const bool longer = number.quantity == accuracy_at_length && number.factor != 1.0;
  const int64_t most = number.quantity == accuracy_at_length ? kLengthSamples : std::numeric_limits<int64_t>::max();
  TestSamples samples;
  for (const RunRecord& run : runs) {
    samples.add(run.data_seed, longer ? kLengthSamples : std::min(run.test_samples, most));
  }
  return samples.count();
}

// A run is known to have reached 90 % between two evaluations: an error as wide as the widest gap in front of any of
// these, evenly spread, and the same for runs that learn alike.
double grid_variance(const std::vector<RunRecord>& runs) {
  int64_t widest = 0;
  for (const RunRecord& run : runs) {
    int64_t before = 0;
    for (const Metrics& metrics : run.curve) {
      if (metrics.step == run.steps_to_90) widest = std::max(widest, metrics.step - before);
      before = metrics.step;
    }
  }
  return static_cast<double>(widest * widest) / 12.0;
}

}  // namespace

std::string name(const ComparedNumber& number) {
  const std::string name = entry_of(number).name;
  return number.quantity == accuracy_at_length ? name + print_number(number.factor) : name;
}

std::string title(const ComparedNumber& number) {
  const std::string title = entry_of(number).title;
  return number.quantity == accuracy_at_length ? fmt::format(fmt::runtime(title), print_number(number.factor)) : title;
}

std::optional<double> value_of(const RunRecord& run, const ComparedNumber& number) {
  const std::optional<double> value = measured(run, number);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

double margin_of(const ComparedNumber& number) { return entry_of(number).margin; }

statistics::Interval difference_range(const ComparedNumber& number) {
  switch (number.quantity) {
    case test_accuracy:
    case accuracy_at_length:
    case position_max_share:
    case importance_max_share:
      return {-1.0, 1.0};
    case generalisation_gap:
      return {-2.0, 2.0};
    default:
      return {-kInfinity, kInfinity};
  }
}

double variance_floor_of(const std::vector<RunRecord>& runs, const ComparedNumber& number, double mean) {
  switch (number.quantity) {
    case test_accuracy:
    case accuracy_at_length:
      return statistics::accuracy_variance_floor(std::clamp(mean, 0.0, 1.0), test_samples(runs, number));
    case generalisation_gap: {
      // The training set is as good as known: its error is that of many more samples.
      const double accuracy = statistics::mean(per_run(runs, [](const RunRecord& run) { return run.test_accuracy; }));
      return statistics::accuracy_variance_floor(std::clamp(accuracy, 0.0, 1.0), test_samples(runs, number));
    }
    case steps_to_90:
      return grid_variance(runs);
    default:
      return 0.0;
  }
}

const ComparedWords& words(const ComparedNumber& number) { return entry_of(number).words; }

}  // namespace phasor
