#pragma once
// Benches for people and for programs.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/base/json_fields_fwd.h"
#include "phasor/bench/encoding_bench.h"
#include "phasor/bench/hash_bench.h"
#include "phasor/bench/step_bench.h"
#include "phasor/bench/sweep_bench.h"

namespace phasor {

// What JSON says of benches: what was measured, and how fast it was.
struct BenchedStep {
  RunConfig config;
  StepBench bench;
};
struct BenchedSweep {
  RunConfig config;
  SweepBench bench;
};
const Fields<BenchedStep>& json_fields(const BenchedStep*);
const Fields<BenchedSweep>& json_fields(const BenchedSweep*);
const Fields<EncodingTime>& json_fields(const EncodingTime*);

std::string to_text(const RunConfig& config, const StepBench& bench);
nlohmann::ordered_json to_json(const RunConfig& config, const StepBench& bench);

std::string encoding_times_title(const RunConfig& config, const EncodingBenchOptions& options);
std::string to_text(const EncodingTime& time);  // a line
nlohmann::ordered_json to_json(const std::vector<EncodingTime>& times);

std::string to_text(const RunConfig& config, const SweepBench& bench);
nlohmann::ordered_json to_json(const RunConfig& config, const SweepBench& bench);

std::string to_text(const HashBench& bench);
nlohmann::ordered_json to_json(const HashBench& bench);

}  // namespace phasor
