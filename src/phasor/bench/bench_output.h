#pragma once
// Benches for people and for programs.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "phasor/bench/encoding_bench.h"
#include "phasor/bench/hash_bench.h"
#include "phasor/bench/step_bench.h"
#include "phasor/bench/sweep_bench.h"

namespace phasor {

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
