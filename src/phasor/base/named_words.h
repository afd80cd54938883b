#pragma once
// Words of a task that have a name, so that people need not know their numbers.
#include <cstdint>
#include <string>

namespace phasor {

struct NamedWords {
  std::string name;
  int64_t first = 0, last = 0;  // their numbers, inclusive

  bool operator==(const NamedWords&) const = default;
};

}  // namespace phasor
