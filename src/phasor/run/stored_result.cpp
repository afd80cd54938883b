#include "phasor/run/stored_result.h"

#include "phasor/base/json_fields.h"
#include "phasor/base/seal.h"
#include "phasor/run/config_json.h"
#include "phasor/task/task_output.h"

namespace phasor {

static const Fields<StoredLines>& json_fields(const StoredLines*) {
  static const Fields<StoredLines> fields = {field("lines", &StoredLines::lines, "how many it has"),
                                             field("xxh64", &StoredLines::hash, "the hash of all of them")};
  return fields;
}

const Fields<StoredResult>& json_fields(const StoredResult*) {
  using R = StoredResult;
  static const Fields<R> fields = {
      field("run", &R::run, "the hash of the run's settings, which is also its folder name in a study")
          .left_out_if([](const R& result) { return result.run.empty(); }),
      field("task", &R::task, "as in config.json, like the next five"),
      field("encoding", &R::encoding, "the canonical expression"),
      field("protocol", &R::protocol, "its name"),
      field("preset", &R::preset, "its name"),
      field("seed", &R::seed, "of initial weights and dropout"),
      field("data_seed", &R::data_seed, "of the samples and their order"),
      field("start", &R::start,
            "the weights of another run that training started from, as in config.json; absent if it started from the "
            "seed")
          .since_later()
          .left_out_if([](const R& result) { return !result.start; }),
      size_field("parameters", &R::parameters, "how many numbers were trained"),
      size_field("steps", &R::steps, "steps done"),
      size_field("tokens", &R::tokens, "tokens trained on"),
      share_field("train_accuracy", &R::train_accuracy, "on the whole training set"),
      size_field("train_loss", &R::train_loss, "on the whole training set"),
      share_field("test_accuracy", &R::test_accuracy, "on the whole test set"),
      size_field("test_loss", &R::test_loss, "on the whole test set"),
      share_field("test_whole", &R::test_whole, "as in metrics.jsonl; null for tasks that do not read every token"),
      share_field("validation_accuracy", &R::validation_accuracy,
                  "on the whole validation set; null where `data.validation` is 0"),
      size_field("validation_loss", &R::validation_loss, "likewise"),
      field("floors", &R::floors, "[baselines](glossary.md#baseline) of the accuracy, from drawn samples"),
      size_field("steps_to_90", &R::steps_to_90,
                 "the step of the first evaluation with `test_accuracy` of at least 0.9; null: never"),
      field("converged", &R::converged, "see below"),
      size_field("loss_spikes", &R::loss_spikes,
                 "steps after the warm-up whose batch loss exceeds the median m of the 50 before by more than 3 "
                 "max(1.4826 MAD, 0.01), where MAD is the median distance from m; null if no step has 50 before it"),
      size_field("largest_loss_jump", &R::largest_loss_jump,
                 "the largest (loss - m) / max(m, 0.01) of these steps, at least 0; null likewise"),
      size_field("seconds", &R::seconds, "training time, evaluations included, summed over all resumed calls"),
      derived_field<R>("tokens_per_second", &R::tokens_per_second, "`tokens` / `seconds`"),
      field("device", &R::device, "in words"),
      field("lines", &R::lines, "for `metrics.jsonl` and `telemetry.jsonl`: what they were when the run ended")
          .left_out_if([](const R& result) { return result.lines.empty(); }),
      field("packed", &R::packed,
            "names of files that `phasor pack` removed on purpose; absent if none was. A missing model or snapshot "
            "that is not named here is damage")
          .left_out_if([](const R& result) { return result.packed.empty(); }),
      field(
          "learned", &R::learned,
          "what the encoding learned, of a packed run: the numbers of each of its tensors of up to 4,096, by name, row "
          "by row; absent if there are none")
          .left_out_if([](const R& result) { return result.learned.empty(); })};
  return fields;
}

StoredResult stored_result(const RunConfig& config, const RunResult& result) {
  StoredResult stored{.run = config_id(config),
                      .task = config.task,
                      .encoding = config.model.encoding,
                      .protocol = config.protocol,
                      .preset = config.preset,
                      .seed = config.seed,
                      .data_seed = config.data.seed,
                      .parameters = result.parameters,
                      .steps = result.last.step,
                      .tokens = result.last.tokens,
                      .train_accuracy = result.full_train_accuracy,
                      .train_loss = result.full_train_loss,
                      .test_accuracy = result.test.accuracy,
                      .test_loss = result.test.loss,
                      .floors = result.floors,
                      .steps_to_90 = result.steps_to_90,
                      .converged = result.converged,
                      .seconds = result.seconds,
                      .device = result.device,
                      .lines = result.lines};
  if (!config.start.empty()) stored.start = config.start;
  if (config.model.readout == Readout::every) stored.test_whole = result.test.whole;
  if (result.validation) {
    stored.validation_accuracy = result.validation->accuracy;
    stored.validation_loss = result.validation->loss;
  }
  if (result.spikes.judged() > 0) {
    stored.loss_spikes = result.spikes.spikes();
    stored.largest_loss_jump = result.spikes.largest_jump();
  }
  return stored;
}

std::string to_json(const StoredResult& result) { return sealed(write_json(result).dump(2) + "\n"); }

}  // namespace phasor
