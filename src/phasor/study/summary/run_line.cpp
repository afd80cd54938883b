#include "phasor/study/summary/run_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "phasor/base/json_fields.h"
#include "phasor/study/summary/cell_heads.h"
#include "phasor/study/summary/compared_number.h"
#include "phasor/study/summary/learned.h"

namespace phasor {
namespace {

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

std::optional<double> positive(double value) { return value > 0.0 ? finite(value) : std::nullopt; }

std::string drops_text(const std::vector<std::vector<double>>& drops) {
  std::vector<std::string> layers;
  for (const std::vector<double>& heads : drops) {
    std::vector<std::string> numbers;
    numbers.reserve(heads.size());
    for (const double drop : heads) numbers.push_back(std::isfinite(drop) ? fmt::format("{:.6g}", drop) : "-");
    layers.push_back(fmt::format("{}", fmt::join(numbers, " ")));
  }
  return fmt::format("{}", fmt::join(layers, " / "));
}

HeadLine head_line(const RunRecord& run, Question question) {
  if (!run.ablation || !run.ablation->record(question)) return {};
  const HeadRecord& record = *run.ablation->record(question);
  const RunVerdict& judged = record.judged.run;
  HeadLine line{
      .verdict = std::string(name(judged.verdict)), .layer = judged.layer, .drops = drops_text(record.loss_drops)};
  if (const LayerEffect* effect = used_effect(judged, judged.layer)) {
    line.max_share = finite(effect->max_share.value);
    line.n2 = finite(effect->n2.value);
    line.head = effect->top;
  }
  return line;
}

// The evaluation in front of the one that first had 90 %; 0 where it is the first.
std::optional<int64_t> step_before_90(const RunRecord& run) {
  int64_t before = 0;
  for (const Metrics& metrics : run.curve) {
    if (metrics.step == run.steps_to_90) return before;
    before = metrics.step;
  }
  return std::nullopt;
}

Field<RunLine> name_part(std::string_view title, std::string CellName::*part, std::string_view help) {
  return derived_field<RunLine>(
      title, [part](const RunLine& line) { return line.cell.*part; }, help);
}

template <class V>
Field<RunLine> head_part(std::string_view title, HeadLine RunLine::*question, V HeadLine::*part,
                         std::string_view help) {
  return derived_field<RunLine>(
      title, [question, part](const RunLine& line) { return line.*question.*part; }, help);
}

}  // namespace

RunLine run_line(const RunRecord& run, const CellName& cell) {
  using enum ComparedQuantity;
  const auto number = [&](ComparedQuantity quantity) { return value_of(run, {quantity}); };
  RunLine line{.id = run.id,
               .cell = cell,
               .seed = run.seed,
               .data_seed = run.data_seed,
               .learning_rate = run.learning_rate,
               .steps = run.steps,
               .parameters = run.parameters,
               .converged = run.converged,
               .train_accuracy = finite(run.train_accuracy),
               .test_accuracy = finite(run.test_accuracy),
               .blind_accuracy = positive(blind_accuracy(run.floors)),
               .ceiling = positive(run.floors.ceiling),
               .test_loss = number(test_loss),
               .validation_accuracy = run.validation_accuracy,
               .steps_before_90 = step_before_90(run),
               .steps_to_90 = run.steps_to_90,
               .loss_area = number(loss_area),
               .loss_spikes = number(loss_spikes),
               .gradient_variation = number(gradient_variation),
               .position = head_line(run, Question::position),
               .importance = head_line(run, Question::importance),
               .contraction_start = number(contraction_start),
               .contraction_end = number(contraction_end),
               .position_toeplitz = number(position_toeplitz),
               .logit_interaction = number(logit_interaction)};
  if (run.test_samples > 0) line.test_samples = run.test_samples;
  if (run.spectrum) {
    line.content_share = finite(run.spectrum->content_share);
    line.positional_share = finite(run.spectrum->positional_share);
    line.product_share = finite(1.0 - run.spectrum->content_share - run.spectrum->positional_share);
    line.stream_interaction = finite(run.spectrum->stream_interaction);
    line.inner_interaction = finite(run.spectrum->inner_interaction);
  }
  return line;
}

const Fields<RunLine>& json_fields(const RunLine*) {
  using L = RunLine;
  using H = HeadLine;
  static const Fields<L> named = {
      field("id", &L::id, "of the run: its folder's name"),
      name_part("task", &CellName::task, "its name"),
      name_part("protocol", &CellName::protocol, "its name"),
      name_part("encoding", &CellName::encoding, "the canonical expression"),
      derived_field<L>(
          "label", [](const L& line) { return encoding_label(line.cell); },
          "what the encoding is called: its name, a short form, or the expression"),
      name_part("variant", &CellName::variant, "what else sets the cell apart; often empty"),
      field("seed", &L::seed, "of the initial weights, the order of the samples and dropout")};
  static const Fields<L> training = {
      field("data_seed", &L::data_seed, "of the samples: runs with one data seed share their test set"),
      field("learning_rate", &L::learning_rate, "the highest of its schedule"),
      field("steps", &L::steps, "of training"),
      field("parameters", &L::parameters, "trained ones"),
      field("converged", &L::converged, "had stopped improving"),
      field("train_accuracy", &L::train_accuracy, "on the whole training set"),
      field("test_accuracy", &L::test_accuracy, "on the test set"),
      field("test_samples", &L::test_samples, "of the test set"),
      field("blind_accuracy", &L::blind_accuracy, "the best that can be had without reading the tokens"),
      field("ceiling", &L::ceiling, "the best accuracy that the tokens allow"),
      field("test_loss", &L::test_loss, "on the test set"),
      field("validation_accuracy", &L::validation_accuracy, "on the validation set, where there is one"),
      field("steps_before_90", &L::steps_before_90, "the evaluation in front of the next; 0: none was"),
      field("steps_to_90", &L::steps_to_90, "the first evaluation with a test accuracy of at least 0.9"),
      field("loss_area", &L::loss_area, "mean test loss over all evaluations / loss before the first step"),
      field("loss_spikes", &L::loss_spikes, "as in result.json"),
      field("gradient_variation", &L::gradient_variation,
            "standard deviation / mean of the gradient norms after the warm-up")};
  static const Fields<L> heads = {
      head_part("position_verdict", &L::position, &H::verdict, "on heads that carry position"),
      head_part("position_max_share", &L::position, &H::max_share, "largest share of a head in that layer's cost"),
      head_part("position_n2", &L::position, &H::n2, "effective heads of that layer by Simpson"),
      head_part("position_layer", &L::position, &H::layer, "the layer that matters most, from 0"),
      head_part("position_head", &L::position, &H::head, "its head that costs most, from 0"),
      head_part("position_drops", &L::position, &H::drops,
                "loss that each head's ablation adds: heads of the first layer / of the second / ..."),
      head_part("importance_verdict", &L::importance, &H::verdict, "on heads that matter at all"),
      head_part("importance_max_share", &L::importance, &H::max_share, "likewise"),
      head_part("importance_n2", &L::importance, &H::n2, "likewise"),
      head_part("importance_layer", &L::importance, &H::layer, "likewise"),
      head_part("importance_head", &L::importance, &H::head, "likewise"),
      head_part("importance_drops", &L::importance, &H::drops, "likewise")};
  static const Fields<L> spectra = {
      field("contraction_start", &L::contraction_start, "of sigma_1 by the angles, before training"),
      field("contraction_end", &L::contraction_end, "after training"),
      field("position_toeplitz", &L::position_toeplitz, "share of the positional Gram that distance explains"),
      field("logit_interaction", &L::logit_interaction,
            "share of the logits' variance that content and offset explain only together"),
      field("content_share", &L::content_share, "share of the logits' variance by content alone"),
      field("product_share", &L::product_share, "by content with position; the three shares add up to 1"),
      field("positional_share", &L::positional_share, "by position alone, with the bias"),
      field("stream_interaction", &L::stream_interaction,
            "share of the streams' variance by token and position only together"),
      field("inner_interaction", &L::inner_interaction, "the same without the first layer")};
  static const Fields<L> standing = {field("extension", &L::extension, "added to the study after its start")};
  static const Fields<L> fields = joined_fields<L>({named, training, heads, spectra, standing});
  return fields;
}

}  // namespace phasor
