#pragma once
// Formulas whose quotes are not as an expression has them: single or curly ones, or none because a shell took them.
#include <functional>
#include <string>
#include <string_view>

namespace phasor {

// Where the first quote stands that is not a double one and not within double ones, from 1; 0: there is none.
int foreign_quote(std::string_view text);

// "a formula stands in double quotes: bias("-d"); in a shell: 'bias("-d")'", or nothing where quotes are not what is
// wrong. `reads` says whether a text is an encoding.
std::string quote_hint(std::string_view text, const std::function<bool(const std::string&)>& reads);

}  // namespace phasor
