#pragma once
// The options that say on which model an encoding is shown.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "phasor/encoding/encoding.h"

namespace phasor::app {

struct EncodingShapeOptions {
  std::optional<int64_t> length, layers, heads, width, head_width;
  std::string grid;
  bool causal = false;

  // With `by_head`, the width is given per head: --head-width instead of --width.
  void add_to(CLI::App& command, bool by_head = false);
  bool empty() const;
  // What is not given is as usual_shape() has it.
  EncodingShape shape(const Encoding& encoding) const;
};

}  // namespace phasor::app
