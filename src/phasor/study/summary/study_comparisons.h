#pragma once
// What the encodings of a study are compared by, where nothing else is planned.
#include <vector>

#include "phasor/study/records/study_results.h"
#include "phasor/study/summary/comparison.h"

namespace phasor {

// Every encoding against the first, where task, protocol and variant are equal, by accuracy and by steps to 90 %. A
// family is one number in one such group; of a group with more than seven encodings the first seven take part.
std::vector<Comparison> compare_with_first(const StudyResults& results);

}  // namespace phasor
