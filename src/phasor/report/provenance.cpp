#include "phasor/report/provenance.h"

#include <fmt/format.h>

#include <fstream>

#include "phasor/base/date.h"
#include "phasor/base/json_fields.h"
#include "phasor/base/threads.h"
#include "phasor/base/version.h"

namespace phasor {
namespace {

std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) == 0) {
      return fmt::format("{}, {} threads", line.substr(line.find(':') + 2), thread_count());
    }
  }
  return fmt::format("{} threads", thread_count());
}

}  // namespace

Provenance Provenance::here() {
  return {.version = phasor::version(), .commit = phasor::commit(), .machine = phasor::machine(), .date = utc_date()};
}

std::string Provenance::text() const {
  return fmt::format("Made by phasor {}, commit {}, on {}, {}.", version, commit, machine, date);
}

const Fields<Provenance>& json_fields(const Provenance*) {
  using P = Provenance;
  static const Fields<P> fields = {
      field("version", &P::version, "of Phasor"), field("commit", &P::commit, "that it was built from"),
      field("machine", &P::machine, "processor and threads"), field("date", &P::date, "of the summary")};
  return fields;
}

}  // namespace phasor
