// Training from the weights of another run: what it starts with, what it records, how it is resumed.
#include "phasor/run/training_start.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/thread_guard.h"
#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/run/config_json.h"
#include "phasor/run/finished_run.h"
#include "phasor/run/learned_tensors.h"
#include "phasor/run/length_evaluation.h"
#include "phasor/run/trained_model.h"
#include "phasor/train/train_in_folder.h"
#include "run/tiny_run.h"
#include "support/backend.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace training_start_test {

using namespace testing_support;
namespace fs = std::filesystem;

class TrainingStartTest : public testing::Test {
 protected:
  RunFolder trained(const std::string& name, std::initializer_list<const char*> changes = {}) const {
    RunFolder folder(temporary_ / name);
    train_in_folder(test_backend(), tiny_run(changes), folder);
    return folder;
  }

  static TrainingStart start(const RunFolder& source, const std::string& encoding, int64_t steps = 10) {
    RunConfig asked = starting_config(source);
    asked.model.encoding = encoding;
    asked.train.steps = steps;
    return start_from(source, {}, asked);
  }

  static nlohmann::json timeless_result(const RunFolder& folder) {
    auto json = nlohmann::json::parse(read_file(folder.file("result.json")));
    for (const char* name : {"seconds", "tokens_per_second", "xxh64"}) json.erase(name);
    return json;
  }

  static std::string refusal(const RunFolder& source, const RunConfig& asked) {
    return message_of<UsageError>([&] { start_from(source, {}, asked); });
  }

  const ThreadGuard one_thread_{1};
  TemporaryFolder temporary_;
};

TEST_F(TrainingStartTest, BeginsWhereTheSwapLeavesTheModel) {
  const RunFolder source = trained("source"), folder(temporary_ / "dropped");
  ASSERT_EQ(train_in_folder(test_backend(), start(source, "nope"), folder).end, TrainingEnd::finished);
  Session session = open_trained_model(test_backend(), source);
  const Scores swapped = LengthEvaluation(session, 1.0, "nope").run(32);
  const FinishedRun run = read_finished_run(folder);
  EXPECT_EQ(run.history.front().test_loss, swapped.loss);
  EXPECT_EQ(run.history.front().test_accuracy, swapped.accuracy);
  EXPECT_EQ(run.result.steps, 10);
  EXPECT_NE(run.history.back().test_loss, run.history.front().test_loss);
}

TEST_F(TrainingStartTest, SaysInItsFilesWhereItStarted) {
  const RunFolder source = trained("source"), folder(temporary_ / "dropped");
  const TrainingStart begun = start(source, "nope");
  train_in_folder(test_backend(), begun, folder);
  const RunConfig config = folder.load_config();
  EXPECT_EQ(config.start, begun.config.start);
  EXPECT_EQ(config.start.run, config_id(source.load_config()));
  EXPECT_EQ(config.start.encoding, "rope");
  EXPECT_EQ(config.start.step, 20);
  EXPECT_EQ(config.start.samples, 160) << "20 batches of 8";
  EXPECT_EQ(config.start.weights.size(), 16u);
  const auto json = nlohmann::json::parse(read_file(folder.file("result.json")));
  EXPECT_EQ(json.at("start").at("weights"), config.start.weights);
  EXPECT_FALSE(nlohmann::json::parse(read_file(source.file("result.json"))).contains("start"));
  // Other weights are another start.
  const RunFolder other = trained("other", {"seed=1"});
  EXPECT_NE(start(other, "nope").config.start.weights, config.start.weights);
  EXPECT_EQ(start(source, "alibi").config.start.weights, config.start.weights);
  EXPECT_NE(config_id(start(other, "nope").config), config_id(config));
}

TEST_F(TrainingStartTest, IsResumedWithTheSameBitsWithoutTheOtherRun) {
  const RunFolder source = trained("source", {"data.source=stream"});
  const RunFolder whole(temporary_ / "whole"), parts(temporary_ / "parts");
  const TrainingStart begun = start(source, "alibi(slopes=learned)", 17);
  train_in_folder(test_backend(), begun, whole);
  int64_t asked = 0;
  TrainingCallbacks callbacks;
  callbacks.stop = [&] { return asked++ >= 7; };
  EXPECT_EQ(train_in_folder(test_backend(), begun, parts, callbacks).end, TrainingEnd::stopped);
  fs::remove_all(source.path());
  EXPECT_EQ(train_in_folder(test_backend(), begun.config, parts).end, TrainingEnd::finished);
  EXPECT_EQ(read_file(parts.file("metrics.jsonl")), read_file(whole.file("metrics.jsonl")));
  EXPECT_TRUE(read_file(parts.file("model.safetensors")) == read_file(whole.file("model.safetensors")));
  EXPECT_EQ(timeless_result(parts), timeless_result(whole));
}

// Killed before its first state was saved: it starts over from its own copy.
TEST_F(TrainingStartTest, StartsOverFromItsOwnCopy) {
  const RunFolder source = trained("source"), whole(temporary_ / "whole"), again(temporary_ / "again");
  const TrainingStart begun = start(source, "nope");
  train_in_folder(test_backend(), begun, whole);
  again.create(begun.config);
  save_start(again, begun);
  train_in_folder(test_backend(), begun.config, again);
  EXPECT_TRUE(read_file(again.file("model.safetensors")) == read_file(whole.file("model.safetensors")));
  const RunFolder without(temporary_ / "without");
  without.create(begun.config);
  expect_words(message_of<Error>([&] { train_in_folder(test_backend(), begun.config, without); }),
               {"start.safetensors", "phasor train --from"});
}

TEST_F(TrainingStartTest, NewNumbersStartAsInANewModelAndTrainedOnesStay) {
  const RunFolder source = trained("source", {"model.encoding=t5(buckets=8)"}), folder(temporary_ / "more");
  const TrainingStart begun = start(source, "alibi(slopes=learned)+t5(buckets=8)");
  EXPECT_EQ(begun.swap.kept, (std::vector<std::string>{"encoding.t5.bias"}));
  EXPECT_EQ(begun.swap.added.size(), 1u);
  train_in_folder(test_backend(), begun, folder);
  const std::vector<LearnedTensor> before = learned_tensors(source, source.load_config());
  const std::vector<LearnedTensor> after = learned_tensors(folder, folder.load_config());
  ASSERT_EQ(before.size(), 1u);
  ASSERT_EQ(after.size(), 2u);
  for (const LearnedTensor& tensor : after) {
    if (tensor.name == "encoding.t5.bias") {
      EXPECT_EQ(tensor.start, before[0].end) << "the other run's end";
      EXPECT_NE(tensor.end, tensor.start);
    } else {
      EXPECT_EQ(tensor.start, (std::vector<double>{0.0625, 0.00390625})) << "ALiBi's slopes of two heads";
    }
  }
}

TEST_F(TrainingStartTest, DataGoOnWhereTheRunStopped) {
  for (const char* kind : {"data.source=stream", "data.source=fixed"}) {
    const RunFolder source = trained(kind, {kind});
    Session before(test_backend(), source.load_config(), {});
    Session after(test_backend(), start(source, "nope").config, {});
    const std::vector<int32_t> next = before.training_batch(21).tokens;
    EXPECT_EQ(after.training_batch(1).tokens, next) << kind;
    EXPECT_NE(after.training_batch(2).tokens, next) << kind;
    ASSERT_EQ(after.data().test.size(), before.data().test.size());
    for (int64_t i = 0; i < after.data().test.size(); ++i) {
      const auto a = after.data().test.tokens(i), b = before.data().test.tokens(i);
      ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << kind;
    }
  }
}

TEST_F(TrainingStartTest, AStartMayFollowAnother) {
  const RunFolder source = trained("source"), first(temporary_ / "first"), second(temporary_ / "second");
  train_in_folder(test_backend(), start(source, "nope"), first);
  const TrainingStart begun = start(first, "rope");
  EXPECT_EQ(begun.config.start.samples, 240);
  EXPECT_EQ(begun.config.start.encoding, "nope");
  EXPECT_EQ(train_in_folder(test_backend(), begun, second).end, TrainingEnd::finished);
}

TEST_F(TrainingStartTest, ASnapshotIsAStartToo) {
  const RunFolder source = trained("source");
  RunConfig asked = starting_config(source);
  asked.train.steps = 5;
  const TrainingStart begun = start_from(source, 10, asked);
  EXPECT_EQ(begun.config.start.step, 10);
  EXPECT_NE(begun.config.start.weights, start_from(source, {}, asked).config.start.weights);
  EXPECT_THROW(start_from(source, 11, asked), UsageError);
}

TEST_F(TrainingStartTest, RefusesWhatTheWeightsDoNotFit) {
  const RunFolder source = trained("source");
  RunConfig asked = starting_config(source);
  asked.model.encoding = "mla(kv=8,q=8,rope=4)";
  expect_words(refusal(source, asked), {"mla", "projections of its own"});
  asked = starting_config(source);
  asked.model.heads = 4;
  asked.model.kv_heads = 4;
  asked.model.head_width = 4;
  expect_words(refusal(source, asked), {"--from", "model.heads=2", "4"});
  asked = starting_config(source);
  asked.task_values[0] += 1;  // the vocabulary
  asked = config_from_json(config_to_json(asked), "asked");
  expect_words(refusal(source, asked), {"does not fit", "embedding"});
  asked = starting_config(source);
  asked.model.dropout = 0.0;
  EXPECT_NO_THROW(start_from(source, {}, asked));
}

TEST_F(TrainingStartTest, SettingsSayItOnlyWhereItIsSo) {
  const RunConfig plain = tiny_run();
  EXPECT_EQ(canonical_text(plain).find("start."), std::string::npos);
  EXPECT_EQ(config_to_json(plain).find("\"start\""), std::string::npos);
  RunConfig begun = plain;
  begun.start = {
      .weights = "0123456789abcdef", .run = "fedcba9876543210", .encoding = "rope", .step = 20, .samples = 160};
  EXPECT_EQ(config_from_json(config_to_json(begun), "it").start, begun.start);
  EXPECT_NE(config_id(begun), config_id(plain));
  expect_words(canonical_text(begun), {"start.weights=0123456789abcdef\n", "start.samples=160\n"});
  ConfigBuilder builder;
  builder.add_set("start.weights=0123456789abcdef");
  expect_words(message_of<UsageError>([&] { builder.build(); }), {"start.weights", "phasor train --from"});
  std::string text = config_to_json(begun);
  text.replace(text.find("\"samples\""), 9, "\"sampled\"");
  expect_words(message_of<FormatError>([&] { config_from_json(text, "it"); }), {"start.sampled", "start.samples"});
}

}  // namespace training_start_test
}  // namespace phasor
