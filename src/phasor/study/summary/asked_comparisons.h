#pragma once
// Any two cells of a study, compared by the rules of the planned comparisons. One that was not planned is post hoc: who
// looks at many pairs and tells of one has chosen it by its result.
#include <optional>
#include <string>
#include <vector>

#include "phasor/study/summary/comparison.h"

namespace phasor {

// Which cells are meant beside their encodings; nothing: all that both have.
struct AskedPlaces {
  std::optional<std::string> task, protocol, variant;
};

// By test accuracy and steps to 90 %, wherever both have cells. `first` and `second` are what a cell's encoding is
// called, its expression in any spelling, either with the variant behind a comma, or all of text(cell). `planned`:
// those of the study, from which such a pair takes its place in a family. Throws UsageError that lists the cells.
std::vector<Comparison> asked_comparisons(const StudyResults& results, const std::vector<Comparison>& planned,
                                          const std::string& first, const std::string& second,
                                          const AskedPlaces& places = {});

}  // namespace phasor
