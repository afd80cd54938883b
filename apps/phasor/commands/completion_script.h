#pragma once
// Scripts that let a shell complete phasor's commands, options and their values. They are made from the tree of
// commands itself, so that what can be typed and what is offered are the same.
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::app {

std::vector<std::string> completion_shells();

// Throws UsageError for another shell.
std::string completion_script(const CLI::App& root, std::string_view shell);

}  // namespace phasor::app
