#pragma once
// An encoding as a person writes it: a sum of catalogue terms, each with arguments and an assignment
// to layers and heads. See docs/encodings.md for the grammar.
#include <string>
#include <string_view>

#include "phasor/encoding/resolve/resolved.h"
#include "phasor/encoding/syntax/expression.h"

namespace phasor {

// Throws UsageError that points at the column. Checks names and arguments against the catalogue.
Encoding parse_encoding(std::string_view text);

// The canonical text: parse_encoding(print(e)) == e, and two spellings of one encoding print alike.
std::string print(const Encoding& encoding);

// Fills every place. A clash (two rotations on one head) is a UsageError that names both terms.
ResolvedEncoding resolve(const Encoding& encoding, const EncodingShape& shape);

}  // namespace phasor
