#pragma once
// phasor(1) for man, in roff with the man macros, made from the tree of commands and their help.
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace phasor::app {

std::string manual_page(const CLI::App& root, std::string_view version);

}  // namespace phasor::app
