#pragma once
// Words that may be an encoding or a folder.
#include <string>

namespace phasor::app {

// Whether it is a folder's: 'rope' stays an encoding, './rope' is a folder of that name.
bool names_folder(const std::string& text);

}  // namespace phasor::app
