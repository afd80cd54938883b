#include "phasor/run/config_keys.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "phasor/encoding/encoding.h"
#include "phasor/encoding/syntax/other_spellings.h"
#include "phasor/run/config_key_makers.h"
#include "phasor/run/config_presets.h"

namespace phasor {
namespace {

using config_key::flag;
using config_key::list;
using config_key::only_false;
using config_key::only_word;
using config_key::only_zero;
using config_key::real;
using config_key::refuse_unknown;
using config_key::seed;
using config_key::whole;
using config_key::word;
using config_key::Words;

constexpr int64_t kMostWidth = 65536;
constexpr int64_t kMostSteps = std::numeric_limits<int32_t>::max();  // a step is one coordinate of the random streams
constexpr RealRange kShare{.least = 0.0, .most = 1.0};
constexpr RealRange kBelowOne{.least = 0.0, .most = 1.0, .most_included = false};
constexpr RealRange kPositive{.least = 0.0, .least_included = false};

// "torch", or "normal(0.02)" with the deviation of every weight.
ConfigKey initialization_key() {
  static constexpr const char* kName = "model.init";
  return {.name = kName,
          .type = ConfigType::text,
          .help = "first weights: torch (embeddings N(0,1), linear U(+-1/sqrt(in))) or normal(DEVIATION)",
          .range = "torch, normal(0.02)",
          .get = [](const RunConfig& config) -> std::string {
            if (config.model.initialization == Initialization::torch) return "torch";
            return fmt::format("normal({})", write_real(config.model.initialization_deviation));
          },
          .set =
              [](RunConfig& config, std::string_view text) {
                ModelConfig& model = config.model;
                if (text == "torch") {
                  model.initialization = Initialization::torch;
                  return;
                }
                constexpr std::string_view kOpen = "normal(";
                if (text.substr(0, kOpen.size()) != kOpen || text.back() != ')') {
                  fail_usage("{}: '{}' is neither torch nor normal(DEVIATION), for example normal(0.02)", kName, text);
                }
                text.remove_prefix(kOpen.size());
                text.remove_suffix(1);
                model.initialization_deviation = read_real(kName, text, kPositive);
                model.initialization = Initialization::normal;
              }};
}

ConfigKey encoding_key() {
  static constexpr const char* kName = "model.encoding";
  return {.name = kName,
          .type = ConfigType::text,
          .help = "positional encoding, an expression such as rope or sinusoidal+rope",
          .range = "see phasor encodings",
          .get = [](const RunConfig& config) { return config.model.encoding; },
          .set =
              [](RunConfig& config, std::string_view text) {
                if (text.empty()) fail_usage("{}: the expression is empty; nope means no encoding", kName);
                config.model.encoding = print(parse_encoding(text));
              }};
}

ConfigKey preset_key() {
  return {.name = "preset",
          .type = ConfigType::word,
          .help = "bundle of sizes that the other keys start from",
          .range = fmt::format("{}", fmt::join(preset_names(), ", ")),
          .get = [](const RunConfig& config) { return config.preset; },
          .set =
              [](RunConfig& config, std::string_view text) {
                const Words names = preset_names();
                if (std::find(names.begin(), names.end(), text) == names.end()) refuse_unknown("preset", text, names);
                config.preset = text;
              }};
}

ConfigKey task_key() {
  return {.name = "task",
          .type = ConfigType::word,
          .help = "what the model learns",
          .range = "see phasor tasks",
          .get = [](const RunConfig& config) { return config.task; },
          .set = [](RunConfig& config, std::string_view text) { config.task = find_task(text).name; }};
}

ConfigKey word_option_key(const TaskOption& option, size_t index) {
  const std::string name = "task." + option.name;
  return {.name = name,
          .type = ConfigType::word,
          .help = option.help,
          .range = fmt::format("{}", fmt::join(option.choices, ", ")),
          .get = [=](const RunConfig& config) { return print_option(option, config.task_values.at(index)); },
          .set =
              [=](RunConfig& config, std::string_view text) {
                const auto found = std::find(option.choices.begin(), option.choices.end(), text);
                if (found == option.choices.end()) refuse_unknown(name.c_str(), text, option.choices);
                config.task_values.at(index) = found - option.choices.begin();
              }};
}

ConfigKey option_key(const TaskOption& option, size_t index) {
  if (!option.choices.empty()) return word_option_key(option, index);
  const std::string name = "task." + option.name;
  return {.name = name,
          .type = ConfigType::whole,
          .help = option.help,
          .range = describe(WholeRange{option.least, option.most}),
          .get = [index](const RunConfig& config) { return fmt::format("{}", config.task_values.at(index)); },
          .set =
              [=](RunConfig& config, std::string_view text) {
                config.task_values.at(index) = read_whole(name, text, {option.least, option.most});
              }};
}

std::vector<ConfigKey> model_keys() {
  using M = ModelConfig;
  return {
      encoding_key(),
      whole("model.layers", "Transformer blocks", {1, 1024}, &M::layers),
      whole("model.width", "features per token", {1, kMostWidth}, &M::width),
      whole("model.hidden", "features inside the feed-forward part", {1, 4 * kMostWidth}, &M::hidden),
      whole("model.heads", "attention heads", {1, kMostWidth}, &M::heads),
      whole("model.kv_heads", "heads of keys and values; 0: as many as heads", {0, kMostWidth}, &M::kv_heads),
      whole("model.head_width", "features per head; 0: width / heads", {0, kMostWidth}, &M::head_width),
      word("model.ffn", "activation of the feed-forward part", {{"relu", Activation::relu}, {"gelu", Activation::gelu}},
           &M::ffn, {"swiglu"}),
      word("model.norm", "layer norm or root-mean-square norm", {{"layer", NormKind::layer}, {"rms", NormKind::rms}},
           &M::norm),
      only_word("model.residual", "where the norm stands: before each part", "pre", {"parallel"}),
      flag("model.final_norm", "a norm after the last block", &M::final_norm),
      only_false("model.qk_norm", "norms on queries and keys"),
      only_zero("model.window", "0; windows belong to the encoding: rope[window=128]", ConfigType::whole),
      only_zero("model.softcap", "logits bent to this bound by tanh; 0: not bent", ConfigType::real),
      only_false("model.tied", "embedding and output share one matrix"),
      real("model.logit_scale", "factor on attention logits before any bias", kPositive, &M::logit_scale),
      flag("model.causal", "a token sees only what stands before it", &M::causal),
      real("model.dropout", "share of features zeroed in training", kBelowOne, &M::dropout),
      word("model.dropout_sites", "attention weights and both outputs of a block, or the feed-forward output alone",
           {{"all", DropoutSites::all}, {"ffn", DropoutSites::ffn}}, &M::dropout_sites),
      initialization_key(),
  };
}

std::vector<ConfigKey> train_keys() {
  using T = TrainConfig;
  return {
      whole("train.steps", "optimiser steps", {1, kMostSteps}, &T::steps),
      whole("train.batch", "sequences per step", {1}, &T::batch),
      real("train.lr", "largest learning rate, reached after the warm-up", kPositive, &T::learning_rate),
      real("train.warmup", "share of the steps over which the learning rate rises", kShare, &T::warmup),
      real("train.beta1", "AdamW: memory of the gradient", kBelowOne, &T::beta1),
      real("train.beta2", "AdamW: memory of the squared gradient", kBelowOne, &T::beta2),
      real("train.epsilon", "AdamW: added to the root of the squared gradient", kPositive, &T::epsilon),
      real("train.weight_decay", "AdamW: share of a weight lost per step and unit of learning rate", {},
           &T::weight_decay),
      real("train.clip", "largest gradient norm; 0: no clipping", {}, &T::clip),
      whole("train.evaluate_every", "steps between evaluations", {1}, &T::evaluate_every),
      whole("train.evaluation_samples", "training samples in each evaluation", {1}, &T::evaluation_samples),
      whole("train.evaluation_tests", "test samples in each evaluation; 0: all. The run's result is over all of them",
            {}, &T::evaluation_tests),
      whole("train.checkpoint_every", "steps between saves of the training state", {1}, &T::checkpoint_every),
      list("train.snapshots", "steps at which the weights are kept, for example 100,500", {0}, &T::snapshots),
      word("train.precision", "of products; weights and sums stay fp32",
           {{name(Dtype::f32), Dtype::f32}, {name(Dtype::bf16), Dtype::bf16}}, &T::precision),
  };
}

std::vector<ConfigKey> data_keys() {
  using D = DataConfig;
  return {
      word("data.source", "fixed: epochs over data.train samples; stream: every sample is new",
           {{"fixed", DataSource::fixed}, {"stream", DataSource::stream}}, &D::source),
      whole("data.train", "different training samples; of a stream, those that training accuracy is measured on",
            {1, kMostSteps}, &D::train_samples),
      whole("data.test", "test samples, none of them in the training set", {1, kMostSteps}, &D::test_samples),
      whole("data.validation", "validation samples, in neither of the other sets", {0, kMostSteps},
            &D::validation_samples),
      seed("data.seed", "of samples and of their order", &D::seed),
  };
}

std::vector<ConfigKey> telemetry_keys() {
  return {
      whole("telemetry.spectrum", "steps between measurements of every head (spectrum, seed, gradient); 0: none",
            {0, kMostSteps}, &TelemetryConfig::spectrum),
  };
}

std::vector<ConfigKey> protocol_keys() {
  return {
      word("protocol", "bundle of the switches below and of some defaults",
           {{"clean", "clean"}, {"released", "released"}, {"released_mla", "released_mla"}}, &RunConfig::protocol),
      word("protocol.kv_source",
           "keys and values from the layer's normed stream, or in every layer from the embeddings",
           {{"hidden", KvSource::hidden}, {"input", KvSource::input}}, &ModelConfig::kv_source),
      word("protocol.padding", "none, or every sequence filled up with a word that attention and readout see",
           {{"none", false}, {"visible", true}}, &SampleRules::pads),
      whole("protocol.padded_length", "length of filled-up sequences; 0: the next multiple of 16", {0, 65536},
            &SampleRules::padded_length),
      word("protocol.classes", "a class for each answer of the task, or for each word as in the released code",
           {{"task", false}, {"words", true}}, &SampleRules::class_per_word),
      word("protocol.label0", "class 0 in loss and accuracy", {{"counted", false}, {"ignored", true}},
           &SampleRules::ignore_label_0),
      word("protocol.ablation_set", "samples that ablations are measured on: held out, or training and test together",
           {{"test", AblationSet::test}, {"all", AblationSet::all}}, &ProtocolConfig::ablation_set),
      word("protocol.head_ablation", "each head alone, or as the released code does it (for MLA: latent)",
           {{"alone", HeadAblation::alone}, {"cumulative", HeadAblation::cumulative}, {"latent", HeadAblation::latent}},
           &ProtocolConfig::head_ablation),
  };
}

// A setting of other tasks: names them, and what this one has instead.
void refuse_other_tasks_key(const std::vector<ConfigKey>& keys, std::string_view name, std::string_view task) {
  constexpr std::string_view kGroup = "task.";
  const std::string_view option = name.substr(0, kGroup.size()) == kGroup ? name.substr(kGroup.size()) : name;
  std::vector<std::string> others, own;
  for (const TaskEntry& entry : task_catalogue()) {
    const auto has_it = [&](const TaskOption& other) { return other.name == option; };
    if (std::any_of(entry.options.begin(), entry.options.end(), has_it)) others.push_back(entry.name);
  }
  if (others.empty()) return;
  for (const ConfigKey& key : keys) {
    if (key.name.substr(0, kGroup.size()) == kGroup) own.push_back(key.name);
  }
  fail_usage("unknown key '{}': {}{} is a setting of {}; this task{} has {}", name, kGroup, option,
             fmt::join(others, ", "), task.empty() ? "" : fmt::format(" is {}, which", task),
             own.empty() ? "no settings of its own" : fmt::format("{}", fmt::join(own, ", ")));
}

}  // namespace

std::vector<ConfigKey> config_keys(const TaskEntry& task) {
  std::vector<ConfigKey> keys = {preset_key(), seed("seed", "of first weights and dropout", &RunConfig::seed),
                                 task_key()};
  for (size_t i = 0; i < task.options.size(); ++i) keys.push_back(option_key(task.options[i], i));
  for (std::vector<ConfigKey> group : {model_keys(), train_keys(), data_keys(), telemetry_keys(), protocol_keys()}) {
    std::move(group.begin(), group.end(), std::back_inserter(keys));
  }
  return keys;
}

const ConfigKey& find_key(const std::vector<ConfigKey>& keys, std::string_view name, std::string_view task) {
  std::vector<std::string> names, group, groups;
  const std::string prefix(name.substr(0, name.find('.') + 1));  // empty where there is no dot
  std::string longer;                                            // `width` where `model.width` was meant
  for (const ConfigKey& key : keys) {
    if (key.name == name) return key;
    names.push_back(key.name);
    const size_t dot = key.name.find('.');
    if (dot == std::string::npos) continue;
    if (!prefix.empty() && key.name.compare(0, dot + 1, prefix) == 0) group.push_back(key.name);
    if (longer.empty() && key.name.compare(dot + 1, std::string::npos, name) == 0) longer = key.name;
    const std::string head = key.name.substr(0, dot) + ".*";
    if (std::find(groups.begin(), groups.end(), head) == groups.end()) groups.push_back(head);
  }
  if (!longer.empty()) fail_usage("unknown key '{}'; did you mean '{}'?", name, longer);
  refuse_other_tasks_key(keys, name, task);
  if (const std::string hint = key_hint(name); !hint.empty()) fail_usage("unknown key '{}'{}", name, hint);
  const std::string nearest = nearest_word(name, names);
  if (!nearest.empty()) fail_usage("unknown key '{}'; did you mean '{}'?", name, nearest);
  fail_usage("unknown key '{}'; known: {}", name, fmt::join(group.empty() ? groups : group, ", "));
}

}  // namespace phasor
