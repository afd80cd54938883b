#pragma once
// What is odd about a study: what a reader should know before trusting its answers.
#include <string>
#include <vector>

#include "phasor/study/summary/study_summary.h"

namespace phasor {

struct Oddity {
  std::string text;
  std::vector<std::string> details;  // which cells
};

// At least one: the last word is that nothing is odd.
std::vector<Oddity> study_oddities(const StudySummary& summary);

}  // namespace phasor
