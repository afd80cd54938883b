#pragma once
// The command that this process was started by, as one would type it.
#include <string>
#include <vector>

namespace phasor::app {

// "phasor study quick --encodings 'rope(base=500)'"; the program is called phasor wherever it lies.
std::string shell_text(const std::vector<std::string>& words);

void remember_command(int argc, char** argv);
const std::string& remembered_command();

}  // namespace phasor::app
