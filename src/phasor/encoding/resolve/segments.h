#pragma once
// How words cut a sequence into segments.
#include <cstdint>

#include "phasor/encoding/syntax/index_set.h"

namespace phasor {

struct Segments {
  // Where in a segment one of the words stands: it ends a segment (the next token is the first of the next one), it
  // starts one, or segments are runs of such words, and all other tokens stand outside.
  enum class At : uint8_t { end, start, inside };

  IndexSet words;
  At at = At::end;
  int64_t shift = 0;  // while training, positions start from a number drawn from 0 .. shift for every sequence

  bool operator==(const Segments&) const = default;
};

}  // namespace phasor
