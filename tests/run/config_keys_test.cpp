#include "phasor/run/config_keys.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "phasor/base/error.h"
#include "phasor/encoding/syntax/other_spellings.h"
#include "phasor/run/config_builder.h"
#include "phasor/run/settings_text.h"
#include "run/tiny_run.h"
#include "support/temporary_folder.h"

namespace phasor {
namespace config_keys_test {

using testing_support::tiny_run;

std::vector<ConfigKey> distance_keys() { return config_keys(find_task("distance")); }

std::string error_of(std::string_view assignment) {
  ConfigBuilder builder;
  try {
    builder.add_set(assignment);
    builder.build();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConfigKeys, NamesAreUniqueAndEveryKeyTeaches) {
  std::set<std::string> names;
  for (const ConfigKey& key : distance_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_FALSE(key.help.empty()) << key.name;
    EXPECT_FALSE(key.range.empty()) << key.name;
  }
  std::istringstream documented(
      "preset seed task task.vocabulary task.gap task.sides task.triggers task.fillers task.length task.readout "
      "task.answer model.encoding "
      "model.layers model.width "
      "model.hidden model.heads model.kv_heads model.head_width model.ffn model.norm model.residual "
      "model.final_norm model.qk_norm model.window model.softcap model.tied model.logit_scale model.causal "
      "model.dropout "
      "model.dropout_sites model.init train.steps train.batch train.lr train.warmup train.beta1 train.beta2 "
      "train.epsilon "
      "train.weight_decay train.clip train.evaluate_every train.evaluation_samples train.evaluation_tests "
      "train.checkpoint_every "
      "train.snapshots train.precision data.source data.train data.test data.validation data.seed telemetry.spectrum "
      "protocol "
      "protocol.kv_source protocol.padding protocol.padded_length protocol.classes protocol.label0 "
      "protocol.ablation_set protocol.head_ablation");
  for (std::string name; documented >> name;) {
    EXPECT_EQ(names.erase(name), 1u) << name;
  }
  EXPECT_TRUE(names.empty()) << "not listed here: " << *names.begin();
}

TEST(ConfigKeys, EveryValueReadsBackAsWritten) {
  const RunConfig config = ConfigBuilder().build();
  for (const ConfigKey& key : distance_keys()) {
    RunConfig copy = config;
    key.set(copy, key.get(config));
    EXPECT_EQ(key.get(copy), key.get(config)) << key.name;
  }
}

struct Change {
  const char* key;
  const char* text;
};

// Each key moves its own value and no other's.
TEST(ConfigKeys, EachReachesItsFieldAlone) {
  const std::vector<Change> changes = {{"preset", "paper"},
                                       {"seed", "18446744073709551615"},
                                       {"task.vocabulary", "100"},
                                       {"task.gap", "12"},
                                       {"task.sides", "5"},
                                       {"model.encoding", "alibi"},
                                       {"model.layers", "5"},
                                       {"model.width", "96"},
                                       {"model.hidden", "77"},
                                       {"model.heads", "2"},
                                       {"model.kv_heads", "1"},
                                       {"model.head_width", "24"},
                                       {"model.ffn", "gelu"},
                                       {"model.norm", "rms"},
                                       {"model.final_norm", "false"},
                                       {"model.causal", "true"},
                                       {"model.dropout", "0.25"},
                                       {"model.init", "normal(0.5)"},
                                       {"train.steps", "7"},
                                       {"train.batch", "3"},
                                       {"train.lr", "0.5"},
                                       {"train.warmup", "0.5"},
                                       {"train.beta1", "0.5"},
                                       {"train.beta2", "0.5"},
                                       {"train.epsilon", "0.5"},
                                       {"train.weight_decay", "0.5"},
                                       {"train.clip", "0.5"},
                                       {"train.evaluate_every", "7"},
                                       {"train.evaluation_samples", "7"},
                                       {"train.evaluation_tests", "7"},
                                       {"train.checkpoint_every", "7"},
                                       {"train.snapshots", "1,2"},
                                       {"train.precision", "bf16"},
                                       {"data.train", "7"},
                                       {"data.test", "7"},
                                       {"data.seed", "7"},
                                       {"telemetry.spectrum", "7"}};
  const RunConfig before = ConfigBuilder().build();
  const std::vector<ConfigKey> keys = distance_keys();
  for (const Change& change : changes) {
    RunConfig after = before;
    find_key(keys, change.key).set(after, change.text);
    for (const ConfigKey& key : keys) {
      if (key.name == change.key) {
        EXPECT_EQ(key.get(after), change.text);
        EXPECT_NE(key.get(before), change.text) << key.name << ": the test must change the value";
      } else {
        EXPECT_EQ(key.get(after), key.get(before)) << key.name << " moved with " << change.key;
      }
    }
  }
}

struct Refusal {
  const char* assignment;
  const char* text;
};

void expect_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) EXPECT_EQ(error_of(refusal.assignment), refusal.text) << refusal.assignment;
}

TEST(ConfigKeys, RefusesWhatIsNotOfItsTypeOrRange) {
  expect_refusals(
      {{"model.width=abc", "model.width: 'abc' is not a whole number"},
       {"train.batch=-3", "train.batch: -3 is out of range, at least 1"},
       {"train.batch=", "train.batch: '' is not a whole number"},
       {"train.steps=0", "train.steps: 0 is out of range, 1 to 2147483647"},
       {"train.lr=fast", "train.lr: 'fast' is not a number"},
       {"train.lr=0", "train.lr: 0 is out of range, above 0"},
       {"train.beta1=1", "train.beta1: 1 is out of range, at least 0 and below 1"},
       {"train.warmup=6", "train.warmup: 6 is out of range, at least 0 and at most 1"},
       {"model.dropout=1", "model.dropout: 1 is out of range, at least 0 and below 1"},
       {"model.causal=1", "model.causal: '1' is neither true nor false"},
       {"train.snapshots=5,x", "train.snapshots: 'x' is not a whole number"},
       {"telemetry.spectrum=-1", "telemetry.spectrum: -1 is out of range, 0 to 2147483647"},
       {"seed=-1", "seed: -1 is out of range, 0 to 18446744073709551615"},
       {"task.gap=1", "task.gap: 1 is out of range, 2 to 16384"},
       {"model.init=xavier", "model.init: 'xavier' is neither torch nor normal(DEVIATION), for example normal(0.02)"},
       {"model.init=normal(",
        "model.init: 'normal(' is neither torch nor normal(DEVIATION), for "
        "example normal(0.02)"},
       {"model.init=",
        "model.init: '' is neither torch nor normal(DEVIATION), for example "
        "normal(0.02)"},
       {"model.init=normal(-1)", "model.init: -1 is out of range, above 0"},
       {"model.encoding=", "model.encoding: the expression is empty; nope means no encoding"}});
}

TEST(ConfigKeys, RefusesUnknownWords) {
  expect_refusals({{"model.ffn=rellu", "model.ffn: 'rellu' is not known; did you mean 'relu'?"},
                   {"model.norm=batch", "model.norm: 'batch' is not known; known: layer, rms"},
                   {"train.precision=fp16", "train.precision: 'fp16' is not known; known: fp32, bf16"},
                   {"preset=qick", "preset: 'qick' is not known; did you mean 'quick'?"},
                   {"task=distanse", "task: 'distanse' is not known; did you mean 'distance'?"},
                   {"protocol=clear", "protocol: 'clear' is not known; did you mean 'clean'?"},
                   {"model.width",
                    "--set model.width: a key and a value are needed, for example --set "
                    "model.width=128"},
                   {"=3", "--set =3: a key and a value are needed, for example --set model.width=128"}});
}

TEST(ConfigKeys, RefusesByNameWhatIsNotBuilt) {
  expect_refusals({{"model.ffn=swiglu", "model.ffn=swiglu is not built yet; this version has relu, gelu"},
                   {"model.residual=parallel", "model.residual=parallel is not built yet; this version has pre"},
                   {"model.qk_norm=true", "model.qk_norm=true is not built yet; this version has false"},
                   {"model.window=128", "model.window=128 is not built yet; this version has 0"},
                   {"model.window=wide", "model.window: 'wide' is not a whole number"},
                   {"model.softcap=30.5", "model.softcap=30.5 is not built yet; this version has 0"},
                   {"model.tied=true", "model.tied=true is not built yet; this version has false"},
                   {"protocol.kv_source=hiden", "protocol.kv_source: 'hiden' is not known; did you mean 'hidden'?"}});
}

TEST(ConfigKeys, AcceptsTheOneBuiltValue) {
  expect_refusals({{"model.residual=pre", "accepted"},
                   {"model.qk_norm=false", "accepted"},
                   {"model.window=0", "accepted"},
                   {"model.softcap=0.0", "accepted"},
                   {"protocol=clean", "accepted"}});
}

TEST(ConfigKeys, RefusesUnknownKeysWithTheNearest) {
  expect_refusals({{"model.widht=3", "unknown key 'model.widht'; did you mean 'model.width'?"},
                   {"width=3", "unknown key 'width'; did you mean 'model.width'?"},
                   {"gap=3", "unknown key 'gap'; did you mean 'task.gap'?"},
                   {"task.gaps=3", "unknown key 'task.gaps'; did you mean 'task.gap'?"},
                   {"data.something_else=3",
                    "unknown key 'data.something_else'; known: data.source, data.train, data.test, "
                    "data.validation, data.seed"},
                   {"report.colour=true",
                    "unknown key 'report.colour'; known: task.*, model.*, train.*, data.*, telemetry.*, protocol.*"}});
}

// Of every other task that has it, and what this one has.
TEST(ConfigKeys, NamesTheTasksThatHaveAnUnknownKey) {
  const std::vector<ConfigKey> keys = config_keys(find_task("counting"));
  for (const char* name : {"task.gap", "gap"}) {
    const std::string message = message_of<UsageError>([&] { find_key(keys, name, "counting"); });
    expect_words(message, {fmt::format("unknown key '{}': task.gap is a setting of distance", name),
                           "; this task is counting, which has task."});
  }
  expect_words(message_of<UsageError>([&] { find_key(keys, "gap"); }), {"this task has task."});
  ConfigBuilder builder;
  builder.add_option("--task", "task", "counting");
  builder.add_set("task.gap=3");
  expect_words(message_of<UsageError>([&] { builder.build(); }), {"this task is counting"});
}

TEST(ConfigKeys, SaysOurWordForAnotherLibrarys) {
  expect_refusals({{"rope_theta=3",
                    "unknown key 'rope_theta'; rope_theta is the argument 'base' of an encoding here: "
                    "'model.encoding=rope(base=500000)'"},
                   {"model.rotary_pct=0.5",
                    "unknown key 'model.rotary_pct'; rotary_pct is the argument 'fraction' of an encoding here: "
                    "'model.encoding=rope(fraction=0.25)'"},
                   {"hidden_size=64", "unknown key 'hidden_size'; here it is written model.width=64"}});
  const std::vector<ConfigKey> keys = config_keys(find_task("distance"));
  for (const OtherSpelling& spelling : other_spellings()) {
    if (!spelling.argument.empty()) continue;
    const std::string written(spelling.written);
    const size_t equals = written.find('=');
    RunConfig config = tiny_run({});
    EXPECT_NO_THROW(find_key(keys, written.substr(0, equals)).set(config, written.substr(equals + 1))) << written;
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What --keys prints: a line per key of the task, in columns.
TEST(SettingsText, KeysHaveValueMeaningAndRange) {
  ConfigBuilder builder;
  builder.add_set("task=counting");
  builder.add_set("train.lr=0.25");
  const RunConfig config = builder.build();
  const std::vector<ConfigKey> keys = config_keys(find_task("counting"));
  const std::vector<std::string> lines = lines_of(keys_text(config));
  const nlohmann::ordered_json json = keys_json(config);
  ASSERT_EQ(lines.size(), keys.size());
  ASSERT_EQ(json.size(), keys.size());
  size_t widest_key = 0, widest_value = 0;
  for (const ConfigKey& key : keys) {
    widest_key = std::max(widest_key, key.name.size());
    widest_value = std::max(widest_value, key.get(config).size());
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(lines[i].rfind(keys[i].name + " ", 0), 0u) << lines[i];
    EXPECT_EQ(lines[i].substr(widest_key + 2, keys[i].get(config).size()), keys[i].get(config)) << lines[i];
    EXPECT_EQ(lines[i].substr(widest_key + widest_value + 4), keys[i].help + " (" + keys[i].range + ")");
    EXPECT_EQ(json[i].at("name"), keys[i].name);
    EXPECT_EQ(json[i].at("value"), keys[i].get(config));
    EXPECT_EQ(json[i].at("range"), keys[i].range);
    if (keys[i].name == "train.lr") {
      EXPECT_EQ(json[i].at("value"), "0.25");
    }
  }
}

// What --dry-run prints.
TEST(SettingsText, EveryValueSaysWhereItCameFrom) {
  ConfigBuilder builder;
  builder.add_option("--encoding", "model.encoding", "alibi");
  builder.add_set("train.lr=0.5");
  const std::vector<std::string> lines = lines_of(settings_text(builder));
  const auto words = [&](const std::string& key) {
    for (const std::string& line : lines) {
      std::istringstream stream(line);
      std::vector<std::string> all{std::istream_iterator<std::string>(stream), {}};
      if (all.at(0) == key) return all;
    }
    return std::vector<std::string>{};
  };
  EXPECT_EQ(words("model.encoding"), (std::vector<std::string>{"model.encoding", "alibi", "#", "--encoding"}));
  EXPECT_EQ(words("train.lr"), (std::vector<std::string>{"train.lr", "0.5", "#", "--set"}));
  EXPECT_EQ(words("train.steps"), (std::vector<std::string>{"train.steps", "2000", "#", "preset", "quick"}));
  std::set<size_t> places;
  for (const std::string& line : lines) places.insert(line.find(" # "));
  EXPECT_EQ(places.size(), 1u) << "one column";
}

}  // namespace config_keys_test
}  // namespace phasor
