#pragma once
// The one form that all spellings of an encoding share.
#include <string_view>

#include "phasor/encoding/syntax/expression.h"

namespace phasor {

// Checks names and arguments against the catalogue; then names every argument, puts arguments into the
// catalogue's order, drops those that repeat a default and terms that fill no place, and sorts terms by
// first layer, first head, catalogue order and text. An empty sum is `nope`. Throws EncodingError;
// `text` is what the columns point into.
Encoding canonical(const Encoding& encoding, std::string_view text);

}  // namespace phasor
