#pragma once
// Where an encoding meets the model: the headings under which the catalogue is listed.
#include <string>
#include <string_view>

#include "phasor/encoding/catalogue.h"

namespace phasor {

enum class EncodingFamily : uint8_t { input, bias, gates, rows, rotation, scale, decoupled, softmax, wrapper, formula };

std::string_view family_name(EncodingFamily family);   // one word
std::string_view family_title(EncodingFamily family);  // a heading

// An expression that stands for the entry: its bare name, or its example where a bare name says too little.
std::string shown_expression(const EncodingEntry& entry);

// By what its parameters and its tables are; nothing to keep in step with the catalogue.
EncodingFamily family_of(const EncodingEntry& entry);

}  // namespace phasor
