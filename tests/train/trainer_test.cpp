#include "phasor/train/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "model/thread_guard.h"
#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/run/evaluation.h"
#include "phasor/run/session.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace trainer_test {

using testing_support::test_backend;
using testing_support::ThreadGuard;
using testing_support::tiny_run;

class TrainerTest : public testing::Test {
 protected:
  RunFolder fresh(const std::string& name, const RunConfig& config) const {
    RunFolder folder(temporary_ / name);
    folder.create(config);
    return folder;
  }

  static std::optional<TrainingState> state(const RunConfig& config, const RunFolder& folder) {
    return folder.load_state(ParameterLayout(config.model, resolve_encoding(config.model)));
  }

  // One sitting from wherever the folder stands, stopped before the update after `last_step`.
  static TrainingOutcome sit(const RunConfig& config, const RunFolder& folder, int64_t last_step) {
    const std::optional<TrainingState> start = state(config, folder);
    int64_t step = start ? start->step : 0;
    TrainingCallbacks callbacks;
    callbacks.stop = [&] { return step++ >= last_step; };  // asked before each update
    return train(test_backend(), config, folder, callbacks);
  }

  static std::string file(const RunFolder& folder, const std::string& name) { return read_file(folder.file(name)); }

  // result.json without what the clock decides.
  static nlohmann::json timeless_result(const RunFolder& folder) {
    auto json = nlohmann::json::parse(file(folder, "result.json"));
    EXPECT_GT(json.at("seconds").get<double>(), 0.0);
    json.erase("seconds");
    json.erase("tokens_per_second");
    json.erase("xxh64");
    return json;
  }

  static void expect_same_run(const RunFolder& got, const RunFolder& expected) {
    EXPECT_TRUE(got.complete());
    EXPECT_EQ(file(got, "metrics.jsonl"), file(expected, "metrics.jsonl"));
    EXPECT_TRUE(file(got, "model.safetensors") == file(expected, "model.safetensors"));
    EXPECT_EQ(timeless_result(got), timeless_result(expected));
    for (const char* snapshot : {"snapshots/step_000003.safetensors", "snapshots/step_000010.safetensors"}) {
      EXPECT_TRUE(file(got, snapshot) == file(expected, snapshot)) << snapshot;
    }
  }

  const ThreadGuard one_thread_{1};
  TemporaryFolder temporary_;
};

TEST_F(TrainerTest, AStreamIsResumedWithTheSameBits) {
  const RunConfig config = tiny_run({"data.source=stream", "protocol=released", "protocol.classes=task"});
  const RunFolder whole = fresh("whole", config);
  train(test_backend(), config, whole, {});
  const RunFolder parts = fresh("parts", config);
  EXPECT_EQ(sit(config, parts, 9).end, TrainingEnd::stopped);
  EXPECT_EQ(sit(config, parts, 1000).end, TrainingEnd::finished);
  expect_same_run(parts, whole);
}

TEST_F(TrainerTest, ResultHasFloorsAndValidation) {
  const RunConfig config = tiny_run();
  const RunFolder folder = fresh("run", config);
  const TrainingOutcome outcome = train(test_backend(), config, folder, {});
  const auto json = nlohmann::json::parse(file(folder, "result.json"));
  EXPECT_EQ(json.at("floors").at("chance").get<double>(), 0.25);
  EXPECT_EQ(json.at("floors").at("ceiling").get<double>(), 1.0);
  Session session(test_backend(), config, {.training = false});
  session.model().load_parameters(folder.load_model(session.model().layout(), "model.safetensors"));
  const Scores validation = evaluate(session.model(), session.data().validation, 16, config.train.batch);
  EXPECT_EQ(validation.scored, 16);
  EXPECT_EQ(json.at("validation_accuracy").get<double>(), validation.accuracy);
  EXPECT_EQ(json.at("validation_loss").get<double>(), validation.loss);
  EXPECT_TRUE(json.at("test_whole").is_null());
}

TEST_F(TrainerTest, WholeAnswersAreCountedWhereEveryTokenIsRead) {
  ConfigBuilder builder;
  for (const char* value : {"task=copy", "task.vocabulary=4", "task.length=3", "model.layers=1", "model.width=16",
                            "model.heads=2", "train.steps=3", "train.batch=8", "data.train=40", "data.test=20",
                            "data.validation=0", "train.evaluate_every=1"}) {
    builder.add_set(value);
  }
  const RunConfig config = builder.build();
  const RunFolder folder = fresh("run", config);
  train(test_backend(), config, folder, {});
  const std::vector<Metrics> history = folder.load_metrics();
  ASSERT_TRUE(history.back().test_whole);
  EXPECT_LE(*history.back().test_whole, history.back().test_accuracy);

  // By hand, from the readout's outputs.
  Session session(test_backend(), config, {.training = false});
  session.model().load_parameters(folder.load_model(session.model().layout(), "model.safetensors"));
  int64_t whole = 0;
  const int64_t classes = config.model.classes;
  for (int64_t i = 0; i < 20; ++i) {
    Batch batch;
    session.data().test.append_to(batch, i);
    batch.finish();
    session.model().forward(batch);
    const std::vector<float> logits = session.model().class_logits(batch.token_count());
    bool right = true;
    for (int64_t t = 0; t < batch.token_count(); ++t) {
      const auto row = logits.begin() + t * classes;
      const auto best = static_cast<int32_t>(std::max_element(row, row + classes) - row);
      const int32_t target = batch.targets[static_cast<size_t>(t)];
      right = right && (target == kNotScored || target == best);
    }
    whole += right ? 1 : 0;
  }
  EXPECT_EQ(*history.back().test_whole, static_cast<double>(whole) / 20.0);
}

TEST_F(TrainerTest, ANumberCanBeLearned) {
  const RunConfig config =
      tiny_run({"task.answer=number", "task.readout=trigger", "model.dropout=0", "train.steps=400",
                "train.snapshots=none", "data.train=512", "train.evaluation_samples=512", "train.batch=32"});
  const RunFolder folder = fresh("run", config);
  train(test_backend(), config, folder, {});
  const std::vector<Metrics> history = folder.load_metrics();
  EXPECT_LT(history.back().test_loss, 0.25 * history.front().test_loss);
  EXPECT_GT(history.back().test_accuracy, 0.6);
}

TEST_F(TrainerTest, LeavesACompleteRun) {
  const RunConfig config = tiny_run();
  const RunFolder folder = fresh("run", config);
  std::vector<int64_t> updates, evaluations;
  TrainingCallbacks callbacks;
  callbacks.update = [&](const Progress& progress) {
    updates.push_back(progress.step);
    EXPECT_EQ(progress.steps, 20);
    EXPECT_GT(progress.batch_loss, 0.0);
    EXPECT_GT(progress.tokens_per_second, 0.0);
  };
  callbacks.evaluation = [&](const Metrics& metrics) { evaluations.push_back(metrics.step); };
  const TrainingOutcome outcome = train(test_backend(), config, folder, callbacks);
  EXPECT_EQ(outcome.end, TrainingEnd::finished);
  EXPECT_EQ(outcome.step, 20);
  EXPECT_TRUE(folder.complete());
  ASSERT_EQ(updates.size(), 20u);
  for (size_t i = 0; i < updates.size(); ++i) EXPECT_EQ(updates[i], static_cast<int64_t>(i) + 1);
  EXPECT_EQ(evaluations, (std::vector<int64_t>{0, 5, 10, 15, 20}));

  std::vector<int64_t> written;
  for (const Metrics& metrics : folder.load_metrics()) written.push_back(metrics.step);
  EXPECT_EQ(written, evaluations);
  const auto result = nlohmann::json::parse(file(folder, "result.json"));
  EXPECT_EQ(result.at("steps"), 20);
  EXPECT_EQ(result.at("test_accuracy"), folder.load_metrics().back().test_accuracy);
}

TEST_F(TrainerTest, TheLastStepIsEvaluatedOnce) {
  const RunConfig config = tiny_run({"train.steps=12"});
  const RunFolder folder = fresh("run", config);
  train(test_backend(), config, folder, {});
  std::vector<int64_t> written;
  for (const Metrics& metrics : folder.load_metrics()) written.push_back(metrics.step);
  EXPECT_EQ(written, (std::vector<int64_t>{0, 5, 10, 12}));
}

TEST_F(TrainerTest, CountsTheTokensItTrainedOn) {
  const RunConfig config = tiny_run();
  const RunFolder folder = fresh("run", config);
  train(test_backend(), config, folder, {});
  Session session(test_backend(), config, {});
  int64_t tokens = 0;
  for (int64_t step = 1; step <= 20; ++step) tokens += session.training_batch(step).token_count();
  EXPECT_EQ(folder.load_metrics().back().tokens, tokens);
}

TEST_F(TrainerTest, TheModelItSavesIsTheOneItMeasured) {
  const RunConfig config = tiny_run();
  const RunFolder folder = fresh("run", config);
  train(test_backend(), config, folder, {});
  Session session(test_backend(), config, {});
  Transformer& model = session.model();
  model.load_parameters(folder.load_model(model.layout(), "model.safetensors"));
  const Metrics last = folder.load_metrics().back();
  const Scores test = evaluate(model, session.data().test, session.data().test.size(), config.train.batch);
  EXPECT_EQ(test.loss, last.test_loss);
  EXPECT_EQ(test.accuracy, last.test_accuracy);
  EXPECT_EQ(test.scored, 32);
  const Scores train_part = evaluate(model, session.data().train, config.train.evaluation_samples, config.train.batch);
  EXPECT_EQ(train_part.loss, last.train_loss);
  EXPECT_EQ(train_part.scored, 40);
  const Scores whole = evaluate(model, session.data().train, session.data().train.size(), config.train.batch);
  EXPECT_EQ(whole.accuracy, timeless_result(folder).at("train_accuracy").get<double>());
}

TEST_F(TrainerTest, FewerTestSamplesOnTheWayAreAllOfThemAtTheEnd) {
  const RunConfig config = tiny_run({"train.evaluation_tests=12"});
  const RunFolder folder = fresh("run", config);
  train(test_backend(), config, folder, {});
  const RunFolder all = fresh("all", tiny_run());
  train(test_backend(), tiny_run(), all, {});
  Session session(test_backend(), config, {});
  session.model().load_parameters(folder.load_model(session.model().layout(), "model.safetensors"));
  const Scores part = evaluate(session.model(), session.data().test, 12, config.train.batch);
  EXPECT_EQ(part.scored, 12);
  EXPECT_EQ(folder.load_metrics().back().test_loss, part.loss);
  EXPECT_NE(part.loss, timeless_result(folder).at("test_loss").get<double>());
  for (const char* number : {"test_loss", "test_accuracy", "train_accuracy", "validation_accuracy"}) {
    EXPECT_EQ(timeless_result(folder).at(number), timeless_result(all).at(number)) << number;
  }
}

// Between evaluations, at one, at a checkpoint, before the first update, and before the last.
TEST_F(TrainerTest, ResumingGivesTheBytesOfARunThatNeverStopped) {
  const RunConfig config = tiny_run();
  const RunFolder whole = fresh("whole", config);
  train(test_backend(), config, whole, {});
  for (const int64_t stop : {0, 1, 3, 5, 7, 8, 10, 19}) {
    const RunFolder parts = fresh("stopped_at_" + std::to_string(stop), config);
    const TrainingOutcome outcome = sit(config, parts, stop);
    EXPECT_EQ(outcome.end, TrainingEnd::stopped);
    EXPECT_EQ(outcome.step, stop);
    EXPECT_FALSE(parts.complete());
    EXPECT_EQ(train(test_backend(), config, parts, {}).end, TrainingEnd::finished);
    SCOPED_TRACE(stop);
    expect_same_run(parts, whole);
  }
}

TEST_F(TrainerTest, ResumingOftenGivesTheSameBytesToo) {
  const RunConfig config = tiny_run();
  const RunFolder whole = fresh("whole", config);
  train(test_backend(), config, whole, {});
  const RunFolder parts = fresh("parts", config);
  for (const int64_t stop : {2, 5, 6, 6, 11, 15, 18}) EXPECT_EQ(sit(config, parts, stop).step, stop);
  train(test_backend(), config, parts, {});
  expect_same_run(parts, whole);
}

struct Crash {};

// A crash saves nothing: the run goes back to its last checkpoint, and metrics after that are made again.
TEST_F(TrainerTest, ACrashedRunGoesOnFromItsLastCheckpoint) {
  const RunConfig config = tiny_run();
  const RunFolder whole = fresh("whole", config);
  train(test_backend(), config, whole, {});
  for (const int64_t crash : {1, 6, 9, 15, 17}) {
    const RunFolder parts = fresh("crashed_at_" + std::to_string(crash), config);
    TrainingCallbacks callbacks;
    callbacks.update = [&](const Progress& progress) {
      if (progress.step == crash) throw Crash();
    };
    EXPECT_THROW(train(test_backend(), config, parts, callbacks), Crash);
    EXPECT_FALSE(parts.complete());
    // What a crash inside a write would leave.
    write_file_atomically(parts.file("metrics.jsonl"), file(parts, "metrics.jsonl") + "{\"step\":");
    int64_t first = 0;
    callbacks.update = [&](const Progress& progress) { first = first == 0 ? progress.step : first; };
    train(test_backend(), config, parts, callbacks);
    SCOPED_TRACE(crash);
    EXPECT_EQ(first, (crash - 1) / 8 * 8 + 1);
    expect_same_run(parts, whole);
  }
}

// telemetry.jsonl goes on like metrics.jsonl does, whether stopped or crashed, on a measured step or between two.
TEST_F(TrainerTest, TelemetryIsResumedWithTheSameBytes) {
  const RunConfig config = tiny_run({"telemetry.spectrum=3"});
  const RunFolder whole = fresh("whole", config);
  train(test_backend(), config, whole, {});
  std::vector<int64_t> steps;
  for (const Telemetry& telemetry : whole.load_telemetry()) steps.push_back(telemetry.step);
  EXPECT_EQ(steps, (std::vector<int64_t>{0, 3, 6, 9, 12, 15, 18, 20}));
  for (const int64_t stop : {0, 1, 3, 8, 19}) {
    const RunFolder parts = fresh("stopped_at_" + std::to_string(stop), config);
    EXPECT_EQ(sit(config, parts, stop).end, TrainingEnd::stopped);
    train(test_backend(), config, parts, {});
    SCOPED_TRACE(stop);
    expect_same_run(parts, whole);
    EXPECT_EQ(file(parts, "telemetry.jsonl"), file(whole, "telemetry.jsonl"));
  }
  for (const int64_t crash : {1, 13}) {
    const RunFolder parts = fresh("crashed_at_" + std::to_string(crash), config);
    TrainingCallbacks callbacks;
    callbacks.update = [&](const Progress& progress) {
      if (progress.step == crash) throw Crash();
    };
    EXPECT_THROW(train(test_backend(), config, parts, callbacks), Crash);
    write_file_atomically(parts.file("telemetry.jsonl"), file(parts, "telemetry.jsonl") + "{\"step\":");
    train(test_backend(), config, parts, {});
    SCOPED_TRACE(crash);
    EXPECT_EQ(file(parts, "telemetry.jsonl"), file(whole, "telemetry.jsonl"));
  }
}

TEST_F(TrainerTest, TelemetryChangesNothingElse) {
  const RunConfig without = tiny_run(), with = tiny_run({"telemetry.spectrum=1"});
  const RunFolder quiet = fresh("quiet", without), watched = fresh("watched", with);
  train(test_backend(), without, quiet, {});
  train(test_backend(), with, watched, {});
  EXPECT_FALSE(std::filesystem::exists(quiet.file("telemetry.jsonl")));
  EXPECT_EQ(file(watched, "metrics.jsonl"), file(quiet, "metrics.jsonl"));
  nlohmann::json watched_result = timeless_result(watched), quiet_result = timeless_result(quiet);
  for (nlohmann::json* result : {&watched_result, &quiet_result}) {
    result->erase("run");
    result->at("lines").erase("telemetry.jsonl");
  }
  EXPECT_EQ(watched_result, quiet_result);
  const ParameterLayout layout(without.model, resolve_encoding(without.model));
  EXPECT_EQ(watched.load_model(layout, "model.safetensors"), quiet.load_model(layout, "model.safetensors"));
}

TEST_F(TrainerTest, TelemetryThatLacksALineIsRefused) {
  const RunConfig config = tiny_run({"telemetry.spectrum=3"});
  const RunFolder folder = fresh("run", config);
  sit(config, folder, 7);
  const std::string lines = file(folder, "telemetry.jsonl");
  write_file_atomically(folder.file("telemetry.jsonl"), std::string_view(lines).substr(0, lines.find('\n') + 1));
  expect_words(message_of<FormatError>([&] { train(test_backend(), config, folder, {}); }),
               {"telemetry.jsonl", "1 measurements", "not 3"});
}

TEST_F(TrainerTest, LinesOfAnotherRunAreRefused) {
  const RunConfig config = tiny_run({"telemetry.spectrum=3"}), other = tiny_run({"telemetry.spectrum=3", "seed=5"});
  const RunFolder folder = fresh("run", config), rival = fresh("other", other);
  sit(config, folder, 7);
  sit(other, rival, 7);
  for (const char* name : {"metrics.jsonl", "telemetry.jsonl"}) {
    const std::string own = file(folder, name);
    write_file_atomically(folder.file(name), file(rival, name));
    expect_words(message_of<FormatError>([&] { train(test_backend(), config, folder, {}); }),
                 {name, "not the file that the run wrote"});
    write_file_atomically(folder.file(name), own);
  }
  train(test_backend(), config, folder, {});
  EXPECT_TRUE(folder.complete());
}

TEST_F(TrainerTest, MissingAndDamagedSnapshotsAreNoticed) {
  const RunConfig config = tiny_run();
  const RunFolder folder = fresh("run", config);
  sit(config, folder, 12);
  const std::string name = "snapshots/step_000003.safetensors";
  const std::string whole = file(folder, name.c_str());
  std::filesystem::remove(folder.file(name));
  expect_words(message_of<FormatError>([&] { train(test_backend(), config, folder, {}); }), {name, "missing"});
  std::string damaged = whole;
  damaged[damaged.size() - 5] ^= 1;
  write_file_atomically(folder.file(name), damaged);
  expect_words(message_of<FormatError>([&] { train(test_backend(), config, folder, {}); }), {name, "checksum"});
  write_file_atomically(folder.file(name), whole);
  train(test_backend(), config, folder, {});
  EXPECT_TRUE(folder.complete());
}

// A signal may come in the middle of an evaluation.
TEST_F(TrainerTest, CancelledAnywhereItGoesOnWithTheSameBytes) {
  const RunConfig config = tiny_run({"telemetry.spectrum=5"});
  const RunFolder whole = fresh("whole", config);
  static int asked = 0, patience = 0;
  set_cancellation([] { return ++asked > patience; });
  patience = 1 << 30;
  asked = 0;
  train(test_backend(), config, whole, {});
  const int questions = asked;
  ASSERT_GT(questions, 100);
  int stops = 0;
  for (int before = 1; before < questions; before += 1 + questions / 40) {
    const RunFolder parts = fresh(fmt::format("parts{}", before), config);
    patience = before;
    asked = 0;
    try {
      EXPECT_EQ(train(test_backend(), config, parts, {}).end, TrainingEnd::stopped);
      ++stops;
    } catch (const Cancelled&) {
      EXPECT_FALSE(std::filesystem::exists(parts.file("state.safetensors")));
    }
    patience = 1 << 30;
    train(test_backend(), config, parts, {});
    SCOPED_TRACE(before);
    expect_same_run(parts, whole);
    EXPECT_EQ(file(parts, "telemetry.jsonl"), file(whole, "telemetry.jsonl"));
  }
  set_cancellation(nullptr);
  EXPECT_GT(stops, 10);
}

TEST_F(TrainerTest, LossSpikesAreCountedAcrossSittings) {
  const RunConfig config = tiny_run({"train.steps=90", "train.lr=0.05", "train.snapshots=3,10", "train.warmup=0.7"});
  const RunFolder whole = fresh("whole", config), parts = fresh("parts", config);
  std::vector<double> losses;
  TrainingCallbacks callbacks;
  callbacks.update = [&](const Progress& progress) { losses.push_back(progress.batch_loss); };
  train(test_backend(), config, whole, callbacks);
  LossSpikes expected;
  for (size_t i = 0; i < losses.size(); ++i) expected.add(losses[i], i < 63);
  EXPECT_EQ(expected.judged(), 27);
  const auto result = timeless_result(whole);
  EXPECT_EQ(result.at("loss_spikes"), expected.spikes());
  EXPECT_EQ(result.at("largest_loss_jump"), expected.largest_jump());
  for (const int64_t stop : {20, 64, 80}) sit(config, parts, stop);
  train(test_backend(), config, parts, {});
  expect_same_run(parts, whole);
  const RunConfig brief = tiny_run();
  const RunFolder few = fresh("few", brief);
  train(test_backend(), brief, few, {});
  EXPECT_TRUE(timeless_result(few).at("loss_spikes").is_null()) << "20 steps are too few to judge one";
}

// A crash between the last update and result.json: nothing is trained again.
TEST_F(TrainerTest, AFinishedStateOnlyNeedsItsResult) {
  const RunConfig config = tiny_run();
  const RunFolder folder = fresh("run", config);
  train(test_backend(), config, folder, {});
  const auto result = timeless_result(folder);
  const std::string model = file(folder, "model.safetensors");
  const std::string metrics = file(folder, "metrics.jsonl");
  std::filesystem::remove(folder.file("result.json"));
  TrainingCallbacks callbacks;
  callbacks.update = [](const Progress&) { ADD_FAILURE() << "an update after the last"; };
  train(test_backend(), config, folder, callbacks);
  EXPECT_EQ(timeless_result(folder), result);
  EXPECT_TRUE(file(folder, "model.safetensors") == model);
  EXPECT_EQ(file(folder, "metrics.jsonl"), metrics);
}

TEST_F(TrainerTest, AStateOfAnotherModelIsRefused) {
  const RunConfig config = tiny_run();
  const RunFolder folder = fresh("run", config);
  sit(config, folder, 3);
  const RunConfig other = tiny_run({"model.width=32"});
  expect_words(message_of<FormatError>([&] { train(test_backend(), other, folder, {}); }),
               {"state.safetensors", "embedding.weight", "16", "32"});
  EXPECT_FALSE(folder.complete());
}

TEST_F(TrainerTest, AStateOfAnotherRunIsRefused) {
  const RunFolder folder = fresh("run", tiny_run());
  sit(tiny_run(), folder, 3);
  expect_words(message_of<FormatError>([&] { train(test_backend(), tiny_run({"seed=7"}), folder, {}); }),
               {"state.safetensors", "other settings"});
}

TEST_F(TrainerTest, AStateWithImpossibleProgressIsRefused) {
  const RunConfig config = tiny_run();
  const RunFolder folder = fresh("run", config);
  sit(config, folder, 7);
  const ParameterLayout layout(config.model, resolve_encoding(config.model));
  const TrainingState good = *folder.load_state(layout);
  const auto message_with = [&](int64_t step, int64_t tokens) {
    TrainingState bad = good;
    bad.step = step;
    bad.tokens = tokens;
    folder.save_state(layout, bad);
    return message_of<FormatError>([&] { train(test_backend(), config, folder, {}); });
  };
  expect_words(message_with(-3, good.tokens), {"state.safetensors", "-3", "count"});
  expect_words(message_with(7, -1), {"state.safetensors", "-1", "count"});
  expect_words(message_with(1000, good.tokens), {"state.safetensors", "1000", "train.steps=20"});
  expect_words(message_with(12, good.tokens), {"metrics.jsonl", "2 evaluations", "12", "not 3"});
  EXPECT_FALSE(folder.complete());
}

TEST_F(TrainerTest, ALossThatIsNotFiniteIsAnErrorWithoutAResult) {
  // Huge rates without a warm-up: the first update throws the weights far beyond what fp32 can square.
  const RunConfig config = tiny_run({"train.lr=1e30", "train.warmup=0", "train.checkpoint_every=1"});
  const RunFolder folder = fresh("run", config);
  const std::string message = message_of<Error>([&] { train(test_backend(), config, folder, {}); });
  expect_words(message, {"step", "not finite", "train.lr", "1e+30", "train.clip"});
  EXPECT_FALSE(folder.complete());
  EXPECT_FALSE(std::filesystem::exists(folder.file("model.safetensors")));
  // The state that is kept is from before the fault.
  const std::optional<TrainingState> kept = state(config, folder);
  ASSERT_TRUE(kept.has_value());
  expect_words(message, {"step " + std::to_string(kept->step + 1)});
  EXPECT_TRUE(std::isfinite(kept->batch_loss));
  EXPECT_TRUE(std::isfinite(kept->gradient_norm));
  for (const float value : kept->parameters) ASSERT_TRUE(std::isfinite(value));
  for (const Metrics& metrics : folder.load_metrics()) EXPECT_TRUE(std::isfinite(metrics.test_loss));
}

TEST_F(TrainerTest, SeedsAndDataSeedsAreDifferentThings) {
  std::set<std::string> histories;
  for (const auto& changes : {std::initializer_list<const char*>{"seed=0"}, {"seed=1"}, {"data.seed=1"}}) {
    const RunConfig config = tiny_run(changes);
    const RunFolder folder = fresh("run" + std::to_string(histories.size()), config);
    train(test_backend(), config, folder, {});
    histories.insert(file(folder, "metrics.jsonl"));
  }
  EXPECT_EQ(histories.size(), 3u);
}

}  // namespace trainer_test
}  // namespace phasor
