#pragma once
// The command that this process was started by, as one would type it; the program is called phasor wherever it lies.
#include <string>

namespace phasor::app {

void remember_command(int argc, char** argv);
const std::string& remembered_command();

}  // namespace phasor::app
