#pragma once
// The rules by which studies are compared, in words and with their numbers. docs/statistics.md explains them. A study
// registers their hash before its first run: to change a rule is to change this text.
#include <string>

namespace phasor {

std::string study_rules();

}  // namespace phasor
