#include "phasor/spectrum/check_groups.h"

#include <algorithm>

namespace phasor {

std::vector<CheckGroup> check_groups(const std::vector<HeadSummary>& heads) {
  std::vector<std::string> names;
  for (const HeadSummary& head : heads) {
    for (const CheckTally& tally : head.checks) {
      if (std::find(names.begin(), names.end(), tally.first.name) == names.end()) names.push_back(tally.first.name);
    }
  }
  std::vector<CheckGroup> groups;
  for (const std::string& name : names) {
    const size_t begin = groups.size();
    for (const HeadSummary& head : heads) {
      for (const CheckTally& tally : head.checks) {
        if (tally.first.name != name) continue;
        const std::string verdict = tally.verdict();
        auto group = std::find_if(groups.begin() + static_cast<std::ptrdiff_t>(begin), groups.end(),
                                  [&](const CheckGroup& known) { return known.verdict == verdict; });
        if (group == groups.end()) {
          groups.push_back({.first = tally, .verdict = verdict});
          group = std::prev(groups.end());
        }
        ++group->heads;
        group->sequences += tally.sequences;
        group->applied += tally.applied;
        group->held += tally.held;
      }
    }
  }
  return groups;
}

}  // namespace phasor
