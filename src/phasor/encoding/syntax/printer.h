#pragma once
// From tree to text, without blanks: parse_expression(print_expression(e)) == e. Arguments stand as
// the tree has them; print() of encoding.h puts them into canonical order first.
#include <string>

#include "phasor/base/number_text.h"  // print_number, which every user of this header needs
#include "phasor/encoding/syntax/expression.h"

namespace phasor {

// Throws Error for a tree that no text can give (a number that is not finite, a quote in a formula).
std::string print_expression(const Encoding& encoding);
std::string print_expression(const Term& term);
std::string print_expression(const TermValue& value);

// ASCII from blank to tilde: all that a text may hold.
constexpr bool is_printable(char c) { return c >= ' ' && c <= '~'; }

}  // namespace phasor
