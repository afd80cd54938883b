#pragma once
// A finished run as its files tell it, read with every check that they allow: each file is what was written
// (checksums), they belong to one run (settings, seed, steps, number and hash of lines), and numbers lie where they
// can.
#include <cstdint>
#include <string_view>
#include <vector>

#include "phasor/run/config.h"
#include "phasor/run/run_folder.h"
#include "phasor/run/stored_result.h"

namespace phasor {

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
