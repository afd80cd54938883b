#pragma once
// One parameter of a catalogue entry: what may stand behind its name, and what holds when nothing does.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/encoding/expression.h"

namespace phasor {

struct EncodingParameter {
  enum class Kind : uint8_t { number, integer, word };

  std::string name;
  Kind kind = Kind::number;
  TermValue default_value;
  double least = 0.0;  // of a number or an integer, inclusive
  double most = 0.0;
  std::vector<std::string> choices;  // of a word
  std::string help;
};

EncodingParameter number_parameter(std::string name, double default_value, double least, double most, std::string help);
EncodingParameter integer_parameter(std::string name, int64_t default_value, int64_t least, int64_t most,
                                    std::string help);
// The first choice is the default.
EncodingParameter word_parameter(std::string name, std::vector<std::string> choices, std::string help);

}  // namespace phasor
