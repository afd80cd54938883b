#pragma once
// What an accuracy stands beside wherever one is printed.
#include <string>

#include "phasor/task/floors.h"

namespace phasor::app {

// "chance 4.2 %, commonest answer 4.3 %, length alone 16.1 %, simple rule 91.7 %, ceiling 97.5 %"; what equals its
// neighbour says nothing and is left out.
std::string floors_text(const TaskFloors& floors);

}  // namespace phasor::app
