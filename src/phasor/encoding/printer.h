#pragma once
// From tree to text, without blanks: parse_expression(print_expression(e)) == e. Arguments stand as
// the tree has them; print() of encoding.h puts them into canonical order first.
#include <string>

#include "phasor/encoding/expression.h"

namespace phasor {

// Throws Error for a tree that no text can give (a number that is not finite, a quote in a formula).
std::string print_expression(const Encoding& encoding);
std::string print_expression(const Term& term);
std::string print_expression(const TermValue& value);

// The shortest decimal that reads back as the same double; with an exponent from 1e9 and below 1e-4.
std::string print_number(double number);

// ASCII from blank to tilde: all that a text may hold.
constexpr bool is_printable(char c) { return c >= ' ' && c <= '~'; }

}  // namespace phasor
