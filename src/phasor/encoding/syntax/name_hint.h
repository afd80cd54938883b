#pragma once
// NAME=EXPR where an expression alone is read, or with a name that hides its own '='.
#include <functional>
#include <string>
#include <string_view>

namespace phasor {

// What is said of a name in front of an encoding; nothing where none is. `reads` says whether a text is an encoding.
std::string name_hint(std::string_view text, const std::function<bool(const std::string&)>& reads);

}  // namespace phasor
