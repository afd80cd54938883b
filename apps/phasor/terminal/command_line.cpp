#include "terminal/command_line.h"

#include <algorithm>

#include "phasor/base/shell_text.h"

namespace phasor::app {
namespace {

std::string& remembered() {
  static std::string command;
  return command;
}

}  // namespace

void remember_command(int argc, char** argv) {
  remembered() = shell_text(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}

const std::string& remembered_command() { return remembered(); }

}  // namespace phasor::app
