#pragma once
// SIGINT and SIGTERM as a question that long work asks: the first one asks it to save and stop, a second SIGINT
// ends the process at once.

namespace phasor::app {

void catch_interrupts();
bool interrupted();

}  // namespace phasor::app
