#include "phasor/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/engine/download.h"
#include "phasor/run/config_json.h"
#include "phasor/run/evaluation.h"
#include "phasor/run/finished_run.h"
#include "phasor/run/session.h"
#include "phasor/run/stored_result.h"
#include "phasor/run/training_start.h"
#include "phasor/train/schedule.h"
#include "phasor/train/telemetry_probe.h"
#include "phasor/train/updates.h"

namespace phasor {
namespace {

constexpr int64_t kFloorSamples = 20000;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class TrainingRun {
 public:
  TrainingRun(Backend& backend, const RunConfig& config, const RunFolder& folder, const TrainingCallbacks& callbacks)
      : backend_(backend),
        config_(config),
        folder_(folder),
        callbacks_(callbacks),
        session_(backend, config, {}),
        updates_(backend, session_.model(), config.train) {
    restore();
  }

  TrainingOutcome run() {
    try {
      return go_on();
    } catch (const Cancelled&) {
      // Within an evaluation, which the next sitting makes again. Before the first one there is nothing to save.
      if (history_.empty()) throw;
      if (callbacks_.stop) callbacks_.stop();  // whoever waits knows that it was heard
      save_state();
      return {.end = TrainingEnd::stopped, .step = step_};
    }
  }

 private:
  TrainingOutcome go_on() {
    measure_step();
    while (step_ < config_.train.steps) {
      if (callbacks_.stop && callbacks_.stop()) {
        save_state();
        return {.end = TrainingEnd::stopped, .step = step_};
      }
      update();
      measure_step();
      if (step_ % config_.train.checkpoint_every == 0 && step_ < config_.train.steps) save_state();
    }
    return finish();
  }

  // Whatever is due at this step and was not done in an earlier sitting.
  void measure_step() {
    if (is_due(step_) && (history_.empty() || history_.back().step < step_)) evaluate_now();
    if (last_measured_ < step_) measure_now();
    save_snapshot();
  }

  bool is_due(int64_t step) const { return step % config_.train.evaluate_every == 0 || step == config_.train.steps; }

  void restore() {
    const std::optional<TrainingState> state = folder_.load_state(session_.model().layout());
    if (state) check(*state);
    history_ = folder_.rewind_metrics(state ? state->step : -1);
    for (const Metrics& metrics : history_) metrics_tally_.add(to_json_line(metrics));
    metrics_.emplace(folder_.file("metrics.jsonl"));
    restore_telemetry(state ? state->step : -1, state ? state->telemetry : "");
    if (!state) {
      if (!config_.start.empty()) {
        session_.model().load_parameters(load_start(folder_, session_.model().layout(), config_));
      }
      return;
    }
    check_history(*state);
    check_snapshots(state->step);
    step_ = state->step;
    tokens_ = state->tokens;
    earlier_seconds_ = state->seconds;
    batch_loss_ = state->batch_loss;
    gradient_norm_ = state->gradient_norm;
    spikes_ = state->spikes;
    first_step_ = step_;
    first_tokens_ = tokens_;
    session_.model().load_parameters(state->parameters);
    upload(updates_.optimizer().first_moment(), state->first_moment);
    upload(updates_.optimizer().second_moment(), state->second_moment);
  }

  void restore_telemetry(int64_t step, const std::string& known) {
    const int64_t every = config_.telemetry.spectrum;
    if (every == 0) return;
    telemetry_tally_ = folder_.rewind_telemetry(step);
    const int64_t measured = telemetry_tally_.lines();
    telemetry_.emplace(folder_.file("telemetry.jsonl"));
    probe_.emplace(session_.data().test, config_.train.batch);
    if (step < 0) return;
    int64_t expected = 0;
    for (int64_t s = 0; s <= step && expected < measured; ++s) {
      if (!is_measured(s, every, config_.train.steps)) continue;
      ++expected;
      last_measured_ = s;
    }
    for (int64_t s = last_measured_ + 1; s < step; ++s) expected += is_measured(s, every, config_.train.steps) ? 1 : 0;
    // The measurement of the last step may be missing: the run was stopped before it.
    if (measured == expected) return require_lines("telemetry.jsonl", known, telemetry_tally_);
    throw FormatError(fmt::format("'{}' has {} measurements up to step {}, not {}; start the run anew",
                                  folder_.file("telemetry.jsonl").string(), measured, step, expected));
  }

  // A state that does not belong to this run would go on as another one.
  void check(const TrainingState& state) const {
    const std::string path = folder_.file("state.safetensors").string();
    if (state.config != canonical_text(config_)) {
      throw FormatError(fmt::format("'{}' belongs to a run with other settings than config.json", path));
    }
    if (state.step > config_.train.steps) {
      throw FormatError(fmt::format("'{}': step {} lies beyond train.steps={}", path, state.step, config_.train.steps));
    }
  }

  // The file holds the lines that it held when the state was saved.
  void require_lines(const char* name, const std::string& known, const LineTally& now) const {
    if (known.empty() || known == now.text()) return;  // an older version's state does not know
    throw FormatError(
        fmt::format("'{}' is not the file that the run wrote: it has {} lines up to the saved step; "
                    "start the run anew",
                    folder_.file(name).string(), now.lines()));
  }

  void check_history(const TrainingState& state) const {
    const int64_t expected = expected_evaluations(config_.train, state.step);
    const int64_t found = std::ssize(history_);
    // The evaluation of the last step may be missing: the run was stopped within it.
    const bool is_pending = is_due(state.step) && found > 0 && found + 1 == expected;
    if (found == expected || is_pending) return require_lines("metrics.jsonl", state.metrics, metrics_tally_);
    throw FormatError(fmt::format("'{}' has {} evaluations up to step {}, not {}; start the run anew",
                                  folder_.file("metrics.jsonl").string(), found, state.step, expected));
  }

  // Snapshots of steps that will not come again.
  void check_snapshots(int64_t step) const {
    for (const int64_t snapshot : config_.train.snapshots) {
      if (snapshot >= step) continue;
      const std::string name = snapshot_name(snapshot);
      if (!std::filesystem::exists(folder_.file(name))) {
        throw FormatError(fmt::format("'{}' is missing; start the run anew", folder_.file(name).string()));
      }
      folder_.check_model(config_, name);
    }
  }

  void update() {
    const int64_t step = step_ + 1;
    const Batch& batch = session_.training_batch(step);
    updates_.make(batch, step, learning_rate(config_.train, step));
    step_ = step;
    tokens_ += batch.token_count();
    if (updates_.is_due()) read_updates();
  }

  // Before anything is measured or saved, so that no file knows of a step that failed.
  void read_updates() {
    for (const Updates::Outcome& made : updates_.read()) {
      if (!std::isfinite(made.loss) || !std::isfinite(made.gradient_norm)) {
        fail("step {}: {} is not finite; lower train.lr (now {}) or set train.clip=1", made.step,
             std::isfinite(made.loss) ? "the gradient" : "the loss", config_.train.learning_rate);
      }
      batch_loss_ = made.loss;
      gradient_norm_ = made.gradient_norm;
      spikes_.add(made.loss, made.step <= warmup_steps(config_.train));
      tell_progress(made);
    }
  }

  void tell_progress(const Updates::Outcome& made) const {
    if (!callbacks_.update) return;
    const double seconds = seconds_since(start_);
    callbacks_.update({.step = made.step,
                       .steps = config_.train.steps,
                       .batch_loss = made.loss,
                       .tokens_per_second = static_cast<double>(tokens_ - first_tokens_) / seconds,
                       .seconds_left = seconds / static_cast<double>(step_ - first_step_) *
                                       static_cast<double>(config_.train.steps - step_)});
  }

  void evaluate_now() {
    read_updates();
    const Scores train = scores(session_.data().train, config_.train.evaluation_samples);
    const Scores test = scores(session_.data().test, tested_samples(config_));
    if (!std::isfinite(train.loss) || !std::isfinite(test.loss)) {
      fail("step {}: the loss is not finite; lower train.lr (now {}) or set train.clip=1", step_,
           config_.train.learning_rate);
    }
    const Metrics metrics{
        .step = step_,
        .tokens = tokens_,
        .learning_rate = step_ > 0 ? learning_rate(config_.train, step_) : 0.0,
        .gradient_norm = gradient_norm_,
        .batch_loss = batch_loss_,
        .train_loss = train.loss,
        .train_accuracy = train.accuracy,
        .test_loss = test.loss,
        .test_accuracy = test.accuracy,
        .test_whole = config_.model.readout == Readout::every ? std::optional(test.whole) : std::nullopt};
    const std::string line = to_json_line(metrics);
    metrics_->append(line);
    metrics_tally_.add(line);
    history_.push_back(metrics);
    if (callbacks_.evaluation) callbacks_.evaluation(metrics);
  }

  // Where the current step is one of telemetry.spectrum.
  void measure_now() {
    if (!is_measured(step_, config_.telemetry.spectrum, config_.train.steps)) return;
    read_updates();
    const std::string line = to_json_line(probe_->measure(session_.model(), step_));
    telemetry_->append(line);
    telemetry_tally_.add(line);
    last_measured_ = step_;
  }

  Scores scores(const Dataset& data, int64_t samples) {
    return evaluate(session_.model(), data, samples, config_.train.batch);
  }

  TrainingOutcome finish() {
    save_model("model.safetensors");
    save_state();
    const Scores train = scores(session_.data().train, session_.data().train.size());
    RunResult result{.parameters = session_.model().layout().count(),
                     .last = history_.back(),
                     .test = scores(session_.data().test, session_.data().test.size()),
                     .full_train_accuracy = train.accuracy,
                     .full_train_loss = train.loss,
                     .floors = measure_floors(session_.task(), kFloorSamples),
                     .steps_to_90 = steps_to_accuracy(history_, 0.9),
                     .converged = has_converged(history_),
                     .spikes = spikes_,
                     .seconds = earlier_seconds_ + seconds_since(start_),
                     .device = backend_.description()};
    result.lines["metrics.jsonl"] = {metrics_tally_.lines(), metrics_tally_.hash()};
    if (telemetry_) result.lines["telemetry.jsonl"] = {telemetry_tally_.lines(), telemetry_tally_.hash()};
    if (session_.data().validation.size() > 0) {
      result.validation = scores(session_.data().validation, session_.data().validation.size());
    }
    write_file_atomically(folder_.file("result.json"), to_json(stored_result(config_, result)));
    return {.end = TrainingEnd::finished, .step = step_, .result = result};
  }

  // Where the current step is one of train.snapshots.
  void save_snapshot() {
    const std::vector<int64_t>& steps = config_.train.snapshots;
    if (std::find(steps.begin(), steps.end(), step_) != steps.end()) save_model(snapshot_name(step_));
  }

  void save_model(const std::string& name) {
    read_updates();
    folder_.save_model(session_.model().layout(), session_.model().save_parameters(), config_, step_, name);
  }

  void save_state() {
    read_updates();
    // A state must not know of lines that a power cut can take away.
    metrics_->sync();
    if (telemetry_) telemetry_->sync();
    folder_.save_state(session_.model().layout(), {.step = step_,
                                                   .tokens = tokens_,
                                                   .seconds = earlier_seconds_ + seconds_since(start_),
                                                   .batch_loss = batch_loss_,
                                                   .gradient_norm = gradient_norm_,
                                                   .spikes = spikes_,
                                                   .config = canonical_text(config_),
                                                   .metrics = metrics_tally_.text(),
                                                   .telemetry = telemetry_ ? telemetry_tally_.text() : "",
                                                   .parameters = session_.model().save_parameters(),
                                                   .first_moment = moments(updates_.optimizer().first_moment()),
                                                   .second_moment = moments(updates_.optimizer().second_moment())});
  }

  // Moments are padded to the parameters' array; the padding is always zero and not stored.
  std::vector<float> moments(const View<float, 1>& view) {
    return download(backend_, view.data(), session_.model().layout().size());
  }

  void upload(const View<float, 1>& view, const std::vector<float>& values) {
    backend_.copy_in(view.data(), values.data(), values.size() * sizeof(float));
  }

  Backend& backend_;
  const RunConfig& config_;
  const RunFolder& folder_;
  const TrainingCallbacks& callbacks_;
  Session session_;
  Updates updates_;
  std::optional<LineFile> metrics_, telemetry_;
  std::optional<TelemetryProbe> probe_;
  std::vector<Metrics> history_;
  LineTally metrics_tally_, telemetry_tally_;
  int64_t last_measured_ = -1;  // step of the last line of telemetry
  int64_t step_ = 0, first_step_ = 0;
  int64_t tokens_ = 0, first_tokens_ = 0;
  double batch_loss_ = 0.0, gradient_norm_ = 0.0;
  LossSpikes spikes_;
  double earlier_seconds_ = 0.0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

TrainingOutcome train(Backend& backend, const RunConfig& config, const RunFolder& folder,
                      const TrainingCallbacks& callbacks) {
  return TrainingRun(backend, config, folder, callbacks).run();
}

}  // namespace phasor
