#include "phasor/run/config_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "phasor/base/error.h"
#include "phasor/run/config_builder.h"

namespace phasor {
namespace config_json_test {

using Json = nlohmann::ordered_json;

RunConfig built(const std::vector<std::string>& sets) {
  ConfigBuilder builder;
  for (const std::string& set : sets) builder.add_set(set);
  return builder.build();
}

std::string format_error(const std::string& text) {
  try {
    config_from_json(text, "run/config.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConfigJson, GroupsEveryResolvedField) {
  const Json json = Json::parse(config_to_json(built({"train.snapshots=5,7", "train.lr=1", "model.dropout=0"})));
  EXPECT_EQ(json.dump(), Json::parse(R"({
    "preset": "quick", "seed": 0,
    "task": {"name": "distance", "vocabulary": 64, "gap": 24, "sides": 8, "triggers": "fixed", "fillers": "distinct",
             "length": "natural", "readout": "mean", "answer": "class"},
    "model": {"encoding": "rope", "layers": 3, "width": 64, "hidden": 128, "heads": 4, "kv_heads": 4,
              "head_width": 16, "ffn": "relu", "norm": "layer", "residual": "pre", "final_norm": true,
              "qk_norm": false, "window": 0, "softcap": 0.0, "tied": false, "logit_scale": 1.0, "causal": false, "dropout": 0.0,
              "dropout_sites": "all", "init": "torch"},
    "train": {"steps": 2000, "batch": 128, "lr": 1.0, "warmup": 0.06, "beta1": 0.9, "beta2": 0.98,
              "epsilon": 1e-8, "weight_decay": 0.01, "clip": 0.0, "evaluate_every": 50,
              "evaluation_samples": 4096, "evaluation_tests": 0, "checkpoint_every": 500, "snapshots": [5, 7], "precision": "fp32"},
    "data": {"source": "fixed", "train": 20000, "test": 4096, "validation": 2048, "seed": 0},
    "telemetry": {"spectrum": 0},
    "protocol": {"name": "clean", "kv_source": "hidden", "padding": "none", "padded_length": 0,
                 "classes": "task", "label0": "counted", "ablation_set": "test", "head_ablation": "alone"}
  })")
                             .dump());
}

TEST(ConfigJson, RoundTripsExactly) {
  for (const std::vector<std::string>& sets : std::vector<std::vector<std::string>>{
           {},
           {"preset=paper", "seed=18446744073709551615", "train.lr=0.00033333333333333335"},
           {"preset=demo", "model.init=normal(0.123)", "model.kv_heads=2", "model.head_width=20", "model.norm=rms"},
           {"train.precision=bf16", "train.snapshots=0,100", "task.gap=7", "data.train=99", "model.causal=true"},
           {"protocol=released", "task=counting", "preset=paper", "data.source=stream", "protocol.padded_length=130"},
           {"protocol=released_mla", "task.answer=number", "protocol.classes=task"}}) {
    const RunConfig config = built(sets);
    const RunConfig again = config_from_json(config_to_json(config), "config.json");
    EXPECT_EQ(config_to_json(again), config_to_json(config));
    EXPECT_EQ(canonical_text(again), canonical_text(config));
    EXPECT_EQ(again.preset, config.preset);
    EXPECT_EQ(again.seed, config.seed);
    EXPECT_EQ(again.train.learning_rate, config.train.learning_rate);
    EXPECT_EQ(again.train.snapshots, config.train.snapshots);
    EXPECT_EQ(again.task_values, config.task_values);
    EXPECT_EQ(again.model.initialization_deviation, config.model.initialization_deviation);
    EXPECT_EQ(again.model.vocabulary, config.model.vocabulary);
    EXPECT_EQ(again.model.classes, config.model.classes);
    EXPECT_EQ(again.model.max_length, config.model.max_length);
  }
}

// One key, one meaning: a config.json is also a file of settings.
TEST(ConfigJson, ServesAsAFileOfSettings) {
  const RunConfig config = built({"preset=paper", "train.batch=32", "task.gap=30"});
  ConfigBuilder builder;
  builder.add_json(config_to_json(config), "config.json");
  EXPECT_EQ(config_to_json(builder.build()), config_to_json(config));
}

TEST(ConfigJson, MissingAndUnknownKeysAreErrorsThatNameTheFile) {
  const Json whole = Json::parse(config_to_json(built({})));
  EXPECT_EQ(format_error(whole.dump()), "accepted");

  Json less = whole;
  less["model"].erase("width");
  EXPECT_EQ(format_error(less.dump()), "run/config.json: the key 'model.width' is missing");
  less = whole;
  less["task"].erase("name");
  EXPECT_EQ(format_error(less.dump()), "run/config.json: the key 'task' is missing");
  less = whole;
  less.erase("seed");
  EXPECT_EQ(format_error(less.dump()), "run/config.json: the key 'seed' is missing");

  Json more = whole;
  more["model"]["widht"] = 3;
  EXPECT_EQ(format_error(more.dump()), "run/config.json: unknown key 'model.widht'; did you mean 'model.width'?");
  Json bad = whole;
  bad["train"]["batch"] = -3;
  EXPECT_EQ(format_error(bad.dump()), "run/config.json: train.batch: -3 is out of range, at least 1");
  bad = whole;
  bad["model"]["heads"] = 3;
  bad["model"]["head_width"] = 0;
  EXPECT_EQ(format_error(bad.dump()).find("run/config.json: model.heads: 3 does not divide model.width=64"), 0u);
}

TEST(ConfigJson, ATruncatedFileIsRefusedAtEveryLength) {
  const std::string text = config_to_json(built({}));
  const size_t end = text.find_last_of('}');
  for (size_t length = 0; length <= end; ++length) {
    EXPECT_NE(format_error(text.substr(0, length)), "accepted") << length;
  }
}

TEST(ConfigJson, LoadNamesAMissingFile) {
  try {
    load_config("/nonexistent/config.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nonexistent/config.json"), std::string::npos) << error.what();
  }
}

TEST(ConfigId, DependsOnEveryValueButNotOnThePresetsName) {
  const std::string id = config_id(built({}));
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  EXPECT_EQ(id, config_id(built({})));
  std::set<std::string> ids = {id};
  for (const char* change : {"seed=1", "data.seed=1", "train.steps=3", "train.lr=0.002", "model.encoding=nope",
                             "task.gap=23", "train.snapshots=5", "telemetry.spectrum=9", "model.init=normal(0.1)"}) {
    EXPECT_TRUE(ids.insert(config_id(built({change}))).second) << change;
  }
  EXPECT_EQ(config_id(built({"preset=demo", "train.steps=2000"})), id);
}

TEST(CanonicalText, IsOneLinePerKey) {
  const std::string text = canonical_text(built({}));
  EXPECT_EQ(text.find("seed=0\ntask=distance\ntask.vocabulary=64\ntask.gap=24\ntask.sides=8\ntask.triggers=fixed\ntask."
                      "fillers=distinct\n"
                      "task.length=natural\ntask.readout=mean\ntask.answer=class\nmodel.encoding=rope\n"),
            0u)
      << text;
  EXPECT_EQ(text.find("preset"), std::string::npos);
}

}  // namespace config_json_test
}  // namespace phasor
