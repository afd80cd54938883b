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

  // A card leaves out what is too large to measure; matrices are made whatever it takes, and have no width of their
  // own.
  enum class Use : uint8_t { card, matrices };
  void add_to(CLI::App& command, Use use);
  bool empty() const;
  // What is not given is as usual_shape() has it.
  EncodingShape shape(const Encoding& encoding) const;

 private:
  Use use_ = Use::card;
};

}  // namespace phasor::app
