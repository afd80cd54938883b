#include "phasor/train/config_presets.h"

#include <fmt/format.h>

#include "phasor/base/error.h"

namespace phasor {
namespace {

constexpr int64_t kPaperTrain = 70000;
constexpr int64_t kPaperBatch = 512;
constexpr int64_t kPaperEpochs = 100;
constexpr int64_t kPaperSteps = (kPaperEpochs * kPaperTrain + kPaperBatch - 1) / kPaperBatch;

ConfigBundle small_bundle(int64_t steps) {
  return {{"model.width", "64"},   {"model.hidden", "128"},
          {"model.heads", "4"},    {"model.layers", "3"},
          {"model.dropout", "0"},  {"train.batch", "128"},
          {"train.lr", "0.001"},   {"train.steps", fmt::format("{}", steps)},
          {"data.train", "20000"}, {"data.test", "4096"}};
}

}  // namespace

std::vector<std::string> preset_names() { return {"demo", "quick", "paper"}; }

ConfigBundle preset_bundle(std::string_view preset) {
  if (preset == "demo") return small_bundle(600);
  if (preset == "quick") return small_bundle(2000);
  if (preset == "paper") {
    return {{"model.width", "256"},
            {"model.hidden", "512"},
            {"model.heads", "16"},
            {"model.layers", "6"},
            {"model.dropout", "0.1"},
            {"train.batch", fmt::format("{}", kPaperBatch)},
            {"train.lr", "0.0001"},
            {"train.steps", fmt::format("{}", kPaperSteps)},
            {"data.train", fmt::format("{}", kPaperTrain)},
            {"data.test", "30000"}};
  }
  fail("there are no values for preset '{}'", preset);
}

TaskValues preset_task_values(std::string_view preset, const TaskEntry& task) {
  return preset == "paper" ? paper_values(task) : quick_values(task);
}

ConfigBundle protocol_bundle(std::string_view protocol) {
  if (protocol == "clean") {
    return {{"model.final_norm", "true"},
            {"model.init", "torch"},
            {"train.beta1", "0.9"},
            {"train.beta2", "0.98"},
            {"train.weight_decay", "0.01"}};
  }
  fail("there are no values for protocol '{}'", protocol);
}

}  // namespace phasor
