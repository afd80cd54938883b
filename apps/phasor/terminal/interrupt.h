#pragma once
// SIGINT, SIGTERM and SIGHUP as a question that long work asks: the first one asks it to save and stop, a second one
// of its kind ends the process at once. Work that has nothing to save is cancelled after a second
// (base/cancellation.h), and a process that does not answer at all is ended: after two seconds, or twenty where there
// is something to save.

namespace phasor::app {

void catch_interrupts();
// From now on there is work that is worth waiting for.
void expect_saving();
bool interrupted();

}  // namespace phasor::app
