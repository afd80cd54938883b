#pragma once
// Which places an encoding fills, drawn by layer and head.
#include <string>

#include "phasor/encoding/resolve/resolved.h"

namespace phasor {

// Lines, each with its end, with their labels in the first `label` columns.
std::string places_picture(const ResolvedEncoding& encoding, size_t label, size_t width);

}  // namespace phasor
