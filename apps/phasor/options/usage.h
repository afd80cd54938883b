#pragma once
// What people type wrong, explained: the nearest command or option, the value that is missing.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace phasor::app {

// The command that these words name, as far as they name one, and the first word behind it.
struct NamedCommand {
  const CLI::App* command = nullptr;
  std::string path;   // "phasor bench step"
  std::string after;  // empty: nothing follows
};
NamedCommand named_command(const CLI::App& app, const std::vector<std::string>& words);

// Why these words were refused, in one line.
std::string explain(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

}  // namespace phasor::app
