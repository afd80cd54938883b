#include "run_spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "head_output.h"
#include "model_output.h"
#include "phasor/base/error.h"
#include "phasor/spectrum/layer_logits.h"
#include "phasor/spectrum/model_spectrum.h"
#include "phasor/train/config_text.h"
#include "spectrum_files.h"
#include "terminal.h"

namespace phasor::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kUsualSamples = 64;

int64_t sample_count(const RunSpectrumOptions& options, Session& session) {
  // A batch is what the model has memory for.
  const int64_t most = std::min(session.data().test.size(), session.config().train.batch);
  if (options.samples.empty()) return std::min(kUsualSamples, most);
  return read_whole("--samples", options.samples, {.least = 1, .most = most});
}

Batch test_batch(Session& session, int64_t samples) {
  Batch batch;
  for (int64_t i = 0; i < samples; ++i) session.data().test.append_to(batch, i);
  batch.finish();
  return batch;
}

int64_t length(const Batch& batch, int64_t sequence) {
  return batch.offsets[static_cast<size_t>(sequence) + 1] - batch.offsets[static_cast<size_t>(sequence)];
}

int64_t longest_sequence(const Batch& batch) {
  int64_t longest = 0;
  for (int64_t s = 1; s < batch.sequence_count(); ++s) {
    if (length(batch, s) > length(batch, longest)) longest = s;
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

// spectrum, or spectrum_step_000500 for a snapshot.
std::string file_stem(const RunFolderOptions& run) {
  if (run.step.empty()) return "spectrum";
  return fmt::format("spectrum_step_{:06}", read_whole("--step", run.step, {.least = 0}));
}

}  // namespace

void run_model_spectrum(const RunSpectrumOptions& options) {
  const std::unique_ptr<Backend> backend = options.device.open();
  Session session = options.run.open(*backend);
  const RunConfig& config = session.config();
  const int64_t samples = sample_count(options, session);
  const std::string folder = options.out.empty() ? options.run.folder : options.out;
  prepare_folder(folder);
  const Batch batch = test_batch(session, samples);
  say_progress(fmt::format("spectrum: {} layers of {} heads over {} test samples", config.model.layers,
                           config.model.heads, samples));
  session.model().forward(batch);
  const std::vector<StreamStates> states = stream_states(session.model(), batch);
  const std::vector<HeadMeasures> measures = measure_heads(session.model(), batch, {.most_sequences = samples});
  const int64_t shown = longest_sequence(batch);
  say_progress(fmt::format("spectrum: arrays and theorems on sample {}, {} tokens", shown, length(batch, shown)));
  const std::vector<HeadSummary> heads = heads_of(session.model(), batch, shown);

  Json json = {{"format", kSpectrumFormat}};
  json["source"] = {
      {"kind", "run"},
      {"task", config.task},
      {"encoding", config.model.encoding},
      {"seed", config.seed},
      {"step", options.run.step.empty() ? config.train.steps : read_whole("--step", options.run.step, {.least = 0})},
      {"layers", config.model.layers},
      {"heads", config.model.heads},
      {"head_width", config.model.head_width},
      {"causal", config.model.causal},
      {"samples", samples},
      {"shown_sample", shown},
      {"n", length(batch, shown)}};
  json["measures"] = Json::array();
  for (const HeadMeasures& head : measures) json["measures"].push_back(measures_json(head));
  json["layer_means"] = layer_means_json(measures);
  json["assumptions"] = assumptions_json(measures, states);
  json["checks"] = checks_json(heads);
  json["heads"] = Json::array();
  for (const HeadSummary& head : heads) json["heads"].push_back(head_json(head));
  const std::string stem = file_stem(options.run);
  write_spectrum(folder, stem, json, heads, config.model.layers);
  if (options.json) {
    print_out("{}\n", json.dump(2));
    return;
  }
  print_out("{} on {}\n{} layers of {} heads of {}, means over {} test samples\n\n{}{}\n{}\n", config.model.encoding,
            config.task, config.model.layers, config.model.heads, config.model.head_width, samples,
            measures_table(measures), measures_legend(), assumptions_text(measures, states));
  print_out("theorems, on the longest of the samples, {} tokens (numbers of the first head: measured, bound)\n{}\n{}\n",
            length(batch, shown), check_table(heads), written_text(folder, stem));
}

}  // namespace phasor::app
