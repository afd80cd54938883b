#pragma once
// What this build was made from; the definitions are generated.

namespace phasor {

const char* version();  // "0.1.0"
const char* commit();   // "98f04e0", "98f04e0 with changes" or "unknown"

}  // namespace phasor
