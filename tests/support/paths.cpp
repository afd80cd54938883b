#include "support/paths.h"

namespace phasor {

const char* fixtures_folder() { return PHASOR_FIXTURES; }
const char* phasor_binary() { return PHASOR_BINARY; }
const char* fault_layer() { return PHASOR_FAULT_LAYER; }

}  // namespace phasor
