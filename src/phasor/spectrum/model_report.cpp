#include "phasor/spectrum/model_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "phasor/base/json_fields.h"
#include "phasor/spectrum/head_output.h"
#include "phasor/spectrum/layer_logits.h"
#include "phasor/spectrum/model_output.h"
#include "phasor/spectrum/spectrum_files.h"

namespace phasor {
namespace {

using Json = nlohmann::ordered_json;

int64_t sequence_length(const Batch& batch, int64_t sequence) {
  return batch.offsets[static_cast<size_t>(sequence) + 1] - batch.offsets[static_cast<size_t>(sequence)];
}

int64_t longest_sequence(const Batch& batch) {
  int64_t longest = 0;
  for (int64_t s = 1; s < batch.sequence_count(); ++s) {
    if (sequence_length(batch, s) > sequence_length(batch, longest)) longest = s;
  }
  return longest;
}

// Every head over one sequence, with its arrays and the theorems.
std::vector<HeadSummary> heads_of(Transformer& model, const Batch& batch, int64_t sequence) {
  model.forward(batch);
  std::vector<HeadSummary> heads;
  for (int64_t l = 0; l < model.config().layers; ++l) {
    const LayerLogits layer(model, batch, l);
    std::vector<HeadSummary> own = summarize_heads(l, {layer.sequence(sequence)});
    std::move(own.begin(), own.end(), std::back_inserter(heads));
  }
  return heads;
}

}  // namespace

ModelReport report_model(Transformer& model, const Batch& batch,
                         const std::function<void(const std::string& line)>& progress) {
  const auto say = [&](const std::string& line) {
    if (progress) progress(line);
  };
  ModelReport report{.samples = batch.sequence_count(), .shown = longest_sequence(batch)};
  report.length = sequence_length(batch, report.shown);
  say(fmt::format("{} layers of {} heads over {} samples", model.config().layers, model.config().heads,
                  report.samples));
  model.forward(batch);
  report.states = stream_states(model, batch);
  report.measures = measure_heads(model, batch, {.most_sequences = report.samples});
  say(fmt::format("arrays and theorems on sample {}, {} tokens", report.shown, report.length));
  report.heads = heads_of(model, batch, report.shown);
  return report;
}

std::string model_report_text(const ModelReport& report, const std::string& title) {
  return fmt::format(
      "{}\n\n{}{}\n{}\ntheorems, on the longest of the samples, {} tokens (numbers of the first head: measured, "
      "bound)\n{}",
      title, measures_table(report.measures), measures_legend(), assumptions_text(report.measures, report.states),
      report.length, check_table(report.heads));
}

const Fields<ModelReport>& json_fields(const ModelReport*) {
  using R = ModelReport;
  static const Fields<R> fields =
      joined_fields<R>({{field("measures", &R::measures, "per head, means over the samples"),
                         derived_field<R>(
                             "layer_means", [](const R& report) { return layer_means(report.measures); },
                             "the same, means over a layer's heads"),
                         derived_field<R>(
                             "assumptions", [](const R& report) { return assumptions(report.measures, report.states); },
                             "what the model says to the paper's assumptions")},
                        part_fields(&R::heads, head_list_fields())});
  return fields;
}

Json model_report_json(const ModelReport& report, Json source) {
  source["shown_sample"] = report.shown;
  source["n"] = report.length;
  Json json = {{"format", kSpectrumFormat}, {"source", std::move(source)}};
  json.update(write_json(report));
  return json;
}

}  // namespace phasor
