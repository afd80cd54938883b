#pragma once
// One parameter of a catalogue entry: what may stand behind its name, and what holds when nothing does.
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/encoding/syntax/expression.h"

namespace phasor {

struct EncodingParameter {
  enum class Kind : uint8_t {
    number,
    integer,
    word,
    learnable,  // a number, or learned(number, ...)
    formula,    // quoted
    numbers,    // quoted, with commas
    words,      // of a task: quoted, with commas; one alone needs no quotes
    encoding,   // a whole expression
  };

  std::string name;
  Kind kind = Kind::number;
  TermValue default_value;
  double least = 0.0;  // of numbers, inclusive
  double most = 0.0;
  std::vector<std::string> choices = {};  // of a word; a formula may be one of these words instead
  std::string help;
  bool required = false;  // the default means nothing; canonical texts give it without its name, where it comes first
};

EncodingParameter number_parameter(std::string name, double default_value, double least, double most, std::string help);
EncodingParameter integer_parameter(std::string name, int64_t default_value, int64_t least, int64_t most,
                                    std::string help);
// The first choice is the default.
EncodingParameter word_parameter(std::string name, std::vector<std::string> choices, std::string help);
EncodingParameter learnable_parameter(std::string name, double default_value, double least, double most,
                                      std::string help);
// One of the words (the first is the default), or a formula.
EncodingParameter formula_parameter(std::string name, std::vector<std::string> words, std::string help);
EncodingParameter required_formula_parameter(std::string name, std::string help);
// Empty by default.
EncodingParameter numbers_parameter(std::string name, double least, double most, std::string help);
EncodingParameter required_words_parameter(std::string name, std::string help);
EncodingParameter encoding_parameter(std::string name, std::string help);

// What may stand in learned(...): the value it starts from, what shares it, and what it is kept within.
const std::vector<EncodingParameter>& learned_number_parameters();

}  // namespace phasor
