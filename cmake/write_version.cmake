# Writes OUTPUT with the version and the commit that the sources are at, touching it only when one of them changed.
#   cmake -DSOURCE=... -DOUTPUT=... -DVERSION=... -P write_version.cmake
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=7 HEAD
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  set(commit "unknown")
else()
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- src apps cmake CMakeLists.txt
    RESULT_VARIABLE changed ERROR_QUIET)
  if(changed)
    string(APPEND commit " with changes")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "phasor/base/version.h"

namespace phasor {

const char* version() { return "@VERSION@"; }
const char* commit() { return "@commit@"; }

}  // namespace phasor
]] @ONLY)
