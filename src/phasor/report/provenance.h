#pragma once
// What made a result: program, machine and day.
#include <string>

namespace phasor {

struct Provenance {
  std::string version, commit, machine, date;

  static Provenance here();
  std::string text() const;  // a sentence
};

}  // namespace phasor
