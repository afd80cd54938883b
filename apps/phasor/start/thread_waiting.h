#pragma once
// How long an idle thread keeps its core busy before it sleeps.

namespace phasor::app {

// Starts the program again with GOMP_SPINCOUNT set, unless the caller's environment says how to wait: libgomp reads it
// before main. Its default spins for milliseconds, and on a machine where others compute too each op then waits for a
// thread that in turn waits for its core: 100 steps of `quick` took 29 s instead of 2.8 s on two busy cores.
void shorten_waiting(char** argv);

}  // namespace phasor::app
