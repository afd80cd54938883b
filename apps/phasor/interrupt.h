#pragma once
// SIGINT, SIGTERM and SIGHUP as a question that long work asks: the first one asks it to save and stop, a second one
// of its kind ends the process at once.

namespace phasor::app {

void catch_interrupts();
bool interrupted();

}  // namespace phasor::app
