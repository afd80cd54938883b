// Any line is either refused with an Error or read as one of metrics.jsonl or telemetry.jsonl; what was read is written
// and read again as the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "phasor/base/error.h"
#include "phasor/run/metrics.h"
#include "phasor/run/telemetry.h"

namespace {

template <class Parse>
void try_line(std::string_view line, const Parse& parse) {
  try {
    const std::string written = to_json_line(parse(line, "input"));
    if (to_json_line(parse(written, "written")) == written) return;
  } catch (const phasor::Error&) {
    return;
  }
  std::fprintf(stderr, "metrics_fuzz: a line changed\n");
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  try_line(line, phasor::parse_metrics);
  try_line(line, phasor::parse_telemetry);
  return 0;
}
