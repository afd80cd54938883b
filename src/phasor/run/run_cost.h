#pragma once
// What a run asks of a machine, told before anything is made: memory to a tenth or two, time from below.
#include <cstdint>
#include <string>

#include "phasor/run/config.h"

namespace phasor {

struct RunCost {
  double model_bytes = 0.0;  // parameters, gradients, moments, activations, and copies while files are written
  double data_bytes = 0.0;   // the sets of samples
  double flops = 0.0;        // of all updates

  double bytes() const { return model_bytes + data_bytes; }
};

RunCost run_cost(const RunConfig& config);

// What this process may use: the machine's memory, or less where a limit says so.
double available_bytes();

// Throws Error where `runs` such runs at once need more memory than there is, or one more time than anybody waits (a
// year at a rate that no CPU core reaches). `advice` ends the message.
void require_affordable(const RunCost& cost, int64_t runs, int64_t threads, const std::string& advice);

}  // namespace phasor
