#pragma once
// A cell of a study: the runs that differ in their seed alone.
#include <string>

namespace phasor {

struct CellName {
  std::string task;
  std::string protocol;
  std::string encoding;  // canonical
  std::string variant;   // what else sets it apart, as a person would say it; often empty
  // What the encoding is called in this study, by its author or because the expression is long; empty: as it is
  // written.
  std::string label;

  // By what is run, not by what it is called.
  bool operator==(const CellName& other) const;
};

// What tables, figures and sentences call the cell's encoding.
const std::string& encoding_label(const CellName& cell);

// "rope on distance, clean" or "rope on distance, clean, keys_values"
std::string text(const CellName& cell);

}  // namespace phasor
