#pragma once
// What made a result: program, machine and day.
#include <string>

#include "phasor/base/json_fields_fwd.h"

namespace phasor {

struct Provenance {
  std::string version, commit, machine, date;

  static Provenance here();
  std::string text() const;  // a sentence
};
const Fields<Provenance>& json_fields(const Provenance*);

}  // namespace phasor
