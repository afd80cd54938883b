#include "phasor/study/summary/cell_json.h"

#include <string>

#include "phasor/ablation/ablation_json.h"
#include "phasor/base/json_number.h"
#include "phasor/base/special_numbers.h"
#include "phasor/statistics/summary.h"
#include "phasor/study/summary/cell_heads_json.h"
#include "phasor/task/task_output.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

Json outcomes_json(const std::vector<SeedOutcome>& runs) {
  Json list = Json::array();
  for (const SeedOutcome& run : runs) {
    list.push_back({{"id", run.id},
                    {"seed", run.seed},
                    {"learning_rate", json_number(run.learning_rate)},
                    {"steps", run.steps},
                    {"parameters", run.parameters},
                    {"converged", run.converged},
                    {"validation_accuracy", json_number(run.validation_accuracy)},
                    {"validation_loss", json_number(run.validation_loss)}});
  }
  return list;
}

Json success_json(const std::optional<SuccessRate>& success) {
  if (!success) return nullptr;
  return {{"successes", success->successes},
          {"trials", success->trials},
          {"rate", success->rate()},
          {"low", success->interval.low},
          {"high", success->interval.high}};
}

Json steps_json(const StepsTo90& steps) {
  Json values = Json::array();
  for (const std::optional<int64_t>& value : steps.values) values.push_back(json_number(value));
  return {{"values", std::move(values)},
          {"reached", steps.reached},
          {"never", steps.never},
          {"median", json_number(steps.median)},
          {"mean", steps.mean.count > 0 ? to_json(steps.mean) : Json(nullptr)}};
}

Json numbers_json(const CellNumbers& numbers) {
  return {{"runs", numbers.test_accuracy.values.size()},
          {"test_samples", numbers.test_samples},
          {"mixed", numbers.mixed()},
          {"test_accuracy", to_json(numbers.test_accuracy)},
          {"train_accuracy", to_json(numbers.train_accuracy)},
          {"test_loss", to_json(numbers.test_loss)},
          {"generalisation_gap", to_json(numbers.generalisation_gap)},
          {"loss_area", to_json(numbers.loss_area)},
          {"loss_spikes", to_json(numbers.loss_spikes)},
          {"gradient_variation", to_json(numbers.gradient_variation)},
          {"success", success_json(numbers.success)},
          {"steps_to_90", steps_json(numbers.steps_to_90)}};
}

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

Json published_json(const std::vector<SeedPublished>& published) {
  Json list = Json::array();
  for (const SeedPublished& seed : published) {
    list.push_back({{"id", seed.id}, {"seed", seed.seed}, {"ablation", to_json(seed.ablation)}});
  }
  return list;
}

}  // namespace

Json to_json(const CellName& cell) {
  return {{"task", cell.task}, {"protocol", cell.protocol}, {"encoding", cell.encoding}, {"variant", cell.variant}};
}

Json to_json(const SeedInterval& interval) {
  return {{"values", json_numbers(interval.values)}, {"count", interval.count},
          {"mean", json_number(interval.mean)},      {"deviation", json_number(interval.deviation)},
          {"low", json_number(interval.low)},        {"high", json_number(interval.high)},
          {"degenerate", interval.degenerate}};
}

Json curve_json(const std::vector<SeedInterval>& curve, size_t runs) {
  Json mean = Json::array(), low = Json::array(), high = Json::array(), seeds = Json::array();
  for (const SeedInterval& point : curve) {
    mean.push_back(json_number(point.mean));
    low.push_back(json_number(point.low));
    high.push_back(json_number(point.high));
  }
  for (size_t r = 0; r < runs; ++r) {
    Json values = Json::array();
    for (const SeedInterval& point : curve) values.push_back(json_number(point.values[r]));
    seeds.push_back(std::move(values));
  }
  return {{"mean", std::move(mean)}, {"low", std::move(low)}, {"high", std::move(high)}, {"seeds", std::move(seeds)}};
}

Json curves_json(const LearningCurves& curves, size_t runs) {
  return {{"steps", curves.steps},
          {"test_accuracy", curve_json(curves.test_accuracy, runs)},
          {"train_accuracy", curve_json(curves.train_accuracy, runs)}};
}

Json lengths_json(const std::vector<LengthSummary>& lengths) {
  Json list = Json::array();
  for (const LengthSummary& length : lengths) {
    list.push_back(
        {{"factor", json_number(length.factor)}, {"longest", length.longest}, {"accuracy", to_json(length.accuracy)}});
  }
  return list;
}

Json spectrum_json(const std::optional<SpectrumSummary>& spectrum) {
  if (!spectrum) return nullptr;
  return {{"contraction_start", to_json(spectrum->contraction_start)},
          {"contraction_end", to_json(spectrum->contraction_end)},
          {"contraction_start_interval", against_one(spectrum->contraction_start)},
          {"contraction_end_interval", against_one(spectrum->contraction_end)},
          {"product_norm_start", to_json(spectrum->product_norm_start)},
          {"product_norm_end", to_json(spectrum->product_norm_end)},
          {"relative_r2", to_json(spectrum->relative_r2)},
          {"position_toeplitz", to_json(spectrum->position_toeplitz)},
          {"logit_interaction", to_json(spectrum->logit_interaction)},
          {"content_share", to_json(spectrum->content_share)},
          {"product_share", to_json(spectrum->product_share)},
          {"positional_share", to_json(spectrum->positional_share)},
          {"stream_position", to_json(spectrum->stream_position)},
          {"stream_interaction", to_json(spectrum->stream_interaction)},
          {"stream_interaction_deviation", to_json(spectrum->stream_interaction_deviation)},
          {"head_contractions_start", json_numbers(spectrum->head_contractions_start)},
          {"head_contractions_end", json_numbers(spectrum->head_contractions_end)}};
}

Json to_json(const CellSummary& cell) {
  const auto question = [](const std::optional<QuestionSummary>& asked) {
    return asked ? to_json(*asked) : Json(nullptr);
  };
  return {{"cell", to_json(cell.cell)},
          {"name", text(cell.cell)},
          {"planned", cell.planned},
          {"runs", outcomes_json(cell.runs)},
          {"unconverged", cell.unconverged},
          {"failed", cell.failed},
          {"learning_rates", json_numbers(cell.learning_rates)},
          {"parameters", cell.parameters},
          {"layers", cell.layers},
          {"heads", cell.heads},
          {"floors", cell.floors ? floors_json(*cell.floors) : Json(nullptr)},
          {"numbers", numbers_json(cell.numbers)},
          {"curves", curves_json(cell.curves, cell.runs.size())},
          {"lengths", lengths_json(cell.lengths)},
          {"spectrum", spectrum_json(cell.spectrum)},
          {"position", question(cell.position)},
          {"importance", question(cell.importance)},
          {"removal", to_json(cell.removal)},
          {"snapshots", to_json(cell.snapshots)},
          {"published", published_json(cell.published)},
          {"published_baseline", json_number(published_baseline(cell))}};
}

}  // namespace phasor
