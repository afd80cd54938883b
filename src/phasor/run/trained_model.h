#pragma once
// A run's trained model, ready to be looked at.
#include <cstdint>
#include <optional>
#include <string>

#include "phasor/run/run_folder.h"
#include "phasor/run/session.h"

namespace phasor {

struct TrainedModelOptions {
  std::optional<int64_t> step;  // a snapshot; nothing: the finished model
  bool gradients = false;       // with room for them, in fp32 whatever precision trained the model
};

// The name of its file in the folder: model.safetensors or a snapshot. Throws as open_trained_model does.
std::string trained_model_file(const RunFolder& run, const RunConfig& config, std::optional<int64_t> step);

// Throws UsageError, saying what would help, where the run has no such model; FormatError where its file is damaged.
Session open_trained_model(Backend& backend, const RunFolder& folder, const TrainedModelOptions& options = {});

}  // namespace phasor
