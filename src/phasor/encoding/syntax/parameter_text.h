#pragma once
// A parameter in words: for lists, cards and the manual.
#include <string>
#include <string_view>

#include "phasor/encoding/syntax/parameter.h"

namespace phasor {

// The value as it is written in an expression; "none" for an empty list, "required" where there is no default.
std::string default_text(const EncodingParameter& parameter);

// What may stand behind its name: "1 to 1e+12", "standard, released or learned". Words are put between `quote`s.
std::string accepted_text(const EncodingParameter& parameter, std::string_view quote = "");

}  // namespace phasor
