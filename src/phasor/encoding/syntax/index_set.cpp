#include "phasor/encoding/syntax/index_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace phasor {

IndexSet::IndexSet(std::vector<IndexRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const IndexRange& a, const IndexRange& b) { return a.first < b.first; });
  for (const IndexRange& range : ranges) {
    assert(range.first <= range.last);
    if (!ranges_.empty() && range.first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, range.last);
    } else {
      ranges_.push_back(range);
    }
  }
}

bool IndexSet::contains(int64_t index) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [index](const IndexRange& range) { return range.first <= index && index <= range.last; });
}

std::string print(const IndexSet& set) {
  if (set.empty()) return "none";
  std::string text;
  for (const IndexRange& range : set.ranges()) {
    if (!text.empty()) text += ',';
    text += range.first == range.last ? fmt::format("{}", range.first) : fmt::format("{}-{}", range.first, range.last);
  }
  return text;
}

}  // namespace phasor
