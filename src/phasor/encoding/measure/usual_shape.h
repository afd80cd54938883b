#pragma once
// The shape on which an encoding is shown when none is given.
#include "phasor/encoding/encoding.h"

namespace phasor {

// 128 positions, 4 heads of 16 channels, 2 layers. More layers and heads where the expression names them, wider heads
// and fewer positions where it asks for that, a grid where it reads coordinates, a causal mask where it tells nothing
// apart without one. An encoding that fits nothing of this gets the first shape, and resolve() says why.
EncodingShape usual_shape(const Encoding& encoding);

}  // namespace phasor
