#include "phasor/model/token_positions.h"

#include <numeric>
#include <span>
#include <utility>

#include "phasor/model/segment_positions.h"
#include "phasor/random/distributions.h"

namespace phasor {
namespace {

uint32_t hash(std::span<const int32_t> tokens) {
  uint32_t hash = 2166136261u;  // FNV-1a over words
  for (const int32_t token : tokens) hash = (hash ^ static_cast<uint32_t>(token)) * 16777619u;
  return hash;
}

// A sorted subset of 0 .. extent - 1, each as likely as any other, by Floyd's method: one draw per member.
std::vector<int32_t> sorted_subset(int64_t count, int64_t extent, const RandomStream& stream) {
  std::vector<bool> taken(static_cast<size_t>(extent), false);
  Draws draws(stream);
  for (int64_t last = extent - count; last < extent; ++last) {
    const size_t number = draws.below(static_cast<uint32_t>(last + 1));
    taken[taken[number] ? static_cast<size_t>(last) : number] = true;
  }
  std::vector<int32_t> subset;
  for (int64_t number = 0; number < extent; ++number) {
    if (taken[static_cast<size_t>(number)]) subset.push_back(static_cast<int32_t>(number));
  }
  return subset;
}

// 0 .. extent - 1 in a random order, each as likely as any other (Fisher and Yates). The model's seed has no part in
// it.
std::vector<int32_t> random_order(int64_t extent, int64_t seed) {
  constexpr uint32_t kScatteredSite = 0x73636174;
  std::vector<int32_t> order(static_cast<size_t>(extent));
  std::iota(order.begin(), order.end(), 0);
  Draws draws({.seed = static_cast<uint64_t>(seed), .purpose = Purpose::encoding, .site = kScatteredSite});
  for (size_t last = order.size(); last > 1; --last) {
    std::swap(order[last - 1], order[draws.below(static_cast<uint32_t>(last))]);
  }
  return order;
}

// Where the positions of a sequence start on an axis of segments: at 0 without a shift and in evaluation.
int32_t segment_start(const PositionAxis& axis, std::span<const int32_t> tokens, uint64_t seed, uint32_t step) {
  if (axis.segments.shift == 0 || step == 0) return 0;
  Draws draws({.seed = seed, .purpose = Purpose::encoding, .site = hash(tokens), .step = step});
  const auto choices = static_cast<uint32_t>(axis.segments.shift + 1);
  const uint32_t first = draws.below(choices);
  return static_cast<int32_t>(axis.kind == PositionAxis::Kind::offset ? first : draws.below(choices));
}

// Cells are laid out row by row: the last coordinate runs fastest.
int32_t coordinate_of(int64_t index, const std::vector<int64_t>& grid, int64_t coordinate) {
  for (size_t a = grid.size() - 1; a > static_cast<size_t>(coordinate); --a) index /= grid[a];
  return static_cast<int32_t>(index % grid[static_cast<size_t>(coordinate)]);
}

}  // namespace

std::vector<int32_t> token_positions(const Batch& batch, const ResolvedEncoding& encoding, uint64_t seed,
                                     uint32_t step) {
  const size_t axes = encoding.axes.size();
  std::vector<int32_t> positions(batch.tokens.size() * axes);
  std::vector<std::vector<int32_t>> orders(axes);  // of scattered ones
  for (size_t a = 0; a < axes; ++a) {
    const PositionAxis& axis = encoding.axes[a];
    if (axis.kind == PositionAxis::Kind::scattered) orders[a] = random_order(axis.extent, axis.seed);
  }
  for (size_t s = 0; s + 1 < batch.offsets.size(); ++s) {
    const size_t first = static_cast<size_t>(batch.offsets[s]);
    const size_t length = static_cast<size_t>(batch.offsets[s + 1]) - first;
    for (size_t a = 0; a < axes; ++a) {
      const PositionAxis& axis = encoding.axes[a];
      const std::span<const int32_t> tokens(batch.tokens.data() + first, length);
      std::vector<int32_t> drawn;
      if (axis.kind == PositionAxis::Kind::segment || axis.kind == PositionAxis::Kind::offset) {
        drawn = segment_positions(tokens, axis, segment_start(axis, tokens, seed, step));
      }
      if (axis.kind == PositionAxis::Kind::randomized) {
        const RandomStream stream{.seed = seed, .purpose = Purpose::encoding, .site = hash(tokens), .step = step};
        drawn = sorted_subset(static_cast<int64_t>(length), axis.extent, stream);
      }
      for (size_t t = 0; t < length; ++t) {
        const int32_t index = batch.positions[first + t];
        int32_t& position = positions[(first + t) * axes + a];
        if (axis.kind == PositionAxis::Kind::index) position = index;
        if (!drawn.empty()) position = drawn[t];
        if (axis.kind == PositionAxis::Kind::scattered) position = orders[a][static_cast<size_t>(index)];
        if (axis.kind == PositionAxis::Kind::coordinate) {
          position = coordinate_of(index, encoding.shape.grid, axis.coordinate);
        }
      }
    }
  }
  return positions;
}

}  // namespace phasor
