// Any text is either refused with an Error or read as a study's plan, or as a file that asks for one.
#include <cstdint>
#include <string_view>

#include "phasor/base/error.h"
#include "phasor/study/plan/plan_json.h"
#include "phasor/study/plan/study_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    phasor::plan_from_json(text, "input");
  } catch (const phasor::Error&) {
  }
  try {
    phasor::read_study(text, "input");
  } catch (const phasor::Error&) {
  }
  return 0;
}
