#include "phasor/run/run_folder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "phasor/base/error.h"
#include "phasor/base/file.h"
#include "phasor/base/seal.h"
#include "phasor/checkpoint/safetensors.h"
#include "phasor/run/config_json.h"
#include "phasor/run/session.h"
#include "run/tiny_run.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace run_folder_test {

using testing_support::tiny_run;

ParameterLayout layout_of(const RunConfig& config) { return {config.model, resolve_encoding(config.model)}; }

// Every kind of float that a checkpoint may meet.
std::vector<float> awkward_values(const ParameterLayout& layout, float sign) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values(static_cast<size_t>(layout.size()));
  for (const Parameter& entry : layout.entries()) {
    for (int64_t i = entry.offset; i < entry.offset + entry.size; ++i) {
      values[static_cast<size_t>(i)] = sign * (1.0f + static_cast<float>(i)) / 3.0f;
    }
  }
  values[0] = -0.0f;
  values[1] = Limits::denorm_min();
  values[2] = Limits::max();
  values[3] = Limits::infinity();
  return values;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class RunFolderTest : public testing::Test {
 protected:
  TemporaryFolder temporary_;
  RunFolder folder_{temporary_ / "run"};
  RunConfig config_ = tiny_run();
  ParameterLayout layout_ = layout_of(config_);
};

TEST_F(RunFolderTest, KeepsTheConfiguration) {
  EXPECT_FALSE(folder_.exists());
  folder_.create(config_);
  EXPECT_TRUE(folder_.exists());
  EXPECT_FALSE(folder_.complete());
  EXPECT_EQ(config_to_json(folder_.load_config()), config_to_json(config_));
}

// The file as a version wrote it whose dropout drew other masks.
void make_older(const std::filesystem::path& path) {
  const SafetensorsFile state = SafetensorsFile::open(path);
  SafetensorsWriter writer;
  for (const std::string& name : state.names()) {
    writer.add_bytes(name, state.tensor(name).dtype, state.tensor(name).shape, state.bytes(name));
  }
  for (const auto& [key, value] : state.metadata()) {
    if (key != kSealKey) writer.set_metadata(key, key == "format" ? "phasor state 1" : value);
  }
  writer.write(path);
}

TEST_F(RunFolderTest, AModelKnowsWhatItWasTrainedWith) {
  folder_.create(config_);
  folder_.save_model(layout_, awkward_values(layout_, 1.0f), config_, config_.train.steps, "model.safetensors");
  EXPECT_NO_THROW(folder_.check_model(config_, "model.safetensors"));
  RunConfig other = config_;
  other.model.heads *= 2;
  expect_words(message_of<FormatError>([&] { folder_.check_model(other, "model.safetensors"); }),
               {"model.safetensors", "was trained with model.heads=", "config.json says"});
  folder_.save_model(layout_, awkward_values(layout_, 1.0f), config_, 1, "model.safetensors");
  expect_words(message_of<FormatError>([&] { folder_.check_model(config_, "model.safetensors"); }),
               {"model.safetensors", "weights of step 1"});
}

TEST_F(RunFolderTest, IsMadeInsideFoldersThatAreNotThere) {
  const RunFolder deep(temporary_ / "a/b/run");
  deep.create(config_);
  EXPECT_TRUE(deep.exists());
}

TEST_F(RunFolderTest, RefusesWhatHoldsSomethingAlready) {
  folder_.create(config_);
  expect_words(message_of<UsageError>([&] { folder_.create(config_); }), {"contains a run already", "--resume"});
  std::filesystem::create_directories(temporary_ / "mine");
  write_file_atomically(temporary_ / "mine/thesis.txt", std::string_view("years of work"));
  expect_words(message_of<UsageError>([&] { RunFolder(temporary_ / "mine").create(config_); }), {"mine", "not empty"});
  expect_words(message_of<UsageError>([&] { RunFolder(temporary_ / "mine/thesis.txt").create(config_); }),
               {"thesis.txt", "is a file"});
  EXPECT_EQ(read_file(temporary_ / "mine/thesis.txt"), "years of work");
}

TEST_F(RunFolderTest, WithoutARunSaysSo) {
  expect_words(message_of<UsageError>([&] { folder_.load_config(); }), {"run", "config.json"});
  EXPECT_EQ(folder_.load_state(layout_), std::nullopt);
  EXPECT_TRUE(folder_.load_metrics().empty());
}

TEST_F(RunFolderTest, GivesBackTheModelBitForBit) {
  folder_.create(config_);
  const std::vector<float> values = awkward_values(layout_, 1.0f);
  folder_.save_model(layout_, values, config_, 7, "model.safetensors");
  EXPECT_TRUE(same_bits(folder_.load_model(layout_, "model.safetensors"), values));
  const auto file = SafetensorsFile::open(folder_.file("model.safetensors"));
  EXPECT_EQ(file.names().size(), layout_.entries().size());
  EXPECT_EQ(file.metadata().at("step"), "7");
  EXPECT_EQ(file.metadata().at("config"), canonical_text(config_));
}

TEST_F(RunFolderTest, KeepsSnapshotsByStep) {
  folder_.create(config_);
  EXPECT_EQ(snapshot_name(100), "snapshots/step_000100.safetensors");
  const std::vector<float> values = awkward_values(layout_, 1.0f);
  folder_.save_model(layout_, values, config_, 100, snapshot_name(100));
  EXPECT_TRUE(same_bits(folder_.load_model(layout_, snapshot_name(100)), values));
}

TEST_F(RunFolderTest, GivesBackTheStateBitForBit) {
  folder_.create(config_);
  LossSpikes spikes;
  for (int i = 0; i < 60; ++i) spikes.add(1.0 / (1.0 + i), false);
  const TrainingState state{.step = 12,
                            .tokens = (int64_t{1} << 40) + 1,
                            .seconds = 0.1,
                            .batch_loss = 1.0 / 3.0,
                            .gradient_norm = 1e-300,
                            .spikes = spikes,
                            .parameters = awkward_values(layout_, 1.0f),
                            .first_moment = awkward_values(layout_, -2.0f),
                            .second_moment = awkward_values(layout_, 0.5f)};
  folder_.save_state(layout_, state);
  const std::optional<TrainingState> loaded = folder_.load_state(layout_);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->step, state.step);
  EXPECT_EQ(loaded->tokens, state.tokens);
  EXPECT_EQ(loaded->seconds, state.seconds);
  EXPECT_EQ(loaded->batch_loss, state.batch_loss);
  EXPECT_EQ(loaded->gradient_norm, state.gradient_norm);
  EXPECT_EQ(loaded->spikes.stored(), spikes.stored());
  EXPECT_TRUE(same_bits(loaded->parameters, state.parameters));
  EXPECT_TRUE(same_bits(loaded->first_moment, state.first_moment));
  EXPECT_TRUE(same_bits(loaded->second_moment, state.second_moment));
}

TEST_F(RunFolderTest, AnOlderStateResumesRunsWithoutDropoutOnly) {
  for (const char* dropout : {"0", "0.1"}) {
    const RunConfig config = tiny_run({dropout == std::string("0") ? "model.dropout=0" : "model.dropout=0.1"});
    const RunFolder folder(temporary_ / (std::string("dropout") + dropout));
    folder.create(config);
    const std::vector<float> values = awkward_values(layout_, 1.0f);
    const TrainingState state{.step = 3,
                              .config = canonical_text(config),
                              .parameters = values,
                              .first_moment = values,
                              .second_moment = values};
    folder.save_state(layout_, state);
    EXPECT_EQ(folder.load_state(layout_)->step, 3);
    make_older(folder.file("state.safetensors"));
    if (dropout == std::string("0")) {
      EXPECT_EQ(folder.load_state(layout_)->step, 3);
    } else {
      expect_words(message_of<FormatError>([&] { folder.load_state(layout_); }),
                   {"state.safetensors", "older version", "dropout of 0.1", "new folder"});
    }
  }
}

TEST_F(RunFolderTest, RefusesAModelOfAnotherShape) {
  folder_.create(config_);
  folder_.save_model(layout_, awkward_values(layout_, 1.0f), config_, 1, "model.safetensors");
  const ParameterLayout wider = layout_of(tiny_run({"model.hidden=32"}));
  expect_words(message_of<FormatError>([&] { folder_.load_model(wider, "model.safetensors"); }),
               {"model.safetensors", "layers.0.ffn.up.weight", "24", "32"});
}

TEST_F(RunFolderTest, RefusesAModelThatLacksATensor) {
  folder_.create(config_);
  folder_.save_model(layout_, awkward_values(layout_, 1.0f), config_, 1, "model.safetensors");
  const ParameterLayout deeper = layout_of(tiny_run({"model.layers=2"}));
  expect_words(message_of<FormatError>([&] { folder_.load_model(deeper, "model.safetensors"); }),
               {"model.safetensors", "no tensor", "layers.1."});
  const ParameterLayout learned = layout_of(tiny_run({"model.encoding=learned"}));
  expect_words(message_of<FormatError>([&] { folder_.load_model(learned, "model.safetensors"); }),
               {"model.safetensors", "no tensor", "encoding.learned"});
}

TEST_F(RunFolderTest, RefusesCutFiles) {
  folder_.create(config_);
  const std::vector<float> values = awkward_values(layout_, 1.0f);
  folder_.save_model(layout_, values, config_, 1, "model.safetensors");
  folder_.save_state(layout_, {.step = 1, .parameters = values, .first_moment = values, .second_moment = values});
  for (const char* name : {"model.safetensors", "state.safetensors"}) {
    const std::string whole = read_file(folder_.file(name));
    for (const size_t kept : {size_t{0}, size_t{5}, size_t{100}, whole.size() / 2, whole.size() - 1}) {
      write_file_atomically(folder_.file(name), std::string_view(whole).substr(0, kept));
      const std::string message = message_of<FormatError>([&] {
        if (name == std::string("model.safetensors")) {
          folder_.load_model(layout_, name);
        } else {
          folder_.load_state(layout_);
        }
      });
      expect_words(message, {name});
    }
  }
}

TEST_F(RunFolderTest, RefusesAModelThatIsNotThere) {
  folder_.create(config_);
  expect_words(message_of<Error>([&] { folder_.load_model(layout_, "model.safetensors"); }), {"model.safetensors"});
}

Metrics at(int64_t step) {
  Metrics metrics;
  metrics.step = step;
  metrics.test_loss = 1.0 / static_cast<double>(step + 3);
  return metrics;
}

TEST_F(RunFolderTest, RewindsMetrics) {
  folder_.create(config_);
  std::string kept;
  std::string text;
  for (const int64_t step : {0, 5, 10, 15}) {
    text += to_json_line(at(step)) + "\n";
    if (step <= 10) kept += to_json_line(at(step)) + "\n";
  }
  write_file_atomically(folder_.file("metrics.jsonl"), text);
  EXPECT_EQ(folder_.load_metrics().size(), 4u);
  const std::vector<Metrics> history = folder_.rewind_metrics(12);
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history.back().step, 10);
  EXPECT_EQ(history.back().test_loss, at(10).test_loss);
  EXPECT_EQ(read_file(folder_.file("metrics.jsonl")), kept);
  EXPECT_TRUE(folder_.rewind_metrics(-1).empty());
  EXPECT_EQ(read_file(folder_.file("metrics.jsonl")), "");
}

TEST_F(RunFolderTest, ALineCutByACrashDoesNotCount) {
  folder_.create(config_);
  const std::string whole = to_json_line(at(0)) + "\n";
  write_file_atomically(folder_.file("metrics.jsonl"), whole + to_json_line(at(5)).substr(0, 20));
  EXPECT_EQ(folder_.load_metrics().size(), 1u);
  EXPECT_EQ(folder_.rewind_metrics(100).size(), 1u);
  EXPECT_EQ(read_file(folder_.file("metrics.jsonl")), whole);
}

TEST_F(RunFolderTest, ABadLineIsNamedByNumber) {
  folder_.create(config_);
  write_file_atomically(folder_.file("metrics.jsonl"),
                        to_json_line(at(0)) + "\nnonsense\n" + to_json_line(at(5)) + "\n");
  expect_words(message_of<FormatError>([&] { folder_.load_metrics(); }), {"metrics.jsonl:2"});
}

}  // namespace run_folder_test
}  // namespace phasor
