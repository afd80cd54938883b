#pragma once
// Options with a value of a type: read where they are declared, with the range that help and errors name.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "phasor/run/config_text.h"

namespace phasor::app {

// A text that must not be empty: --preset "" is a slip of a script, not a wish for the default.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value, const std::string& help);

// Whole numbers. What a variable holds is the default, which help shows; one without a value has none.
CLI::Option* add_whole(CLI::App& command, const std::string& name, int64_t& value, const WholeRange& range,
                       const std::string& help);
CLI::Option* add_whole(CLI::App& command, const std::string& name, std::optional<int64_t>& value,
                       const WholeRange& range, const std::string& help);

CLI::Option* add_real(CLI::App& command, const std::string& name, std::optional<double>& value, const RealRange& range,
                      const std::string& help);

// Seeds of 64 bits.
CLI::Option* add_seed(CLI::App& command, const std::string& name, uint64_t& value, const std::string& help);

}  // namespace phasor::app
