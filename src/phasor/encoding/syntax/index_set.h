#pragma once
// Which heads or layers a term is given to: a set of numbers kept as sorted ranges that neither
// overlap nor touch, so that equal sets compare and print alike.
#include <cstdint>
#include <string>
#include <vector>

namespace phasor {

struct IndexRange {
  int64_t first = 0;
  int64_t last = 0;  // inclusive

  bool operator==(const IndexRange&) const = default;
};

class IndexSet {
 public:
  IndexSet() = default;
  // Any order, overlaps allowed; each range needs first <= last.
  explicit IndexSet(std::vector<IndexRange> ranges);

  const std::vector<IndexRange>& ranges() const { return ranges_; }
  bool empty() const { return ranges_.empty(); }
  bool contains(int64_t index) const;
  // Of a set that is not empty.
  int64_t first() const { return ranges_.front().first; }
  int64_t last() const { return ranges_.back().last; }

  bool operator==(const IndexSet&) const = default;

 private:
  std::vector<IndexRange> ranges_;
};

// "0-1,3", or "none" for the empty set.
std::string print(const IndexSet& set);

}  // namespace phasor
