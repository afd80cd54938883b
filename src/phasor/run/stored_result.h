#pragma once
// result.json: what a finished run came to.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/run/config.h"
#include "phasor/run/metrics.h"
#include "phasor/task/floors.h"

namespace phasor {

struct StoredResult {
  std::string run;  // config_id() of its settings; files of older versions lack it
  std::string task, encoding, protocol, preset;
  uint64_t seed = 0, data_seed = 0;
  std::optional<StartConfig> start;  // where training started from the weights of another run
  int64_t parameters = 0, steps = 0, tokens = 0;
  double train_accuracy = 0.0, train_loss = 0.0;
  double test_accuracy = 0.0, test_loss = 0.0;
  std::optional<double> test_whole, validation_accuracy, validation_loss;
  TaskFloors floors;
  std::optional<int64_t> steps_to_90;
  bool converged = false;
  std::optional<int64_t> loss_spikes;  // nothing where the run was too short to judge any step
  std::optional<double> largest_loss_jump;
  double seconds = 0.0;
  std::string device;
  std::map<std::string, StoredLines> lines;  // by the file's name
  std::vector<std::string> packed;           // files that were left out on purpose
  // What the encoding learned, tensor by tensor, where the weights were left out; large tensors are not kept.
  std::map<std::string, std::vector<double>> learned;

  double tokens_per_second() const { return seconds > 0.0 ? static_cast<double>(tokens) / seconds : 0.0; }
};
const Fields<StoredResult>& json_fields(const StoredResult*);

StoredResult stored_result(const RunConfig& config, const RunResult& result);

// The file's text, with its checksum.
std::string to_json(const StoredResult& result);

}  // namespace phasor
