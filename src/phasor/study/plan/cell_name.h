#pragma once
// A cell of a study: the runs that differ in their seed alone.
#include <string>

namespace phasor {

struct CellName {
  std::string task;
  std::string protocol;
  std::string encoding;  // canonical
  std::string variant;   // what else sets it apart, as a person would say it; often empty

  bool operator==(const CellName&) const = default;
};

// "rope on distance, clean" or "rope on distance, clean, keys_values"
std::string text(const CellName& cell);

}  // namespace phasor
