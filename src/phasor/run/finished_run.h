#pragma once
// A finished run as its files tell it, read with every check that they allow: each file is what was written
// (checksums), they belong to one run (settings, seed, steps, number and hash of lines), and numbers lie where they
// can.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "phasor/run/config.h"
#include "phasor/run/metrics.h"
#include "phasor/run/run_folder.h"
#include "phasor/task/floors.h"

namespace phasor {

// What result.json says.
struct StoredResult {
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
  std::vector<std::string> packed;  // files that were left out on purpose
};

struct FinishedRun {
  RunConfig config;
  StoredResult result;
  std::vector<Metrics> history;
};

// All throw FormatError, naming the file, where something is damaged or belongs to another run.
FinishedRun read_finished_run(const RunFolder& folder);
StoredResult read_result(const RunFolder& folder, const RunConfig& config);
// `source` stands for the file in errors; checksums are not looked at.
StoredResult parse_result(std::string_view text, const RunConfig& config, std::string_view source);

// The evaluations that a run of so many steps has made: before the first, every so often, after the last.
int64_t expected_evaluations(const TrainConfig& train, int64_t steps);

}  // namespace phasor
