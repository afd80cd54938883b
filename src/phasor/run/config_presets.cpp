#include "phasor/run/config_presets.h"

#include <fmt/format.h>

#include "phasor/base/error.h"

namespace phasor {
namespace {

constexpr int64_t kPaperBatch = 512;
constexpr int64_t kPaperEpochs = 100;
constexpr int64_t kMlaBatch = 1024;
constexpr int64_t kMlaEpochs = 150;

struct PaperSamples {
  int64_t train, test;
};

// 100,000 samples, of counting 50,000, and 30 % of them for the test.
PaperSamples paper_samples(const TaskEntry& task) {
  return task.name == "counting" ? PaperSamples{35000, 15000} : PaperSamples{70000, 30000};
}

int64_t updates(int64_t epochs, int64_t samples, int64_t batch) { return (epochs * samples + batch - 1) / batch; }

ConfigBundle small_bundle(int64_t steps) {
  return {{"model.width", "64"},      {"model.hidden", "128"},
          {"model.heads", "4"},       {"model.layers", "3"},
          {"model.dropout", "0"},     {"train.batch", "128"},
          {"train.lr", "0.001"},      {"train.steps", fmt::format("{}", steps)},
          {"data.train", "20000"},    {"data.test", "4096"},
          {"data.validation", "2048"}};
}

}  // namespace

std::vector<std::string> preset_names() { return {"demo", "quick", "paper"}; }

ConfigBundle preset_bundle(std::string_view preset, const TaskEntry& task) {
  if (preset == "demo") return small_bundle(600);
  if (preset == "quick") return small_bundle(2000);
  if (preset == "paper") {
    const PaperSamples samples = paper_samples(task);
    return {{"model.width", "256"},
            {"model.hidden", "512"},
            {"model.heads", "16"},
            {"model.layers", "6"},
            {"model.dropout", "0.1"},
            {"train.batch", fmt::format("{}", kPaperBatch)},
            {"train.lr", "0.0001"},
            {"train.steps", fmt::format("{}", updates(kPaperEpochs, samples.train, kPaperBatch))},
            {"data.train", fmt::format("{}", samples.train)},
            {"data.test", fmt::format("{}", samples.test)},
            {"data.validation", "5000"}};
  }
  fail("there are no values for preset '{}'", preset);
}

TaskValues preset_task_values(std::string_view preset, const TaskEntry& task) {
  return preset == "paper" ? paper_values(task) : quick_values(task);
}

// Without fillers a task has no such option.
void let_fillers_be_triggers(ConfigBundle& bundle, const TaskEntry& task) {
  for (const TaskOption& option : task.options) {
    if (option.name == "fillers") bundle.emplace_back("task.fillers", "any");
  }
}

ConfigBundle protocol_bundle(std::string_view protocol, std::string_view preset, const TaskEntry& task) {
  if (protocol == "clean") {
    return {{"model.final_norm", "true"},
            {"model.init", "torch"},
            {"train.beta1", "0.9"},
            {"train.beta2", "0.98"},
            {"train.weight_decay", "0.01"}};
  }
  // arXiv 2505.13027, the released code at commit ffe3159.
  ConfigBundle bundle = {{"model.init", "torch"},       {"train.beta1", "0.98"},
                         {"train.beta2", "0.9"},        {"train.weight_decay", "1e-05"},
                         {"protocol.classes", "words"}, {"protocol.ablation_set", "all"}};
  let_fillers_be_triggers(bundle, task);
  // These betas are unstable at the clean protocol's rate for small models.
  if (preset != "paper") bundle.emplace_back("train.lr", "0.0003");
  ConfigBundle own;
  if (protocol == "released") {
    own = {{"model.final_norm", "false"},
           {"protocol.kv_source", "input"},
           {"protocol.padding", "visible"},
           {"protocol.label0", "ignored"},
           {"protocol.head_ablation", "cumulative"}};
  } else if (protocol == "released_mla") {
    own = {{"model.final_norm", "true"},
           {"model.ffn", "gelu"},
           {"model.dropout_sites", "ffn"},
           {"protocol.head_ablation", "latent"}};
    if (preset == "paper") {
      own.emplace_back("train.batch", fmt::format("{}", kMlaBatch));
      own.emplace_back("train.steps", fmt::format("{}", updates(kMlaEpochs, paper_samples(task).train, kMlaBatch)));
    }
  } else {
    fail("there are no values for protocol '{}'", protocol);
  }
  bundle.insert(bundle.end(), own.begin(), own.end());
  return bundle;
}

}  // namespace phasor
