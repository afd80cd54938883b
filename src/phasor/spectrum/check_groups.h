#pragma once
// The theorems over several heads: those that came to one verdict are told together.
#include <string>
#include <vector>

#include "phasor/spectrum/head_summary.h"

namespace phasor {

struct CheckGroup {
  CheckTally first;  // of the first head of the group
  std::string verdict;
  int64_t heads = 0;
  int64_t sequences = 0;  // heads times their sequences
  int64_t applied = 0;
  int64_t held = 0;
};

// In the order in which the first head has them.
std::vector<CheckGroup> check_groups(const std::vector<HeadSummary>& heads);

}  // namespace phasor
