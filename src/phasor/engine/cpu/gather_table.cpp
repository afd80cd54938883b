#include <algorithm>
#include <limits>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"

namespace phasor {
namespace {

constexpr int64_t kGrain = 1 << 14;          // entries
constexpr int64_t kSerialEntries = 1 << 16;  // up to here a plain loop takes less time than sharing the work

// The parameters that a chunk of entries reads lie in lowest .. highest.
struct ChunkRange {
  int32_t lowest = std::numeric_limits<int32_t>::max();
  int32_t highest = -1;  // as it stays where every entry is left out

  bool empty() const { return highest < 0; }
};

ChunkRange chunk_range(const int32_t* index, int64_t begin, int64_t end) {
  ChunkRange range;
  for (int64_t e = begin; e < end; ++e) {
    if (index[e] < 0) continue;
    range.lowest = std::min(range.lowest, index[e]);
    range.highest = std::max(range.highest, index[e]);
  }
  return range;
}

using ChunkGroup = std::vector<int64_t>;

// Chunks whose ranges overlap come into one group, in the order of their entries: no two groups share a parameter.
std::vector<ChunkGroup> disjoint_groups(const std::vector<ChunkRange>& ranges) {
  ChunkGroup by_lowest;
  for (size_t chunk = 0; chunk < ranges.size(); ++chunk) {
    if (!ranges[chunk].empty()) by_lowest.push_back(static_cast<int64_t>(chunk));
  }
  const auto range = [&](int64_t chunk) { return ranges[static_cast<size_t>(chunk)]; };
  std::sort(by_lowest.begin(), by_lowest.end(),
            [&](int64_t a, int64_t b) { return range(a).lowest < range(b).lowest; });
  std::vector<ChunkGroup> groups;
  int32_t highest = -1;
  for (const int64_t chunk : by_lowest) {
    if (range(chunk).lowest > highest) groups.emplace_back();
    groups.back().push_back(chunk);
    highest = std::max(highest, range(chunk).highest);
  }
  for (ChunkGroup& group : groups) std::sort(group.begin(), group.end());
  return groups;
}

void add_entries(const GatherTableBackward& op, int64_t begin, int64_t end) {
  float* dparameter = op.dparameter.data();
  const float* dtable = op.dtable.data();
  const int32_t* index = op.index.data();
  for (int64_t e = begin; e < end; ++e) {
    if (index[e] >= 0) dparameter[index[e]] += dtable[e];
  }
}

}  // namespace

void CpuBackend::run(const GatherTableForward& op) {
  parallel_for(op.table.size(), kGrain, [&](int64_t begin, int64_t end) {
    float* table = op.table.data();
    const float* parameter = op.parameter.data();
    const int32_t* index = op.index.data();
    for (int64_t e = begin; e < end; ++e) {
      if (index[e] >= 0) table[e] += parameter[index[e]];
    }
  });
}

// The bits are those of the plain loop over the entries: threads never share a parameter. Tables with an entry of
// their own for each parameter are the large ones, and fall into as many groups as chunks.
void CpuBackend::run(const GatherTableBackward& op) {
  const int64_t entries = op.dtable.size();
  if (entries <= kSerialEntries) {
    add_entries(op, 0, entries);
    return;
  }
  std::vector<ChunkRange> ranges(static_cast<size_t>(chunk_count(entries, kGrain)));
  parallel_for(entries, kGrain, [&](int64_t begin, int64_t end) {
    ranges[static_cast<size_t>(begin / kGrain)] = chunk_range(op.index.data(), begin, end);
  });
  const std::vector<ChunkGroup> groups = disjoint_groups(ranges);
  parallel_for(static_cast<int64_t>(groups.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      for (const int64_t chunk : groups[static_cast<size_t>(g)]) {
        add_entries(op, chunk * kGrain, std::min(entries, (chunk + 1) * kGrain));
      }
    }
  });
}

}  // namespace phasor
