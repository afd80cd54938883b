#include "phasor/study/carry_out/run_measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "phasor/ablation/ablation_files.h"
#include "phasor/ablation/ablation_json.h"
#include "phasor/base/error.h"
#include "phasor/base/json_fields.h"
#include "phasor/run/length_evaluation.h"
#include "phasor/spectrum/additive_states.h"
#include "phasor/study/carry_out/study_lengths.h"
#include "phasor/study/carry_out/study_spectrum.h"
#include "phasor/study/records/run_facts.h"
#include "study/trained_run.h"

namespace phasor {
namespace run_measures_test {

using testing_support::contents;
using testing_support::expect_same_files;
using testing_support::test_backend;
using testing_support::TrainedRun;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Session opened(const TrainedRun& run, const std::string& model = "model.safetensors") {
  Session session(test_backend(), run.plan.config, {.training = false});
  session.model().load_parameters(RunFolder(run.folder).load_model(session.model().layout(), model));
  return session;
}

// As 'phasor ablate --samples 40' asks.
AblationOptions options_of_command() {
  AblationOptions options;
  options.sweep.samples = 40;
  options.sweep.batch = 16;
  return options;
}

TEST(RunMeasures, AblationsAreThoseOfTheCommand) {
  const TrainedRun run;
  EXPECT_FALSE(is_measured(run.plan, run.folder));
  ASSERT_TRUE(run.measure());
  EXPECT_TRUE(is_measured(run.plan, run.folder));
  const fs::path other = run.temporary / "other";
  make_directory(other);
  for (const SnapshotStep snapshot : {SnapshotStep(), SnapshotStep(10), SnapshotStep(30)}) {
    Session session = opened(run, snapshot ? snapshot_name(*snapshot) : "model.safetensors");
    const std::string stem = snapshot ? fmt::format("ablation_step_0000{}", *snapshot) : "ablation";
    const RunAblation direct = ablate_run(session, other, stem, options_of_command()).value();
    EXPECT_TRUE(read_file(other / (stem + ".safetensors")) == read_file(run.folder / (stem + ".safetensors"))) << stem;
    const Json json = Json::parse(read_file(run.folder / (stem + ".json")));
    EXPECT_EQ(json.at("source").at("step"), snapshot.value_or(40));
    EXPECT_EQ(json.at("position"), write_json(*direct.position));
    EXPECT_EQ(json.at("importance"), write_json(*direct.importance));
    EXPECT_EQ(json.at("parameters"), direct.parameters);
    EXPECT_TRUE(fs::exists(run.folder / (stem + ".csv")));
  }
  // Neither the start nor the end counts as a snapshot.
  EXPECT_FALSE(fs::exists(run.folder / "ablation_step_000000.json"));
  EXPECT_FALSE(fs::exists(run.folder / "ablation_step_000040.json"));
  Session session = opened(run);
  const PublishedAblation published =
      ablate_as_published(session.model(), {&session.data().train, &session.data().test}, 16).value();
  Json meant = write_json(published);
  Json json = Json::parse(read_file(run.folder / "ablation_published.json"));
  EXPECT_EQ(json.at("kind"), "published");
  for (const auto& [key, value] : meant.items()) EXPECT_EQ(json.at(key), value) << key;
}

TEST(RunMeasures, SpectraAreThoseOfDirectCalls) {
  TrainedRun run({"model.encoding=rope+alibi"});
  run.plan.measures = {.spectrum = true};
  ASSERT_TRUE(run.measure());
  const SpectrumRecord record = read_study_spectrum(run.folder / "study_spectrum.json");
  const RunFacts facts = read_facts(test_backend(), run.folder);
  const std::pair<const SpectralFacts*, const SpectralFacts*> pairs[] = {{&record.start, &facts.start},
                                                                         {&record.end, &facts.end}};
  for (const auto& [found, meant] : pairs) {
    EXPECT_EQ(found->contraction, meant->contraction);
    EXPECT_EQ(found->product_norm, meant->product_norm);
    EXPECT_EQ(found->spectral_norm, meant->spectral_norm);
    EXPECT_EQ(found->stable_rank, meant->stable_rank);
  }
  EXPECT_NE(record.start.spectral_norm, record.end.spectral_norm);

  Session session = opened(run);
  Batch batch;  // the model has memory for 16 sequences
  for (int64_t i = 0; i < 16; ++i) session.data().test.append_to(batch, i);
  batch.finish();
  const std::vector<HeadMeasures> heads = measure_heads(session.model(), batch);
  ASSERT_EQ(record.end_contractions.size(), 4u);
  ASSERT_EQ(record.start_contractions.size(), 4u);
  double relative = 0.0, toeplitz = 0.0, interaction = 0.0, positional = 0.0, start = 0.0, product = 0.0, rank = 0.0;
  double weights = 0.0;
  for (size_t h = 0; h < 4; ++h) {
    EXPECT_EQ(record.end_contractions[h], heads[h].contraction);
    start += record.start_contractions[h] / 4.0;
    product += heads[h].spectral_norm / heads[h].bias_expansion / 4.0;
    rank += heads[h].stable_rank / 4.0;
    relative += heads[h].relative_r2 / 4.0;
    const double weight = std::max(0.0, heads[h].shares.position_position);  // an estimate, which may be negative
    toeplitz += weight * heads[h].position_toeplitz;
    weights += weight;
    interaction += heads[h].interaction / 4.0;
    positional += (heads[h].shares.position_position + heads[h].shares.bias) / 4.0;
  }
  EXPECT_DOUBLE_EQ(start, record.start.contraction);
  EXPECT_DOUBLE_EQ(record.end.product_norm, product);
  EXPECT_NE(record.end.product_norm, record.end.spectral_norm) << "the bias adds to the norm";
  EXPECT_DOUBLE_EQ(record.end.stable_rank, rank);
  EXPECT_DOUBLE_EQ(record.relative_r2, relative);
  EXPECT_DOUBLE_EQ(record.position_toeplitz, toeplitz / weights) << "by how much of the logits it is";
  EXPECT_DOUBLE_EQ(record.logit_interaction, interaction);
  EXPECT_DOUBLE_EQ(record.positional_share, positional);

  session.model().forward(batch);
  const std::vector<StreamStates> states = stream_states(session.model(), batch);
  ASSERT_EQ(states.size(), 3u);
  ASSERT_TRUE(states[0].stream.defined && states[1].stream.defined);
  EXPECT_DOUBLE_EQ(record.stream_position, (states[0].stream.position + states[1].stream.position) / 2.0);
  EXPECT_DOUBLE_EQ(record.stream_interaction, (states[0].stream.interaction + states[1].stream.interaction) / 2.0);
  EXPECT_DOUBLE_EQ(record.stream_interaction_deviation,
                   (states[0].stream.interaction_deviation + states[1].stream.interaction_deviation) / 2.0);
}

TEST(RunMeasures, WhatIsNotDefinedIsNoNumber) {
  // One sequence at a time: hardly a token stands at one place twice, and no head has two estimates of position.
  TrainedRun run({"train.batch=1", "task.gap=2", "task.sides=1", "data.train=40", "data.test=32", "data.validation=0"});
  run.plan.measures = {.spectrum = true};
  ASSERT_TRUE(run.measure());
  const SpectrumRecord record = read_study_spectrum(run.folder / "study_spectrum.json");
  EXPECT_TRUE(std::isnan(record.stream_position));
  EXPECT_TRUE(std::isnan(record.stream_interaction));
  EXPECT_TRUE(std::isnan(record.stream_interaction_deviation));
  EXPECT_FALSE(std::isnan(record.end.spectral_norm));
  EXPECT_TRUE(std::isnan(record.position_toeplitz)) << record.position_toeplitz;
  EXPECT_FALSE(std::isnan(record.positional_share)) << record.positional_share;
  EXPECT_EQ(Json::parse(read_file(run.folder / "study_spectrum.json")).at("stream_position"), nullptr);
}

TEST(RunMeasures, LogitsOfZeroHaveNoShares) {
  Session session(test_backend(), testing_support::tiny_run(), {.training = false});
  session.model().load_parameters(std::vector<float>(static_cast<size_t>(session.model().layout().size())));
  SpectrumRecord record;
  measure_end(session, record);
  EXPECT_EQ(record.end.spectral_norm, 0.0);
  EXPECT_TRUE(std::isnan(record.relative_r2)) << record.relative_r2;
  EXPECT_TRUE(std::isnan(record.position_toeplitz)) << record.position_toeplitz;
  EXPECT_TRUE(std::isnan(record.positional_share)) << record.positional_share;
}

TEST(RunMeasures, LengthsAreThoseOfDirectCalls) {
  TrainedRun run;
  run.plan.measures = {.lengths = {1.0, 1.5}};
  ASSERT_TRUE(run.measure());
  Session session = opened(run);
  std::vector<MeasuredLength> lengths = read_study_lengths(run.folder / "lengths.json");
  ASSERT_EQ(lengths.size(), 2u);
  for (const MeasuredLength& length : lengths) {
    LengthEvaluation direct(session, length.factor);
    ASSERT_TRUE(length.record) << length.reason;
    EXPECT_EQ(length.record->factor, length.factor);
    EXPECT_EQ(length.record->longest, direct.longest());
    EXPECT_EQ(length.record->accuracy, direct.run(1024).accuracy);
  }
  EXPECT_EQ(lengths[0].record->longest, run.plan.config.model.max_length);

  // A plan that asks for more measures what is new, and the file stays in order.
  run.plan.measures.lengths = {1.25, 1.5};
  EXPECT_FALSE(is_measured(run.plan, run.folder));
  std::vector<std::string> told;
  ASSERT_TRUE(run.measure([&](std::string_view what, double) {
    told.emplace_back(what);
    return true;
  }));
  EXPECT_EQ(told.size(), 2u);
  EXPECT_NE(told.back().find("1.25"), std::string::npos) << told.back();
  lengths = read_study_lengths(run.folder / "lengths.json");
  ASSERT_EQ(lengths.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(lengths[i].factor, 1.0 + 0.25 * static_cast<double>(i));
}

TEST(RunMeasures, ALengthThatCannotBeDoneIsStoredWithItsReason) {
  TrainedRun run({"model.encoding=learned"});
  run.plan.measures = {.lengths = {1.0, 2.0}};
  ASSERT_TRUE(run.measure());
  EXPECT_TRUE(is_measured(run.plan, run.folder));
  const Json json = Json::parse(read_file(run.folder / "lengths.json"));
  EXPECT_EQ(json.at("format"), "phasor study lengths 1");
  EXPECT_EQ(json.at("samples"), 1024);
  EXPECT_EQ(json.at("lengths")[0].at("reason"), nullptr);
  EXPECT_EQ(json.at("lengths")[1].at("accuracy"), nullptr);
  EXPECT_NE(json.at("lengths")[1].at("reason").get<std::string>().find("cannot answer"), std::string::npos);
}

TEST(RunMeasures, NothingIsMeasuredTwice) {
  const TrainedRun run;
  ASSERT_TRUE(run.measure());
  const auto before = contents(run.folder);
  std::map<std::string, fs::file_time_type> times;
  for (const auto& [name, content] : before) times[name] = fs::last_write_time(run.folder / name);
  EXPECT_TRUE(run.measure([](std::string_view what, double) {
    ADD_FAILURE() << what;
    return true;
  }));
  EXPECT_EQ(contents(run.folder).size(), before.size());
  for (const auto& [name, time] : times) EXPECT_EQ(fs::last_write_time(run.folder / name), time) << name;
}

TEST(RunMeasures, OnlyWhatIsAskedForIsMeasured) {
  TrainedRun run;
  const size_t trained = contents(run.folder).size();
  run.plan.measures = {};
  EXPECT_TRUE(is_measured(run.plan, run.folder));
  ASSERT_TRUE(run.measure());
  EXPECT_EQ(contents(run.folder).size(), trained);
  run.plan.measures.published = true;
  ASSERT_TRUE(run.measure());
  EXPECT_EQ(contents(run.folder).size(), trained + 1);
  run.plan.measures.snapshots = true;
  ASSERT_TRUE(run.measure());
  EXPECT_EQ(contents(run.folder).size(), trained + 1 + 2 * 3);
  EXPECT_FALSE(fs::exists(run.folder / "ablation.json"));
}

TEST(RunMeasures, StoppedItGoesOnAndGivesTheSameBytes) {
  const TrainedRun run;
  const fs::path other = run.copy("other");
  std::vector<double> shares;
  ASSERT_TRUE(run.measure([&](std::string_view, double share) {
    shares.push_back(share);
    return true;
  }));
  ASSERT_GT(shares.size(), 300u);
  EXPECT_EQ(shares.front(), 0.0);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LT(shares.back(), 1.0);
  EXPECT_GT(shares.back(), 0.5);

  // Longer and longer, so that it ends.
  size_t stops = 0;
  for (size_t calls = 1;; calls += 12) {
    size_t left = calls;
    const bool finished =
        measure_run(test_backend(), run.plan, other, [&](std::string_view, double) { return --left > 0; });
    EXPECT_EQ(is_measured(run.plan, other), finished);
    if (finished) break;
    EXPECT_EQ(left, 0u) << "it went on after it was stopped";
    ++stops;
    ASSERT_LT(calls, shares.size());
  }
  EXPECT_GT(stops, 5u);
  expect_same_files(run.folder, other);
}

TEST(RunMeasures, ItStopsWhereverItIsTold) {
  TrainedRun run;
  run.plan.measures = {.published = true, .spectrum = true, .lengths = {1.0, 2.0}};
  for (const char* word : {"published: heads", "before training", "after training", "streams", "2 times as long"}) {
    size_t calls = 0;
    EXPECT_FALSE(run.measure([&](std::string_view what, double) {
      const bool stop = what.find(word) != std::string_view::npos;
      calls += stop ? 1 : 0;
      return !stop;
    })) << word;
    EXPECT_EQ(calls, 1u) << word;
    EXPECT_EQ(fs::exists(run.folder / "ablation_published.json"), std::string_view(word) != "published: heads");
    EXPECT_EQ(fs::exists(run.folder / "study_spectrum.json"), std::string_view(word) == "2 times as long");
  }
  EXPECT_EQ(read_study_lengths(run.folder / "lengths.json").size(), 1u);
}

TEST(RunMeasures, AnAblationByOtherOptionsIsReplaced) {
  TrainedRun run;
  run.plan.measures = {.ablation = true, .ablation_samples = 40};
  const fs::path other = run.copy("other");
  ASSERT_TRUE(measure_run(test_backend(), run.plan, other));
  // By somebody with fewer samples, and with fewer methods.
  AblationOptions fewer = options_of_command(), poorer = options_of_command();
  fewer.sweep.samples = 24;
  poorer.sweep.methods = {AblationMethod::zero};
  poorer.replace = true;
  for (const AblationOptions& options : {fewer, poorer}) {
    Session session = opened(run);
    ASSERT_TRUE(ablate_to_files(session, run.folder, {}, options));
    EXPECT_FALSE(is_measured(run.plan, run.folder));
    ASSERT_TRUE(run.measure());
    EXPECT_TRUE(is_measured(run.plan, run.folder));
    expect_same_files(run.folder, other);
  }
  // Scores of the right ablation beside the JSON of another: somebody stopped before the verdict.
  {
    Session session = opened(run);
    AblationOptions asked = options_of_command();
    asked.replace = fewer.replace = true;
    ASSERT_TRUE(ablate_to_files(session, run.folder, {}, fewer));
    ASSERT_TRUE(ablate_run(session, run.folder, "ablation", asked));
    EXPECT_FALSE(is_measured(run.plan, run.folder));
    ASSERT_TRUE(run.measure());
    expect_same_files(run.folder, other);
  }
  // Stopped before the verdict, it leaves no JSON of the other ablation that would look like its own.
  Session session = opened(run);
  ASSERT_TRUE(ablate_to_files(session, run.folder, {}, poorer));
  EXPECT_FALSE(run.measure([](std::string_view what, double) { return what.find("verdict") == std::string::npos; }));
  EXPECT_TRUE(fs::exists(run.folder / "ablation.safetensors"));
  EXPECT_FALSE(is_measured(run.plan, run.folder));
  ASSERT_TRUE(run.measure());
  expect_same_files(run.folder, other);
}

TEST(RunMeasures, FewerSamplesThanAskedForAreAllThereAre) {
  TrainedRun run;
  run.plan.measures = {.ablation = true, .ablation_samples = 1024};
  ASSERT_TRUE(run.measure());
  EXPECT_EQ(Json::parse(read_file(run.folder / "ablation.json")).at("samples"), 48);
  EXPECT_TRUE(is_measured(run.plan, run.folder));
  // 48 samples that were asked for are another ablation, if an equal one.
  run.plan.measures.ablation_samples = 48;
  EXPECT_FALSE(is_measured(run.plan, run.folder));
}

TEST(RunMeasures, DamagedFilesAreMeasuredAgain) {
  const TrainedRun run;
  ASSERT_TRUE(run.measure());
  const auto whole = contents(run.folder);
  for (const char* name : {"ablation.json", "ablation.safetensors", "ablation_step_000010.json",
                           "ablation_published.json", "study_spectrum.json", "lengths.json"}) {
    write_file_atomically(run.folder / name, whole.at(name).substr(0, whole.at(name).size() / 2));
    EXPECT_FALSE(is_measured(run.plan, run.folder)) << name;
    ASSERT_TRUE(run.measure()) << name;
    EXPECT_TRUE(read_file(run.folder / name) == whole.at(name)) << name;
    fs::remove(run.folder / name);
    EXPECT_FALSE(is_measured(run.plan, run.folder)) << name;
    ASSERT_TRUE(run.measure()) << name;
    EXPECT_TRUE(read_file(run.folder / name) == whole.at(name)) << name;
  }
}

TEST(RunMeasures, RunsAreMeasuredSideBySide) {
  const TrainedRun first, second({"model.encoding=sinusoidal", "seed=1"});
  const fs::path first_alone = first.copy("alone"), second_alone = second.copy("alone");
  ASSERT_TRUE(measure_run(test_backend(), first.plan, first_alone));
  ASSERT_TRUE(measure_run(test_backend(), second.plan, second_alone));
  std::vector<std::thread> workers;
  for (const TrainedRun* run : {&first, &second}) {
    workers.emplace_back([run] {
      const std::unique_ptr<Backend> backend = testing_support::make_test_backend();
      EXPECT_TRUE(measure_run(*backend, run->plan, run->folder));
    });
  }
  for (std::thread& worker : workers) worker.join();
  expect_same_files(first.folder, first_alone);
  expect_same_files(second.folder, second_alone);
}

TEST(RunMeasures, WhatIsNoTrainedRunIsRefused) {
  TrainedRun run;
  const fs::path unfinished = run.copy("unfinished");
  fs::remove(unfinished / "result.json");
  expect_words(message_of<Error>([&] { measure_run(test_backend(), run.plan, unfinished); }),
               {"unfinished", "no finished run"});
  run.plan.config.seed = 17;
  expect_words(message_of<FormatError>([&] { run.measure(); }), {"model.safetensors", "seed"});
}

}  // namespace run_measures_test
}  // namespace phasor
