#pragma once
// What the CPU engine of this program was built for and with.
#include <string>

namespace phasor {

struct EngineBuild {
  std::string level;  // of instructions: "x86-64-v3", "aarch64", ...
  std::string gemm;   // the library of matrix products and its version: "oneDNN 3.6.0"
};

EngineBuild engine_build();

}  // namespace phasor
