#pragma once
// The machine's peak, measured: the rate of a 2048^3 fp32 product on all threads by each library of this build.
#include <string>

namespace phasor {

struct Peak {
  double gflops = 0.0;  // of the fastest library
  std::string library;
};

Peak measure_peak();

}  // namespace phasor
