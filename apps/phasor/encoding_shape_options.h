#pragma once
// The options that say on which model an encoding is shown.
#include <CLI/CLI.hpp>
#include <string>

#include "phasor/encoding/encoding.h"

namespace phasor::app {

struct EncodingShapeOptions {
  std::string length, layers, heads, width, grid;
  bool causal = false;

  void add_to(CLI::App& command);
  bool empty() const;
  // What is not given is as usual_shape() has it.
  EncodingShape shape(const Encoding& encoding) const;
};

}  // namespace phasor::app
