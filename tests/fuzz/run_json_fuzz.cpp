// Any text is either refused with an Error or read as a run's settings, or as its result; settings that were read are
// written and read again as the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "phasor/base/error.h"
#include "phasor/run/config_json.h"
#include "phasor/run/finished_run.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const phasor::RunConfig config = phasor::config_from_json(text, "input");
    const std::string written = phasor::config_to_json(config);
    if (phasor::config_to_json(phasor::config_from_json(written, "written")) != written) {
      std::fprintf(stderr, "run_json_fuzz: settings changed\n");
      std::abort();
    }
  } catch (const phasor::Error&) {
  }
  try {
    phasor::parse_result(text, phasor::RunConfig(), "input");
  } catch (const phasor::Error&) {
  }
  return 0;
}
