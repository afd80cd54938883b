#include "phasor/run/config_builder.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>

#include "phasor/base/error.h"
#include "phasor/model/parameters.h"

namespace phasor {
namespace config_builder_test {

ConfigLine line_of(const ConfigBuilder& builder, const std::string& key) {
  for (const ConfigLine& line : builder.explain()) {
    if (line.key == key) return line;
  }
  return {key, "not listed", ""};
}

std::string error_of(const ConfigBuilder& builder) {
  try {
    builder.build();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string json_error(std::string_view text) {
  ConfigBuilder builder;
  try {
    builder.add_json(text, "runs.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return error_of(builder);
}

void expect_line(const ConfigBuilder& builder, const std::string& key, const std::string& value,
                 const std::string& source) {
  const ConfigLine line = line_of(builder, key);
  EXPECT_EQ(line.value, value) << key;
  EXPECT_EQ(line.source, source) << key;
}

void expect_values(const std::string& preset, const std::map<std::string, std::string>& values) {
  ConfigBuilder builder;
  builder.add_option("--preset", "preset", preset);
  for (const auto& [key, value] : values) expect_line(builder, key, value, "preset " + preset);
}

// The table of sizes in the documentation.
TEST(Presets, HaveTheDocumentedSizes) {
  const std::map<std::string, std::string> quick = {
      {"task.vocabulary", "64"}, {"task.gap", "24"},     {"task.sides", "8"},     {"data.train", "20000"},
      {"data.test", "4096"},     {"model.width", "64"},  {"model.hidden", "128"}, {"model.heads", "4"},
      {"model.layers", "3"},     {"model.dropout", "0"}, {"train.batch", "128"},  {"train.steps", "2000"},
      {"train.lr", "0.001"}};
  expect_values("quick", quick);
  std::map<std::string, std::string> demo = quick;
  demo["train.steps"] = "600";
  expect_values("demo", demo);
  expect_values("paper", {{"task.vocabulary", "574"},
                          {"task.gap", "70"},
                          {"task.sides", "25"},
                          {"data.train", "70000"},
                          {"data.test", "30000"},
                          {"model.width", "256"},
                          {"model.hidden", "512"},
                          {"model.heads", "16"},
                          {"model.layers", "6"},
                          {"model.dropout", "0.1"},
                          {"train.batch", "512"},
                          {"train.lr", "0.0001"},
                          {"train.steps", "13672"}});  // 100 epochs: 100 * 70000 / 512, rounded up
}

TEST(Presets, ShareWarmUpAndEvaluation) {
  for (const char* preset : {"demo", "quick", "paper"}) {
    ConfigBuilder builder;
    builder.add_set(std::string("preset=") + preset);
    expect_line(builder, "train.warmup", "0.06", "default");
    expect_line(builder, "train.evaluate_every", "50", "default");
  }
}

TEST(Protocols, CleanExpandsToExplicitValues) {
  const ConfigBuilder builder;
  expect_line(builder, "model.final_norm", "true", "protocol clean");
  expect_line(builder, "model.init", "torch", "protocol clean");
  expect_line(builder, "train.beta1", "0.9", "protocol clean");
  expect_line(builder, "train.beta2", "0.98", "protocol clean");
  expect_line(builder, "train.weight_decay", "0.01", "protocol clean");
  expect_line(builder, "protocol.kv_source", "hidden", "default");
}

TEST(Protocols, ReleasedExpandsToWhatThePublicCodeDoes) {
  ConfigBuilder builder;
  builder.add_set("protocol=released");
  builder.add_set("preset=paper");
  for (const auto& [key, value] :
       std::vector<std::pair<const char*, const char*>>{{"model.final_norm", "false"},
                                                        {"train.beta1", "0.98"},
                                                        {"train.beta2", "0.9"},
                                                        {"train.weight_decay", "1e-05"},
                                                        {"task.fillers", "any"},
                                                        {"protocol.kv_source", "input"},
                                                        {"protocol.padding", "visible"},
                                                        {"protocol.classes", "words"},
                                                        {"protocol.label0", "ignored"},
                                                        {"protocol.ablation_set", "all"},
                                                        {"protocol.head_ablation", "cumulative"}}) {
    expect_line(builder, key, value, "protocol released");
  }
  expect_line(builder, "train.lr", "0.0001", "preset paper");
  const ModelConfig model = builder.build().model;
  EXPECT_EQ(model.max_length, 128);
  EXPECT_EQ(model.classes, 574);
}

// paper.md, section 3: counted from the released code.
TEST(Protocols, ReleasedModelsHaveTheReleasedNumberOfParameters) {
  const auto parameters = [](const char* protocol, const char* encoding) {
    ConfigBuilder builder;
    builder.add_option("--protocol", "protocol", protocol);
    builder.add_option("--encoding", "model.encoding", encoding);
    builder.add_set("preset=paper");
    ModelConfig model = builder.build().model;
    if (protocol == std::string("released_mla")) model.max_length = 128;  // positions of its table
    return ParameterLayout(model, resolve_encoding(model)).count();
  };
  EXPECT_EQ(parameters("released", "nope"), 3457086);
  EXPECT_EQ(parameters("released", "sinusoidal"), 3457086);
  EXPECT_EQ(parameters("released", "alibi(slopes=released)"), 3457086);
  EXPECT_EQ(parameters("released", "sinusoidal(layout=halves)+rope"), 3457086);
  EXPECT_EQ(parameters("released", "rope[heads=0-1]"), 3457086);
  EXPECT_EQ(parameters("released", "relative"), 3457086 + 24480);
  EXPECT_EQ(parameters("released", "learned(init=1)"), 3457086 + 32768);
  EXPECT_EQ(parameters("released_mla", "learned(init=0)+mla(query=shared,table=released,norm=none)"), 3324478);
}

TEST(Protocols, EachSwitchCanBeSetAlone) {
  for (const std::string set :
       {"protocol.kv_source=input", "protocol.padding=visible", "model.final_norm=false", "task.fillers=any",
        "train.beta1=0.98", "train.beta2=0.9", "train.weight_decay=1e-05", "protocol.label0=ignored",
        "protocol.classes=words", "protocol.ablation_set=all", "protocol.head_ablation=cumulative"}) {
    ConfigBuilder builder;
    builder.add_set(set);
    const size_t equals = set.find('=');
    expect_line(builder, set.substr(0, equals), set.substr(equals + 1), "--set");
    // And away from `released`.
    const std::string clean = line_of(ConfigBuilder(), set.substr(0, equals)).value;
    ConfigBuilder back;
    back.add_set("protocol=released");
    back.add_set(set.substr(0, equals + 1) + clean);
    expect_line(back, set.substr(0, equals), clean, "--set");
  }
}

TEST(ConfigBuilder, ATaskThatNeedsItMakesTheModelCausal) {
  ConfigBuilder builder;
  builder.add_set("task=copy");
  expect_line(builder, "model.causal", "true", "task copy");
}

TEST(ConfigBuilder, WithoutAnythingItIsQuickRopeOnDistance) {
  const RunConfig config = ConfigBuilder().build();
  EXPECT_EQ(config.preset, "quick");
  EXPECT_EQ(config.protocol, "clean");
  EXPECT_EQ(config.task, "distance");
  EXPECT_EQ(config.task_values, (TaskValues{64, 24, 8, 0, 0, 0, 0, 0}));
  EXPECT_EQ(config.model.encoding, "rope");
  EXPECT_EQ(config.model.head_width, 16);
  EXPECT_EQ(config.train.steps, 2000);
}

TEST(ConfigBuilder, EveryValueRemembersItsSource) {
  ConfigBuilder builder;
  builder.add_json(R"({"train": {"lr": 0.01}, "model.layers": 2})", "runs.json");
  builder.add_option("--encoding", "model.encoding", "alibi");
  builder.add_set("model.width=128");
  expect_line(builder, "preset", "quick", "default");
  expect_line(builder, "train.lr", "0.01", "file runs.json");
  expect_line(builder, "model.layers", "2", "file runs.json");
  expect_line(builder, "model.encoding", "alibi", "--encoding");
  expect_line(builder, "model.width", "128", "--set");
  expect_line(builder, "train.batch", "128", "preset quick");
  expect_line(builder, "task.gap", "24", "preset quick");
  expect_line(builder, "train.epsilon", "1e-08", "default");
  expect_line(builder, "model.head_width", "32", "model.width / model.heads");
  expect_line(builder, "model.kv_heads", "4", "as model.heads");
}

TEST(ConfigBuilder, StrongerSourcesWinInAnyOrderOfCalls) {
  ConfigBuilder builder;
  builder.add_set("train.steps=3");
  builder.add_option("--steps", "train.steps", "2");
  builder.add_json(R"({"train.steps": 1})", "runs.json");
  builder.add_option("--preset", "preset", "paper");
  expect_line(builder, "train.steps", "3", "--set");
  expect_line(builder, "train.batch", "512", "preset paper");

  ConfigBuilder without_set;
  without_set.add_option("--steps", "train.steps", "2");
  without_set.add_json(R"({"train.steps": 1})", "runs.json");
  expect_line(without_set, "train.steps", "2", "--steps");
}

TEST(ConfigBuilder, TheLaterOfTwoEqualsWins) {
  ConfigBuilder builder;
  builder.add_set("train.steps=3");
  builder.add_set("train.steps=4");
  EXPECT_EQ(builder.build().train.steps, 4);
}

TEST(ConfigBuilder, AnOverriddenValueIsStillChecked) {
  ConfigBuilder builder;
  builder.add_set("train.steps=x");
  builder.add_set("train.steps=4");
  EXPECT_EQ(error_of(builder), "train.steps: 'x' is not a whole number");
}

TEST(ConfigBuilder, PresetOfAFileGivesWayToTheCommandLine) {
  ConfigBuilder builder;
  builder.add_json(R"({"preset": "paper", "model.width": 32})", "runs.json");
  expect_line(builder, "preset", "paper", "file runs.json");
  expect_line(builder, "train.batch", "512", "preset paper");
  expect_line(builder, "task.gap", "70", "preset paper");
  builder.add_option("--preset", "preset", "demo");
  expect_line(builder, "train.batch", "128", "preset demo");
  expect_line(builder, "task.gap", "24", "preset demo");
  expect_line(builder, "model.width", "32", "file runs.json");
}

TEST(ConfigBuilder, TaskOptionsMoveWhatFollowsFromThem) {
  ConfigBuilder builder;
  builder.add_set("task.gap=10");
  builder.add_set("task.sides=3");
  const RunConfig config = builder.build();
  EXPECT_EQ(config.task_values, (TaskValues{64, 10, 3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(config.model.classes, 10);
  EXPECT_EQ(config.model.max_length, 18);
}

TEST(ConfigBuilder, EvaluationShrinksWithTheDataUnlessAskedFor) {
  ConfigBuilder builder;
  builder.add_set("data.train=1000");
  expect_line(builder, "train.evaluation_samples", "1000", "all of data.train");
  builder.add_set("train.evaluation_samples=2000");
  EXPECT_EQ(error_of(builder), "train.evaluation_samples: 2000 is more than data.train=1000; at most 1000");
}

TEST(ConfigFile, GroupsDotsCommentsAndEveryTypeOfValue) {
  ConfigBuilder builder;
  builder.add_json(R"({
    // one run
    "task": {"name": "distance", "gap": 12},
    "task.sides": 4,
    "model": {"causal": true, "dropout": 0.125, "ffn": "gelu", "width": 128.0},
    "train": {"snapshots": [100, 5], "lr": 1, /* short */ "steps": 200},
    "protocol": "clean",
    "seed": 18446744073709551615
  })",
                   "runs.json");
  const RunConfig config = builder.build();
  EXPECT_EQ(config.task_values, (TaskValues{64, 12, 4, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(config.model.causal);
  EXPECT_EQ(config.model.dropout, 0.125);
  EXPECT_EQ(config.model.ffn, Activation::gelu);
  EXPECT_EQ(config.model.width, 128);
  EXPECT_EQ(config.train.snapshots, (std::vector<int64_t>{5, 100}));
  EXPECT_EQ(config.train.learning_rate, 1.0);
  EXPECT_EQ(config.train.steps, 200);
  EXPECT_EQ(config.seed, 18446744073709551615u);
}

TEST(ConfigFile, NumbersKeepEveryBit) {
  ConfigBuilder builder;
  builder.add_json(R"({"train.lr": 0.00012345678901234567})", "runs.json");
  EXPECT_EQ(builder.build().train.learning_rate, 0.00012345678901234567);
}

TEST(ConfigFile, ErrorsNameTheFileAndTheKey) {
  EXPECT_EQ(json_error(R"({"model.width": "abc"})"), "runs.json: model.width: 'abc' is not a whole number");
  EXPECT_EQ(json_error(R"({"model": {"widht": 3}})"),
            "runs.json: unknown key 'model.widht'; did you mean 'model.width'?");
  EXPECT_EQ(json_error(R"({"train": {"batch": -3}})"), "runs.json: train.batch: -3 is out of range, at least 1");
  EXPECT_EQ(json_error(R"({"model.width": 1.5})"), "runs.json: model.width: '1.5' is not a whole number");
  EXPECT_EQ(json_error(R"({"model.width": [1, 2]})"), "runs.json: model.width: '1,2' is not a whole number");
  EXPECT_EQ(json_error(R"({"model.width": null})"),
            "runs.json: model.width: null is no value; leave the key out for its default");
  EXPECT_EQ(json_error(R"({"train.snapshots": [1, [2]]})"),
            "runs.json: train.snapshots: [2] is no value; leave the key out for its default");
  EXPECT_EQ(json_error(R"({"seed": 1, "seed": 2})"), "runs.json: 'seed' is given twice");
  EXPECT_EQ(json_error(R"({"train": {"lr": 1}, "train.lr": 2})"), "runs.json: 'train.lr' is given twice");
  EXPECT_EQ(json_error(R"({"model": {"ffn": "swiglu"}})"),
            "runs.json: model.ffn=swiglu is not built yet; this version has relu, gelu");
  EXPECT_EQ(json_error(R"({"preset": "qick"})"), "runs.json: preset: 'qick' is not known; did you mean 'quick'?");
  EXPECT_EQ(json_error("[1]"), "runs.json: the outermost value must be an object of keys, {\"model.width\": 64}");
  EXPECT_EQ(json_error(R"({"model.encoding": "roppe"})").find("runs.json: "), 0u);
}

TEST(ConfigFile, MalformedJsonIsPlacedOnOneLine) {
  const std::string text = json_error("{\n  \"seed\": 1,\n  \"train\" 2\n}");
  EXPECT_EQ(text.find("runs.json: not valid JSON: parse error at line 3, column "), 0u) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_EQ(json_error(R"({"seed": 3e045359342})"), "runs.json: not valid JSON: number overflow parsing '3e045359342'");
}

TEST(ConfigFile, IsReadFromDisk) {
  const std::string path = testing::TempDir() + "config_builder_test.json";
  std::ofstream(path) << R"({"train.steps": 12})";
  ConfigBuilder builder;
  builder.add_file(path);
  expect_line(builder, "train.steps", "12", "file " + path);
  std::remove(path.c_str());
  EXPECT_THROW(builder.add_file(path), Error);
}

}  // namespace config_builder_test
}  // namespace phasor
