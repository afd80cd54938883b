#pragma once
// Training that goes on from the trained weights of another run, under another encoding where that is wanted. The run
// keeps a copy of what it started from (start.safetensors), so that it can be resumed and read without the other one.
#include <optional>
#include <vector>

#include "phasor/run/encoding_swap.h"
#include "phasor/run/run_folder.h"

namespace phasor {

inline constexpr const char* kStartFile = "start.safetensors";

struct TrainingStart {
  RunConfig config;  // as asked, with `start` filled in
  EncodingSwap swap;
  std::vector<float> parameters;  // trained ones by name; new ones as a model of config's seed starts
};

// The settings that `asked` may change are the encoding, dropout, model.logit_scale, all of the training, of the data
// and of the task. Throws UsageError, saying why, where the weights do not fit; FormatError where the other run's files
// are damaged. `step`: a snapshot of it; nothing: its end.
TrainingStart start_from(const RunFolder& source, std::optional<int64_t> step, const RunConfig& asked);

// What a run starts from by default, before anything is asked: the other run's settings, without its snapshots.
RunConfig starting_config(const RunFolder& source);

void save_start(const RunFolder& folder, const TrainingStart& start);
bool has_start(const RunFolder& folder);
// Throws Error where the file is missing, FormatError where it is damaged or another run's.
std::vector<float> load_start(const RunFolder& folder, const ParameterLayout& layout, const RunConfig& config);

}  // namespace phasor
