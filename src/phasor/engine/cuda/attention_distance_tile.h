#pragma once
// Tiles of dL added to a table by distance, row after row, in an order that follows from the tiles alone. For .cu
// files.
#include <cstdint>

#include "phasor/engine/cuda/attention_block.h"

namespace phasor::cuda {

// Positions on the bias's axis of the rows at hand, in shared memory.
template <int Rows>
struct TilePositions {
  int32_t query[Rows], key[kWarp];
};

// row[p_j] += the lane's value, for one row of dL; lanes of equal p_j are added first, in order.
__device__ inline void add_row(float* row, int32_t key_position, float value, bool valid) {
  const int lane = this_lane();
  // Positions are not negative: lanes without a key are each alone.
  const unsigned alike = __match_any_sync(kAllLanes, valid ? key_position : -1 - lane);
  float sum = value;
  if (__any_sync(kAllLanes, __popc(alike) > 1)) {
    for (int k = 1; k < kWarp; ++k) {
      const float other = __shfl_sync(kAllLanes, value, k);
      if (k > lane && (alike >> k & 1u) != 0) sum += other;
    }
  }
  if (valid && lane == __ffs(static_cast<int>(alike)) - 1) row[key_position] += sum;
}

// One tile of dL, [rows, 32] in shared memory, into a table [bias rows, 2 reach + 1]. Every thread calls it.
template <int Rows>
__device__ void add_tile(float* table, const float* dscores, const TilePositions<Rows>& at, int rows, int keys,
                         const DistanceBias& bias) {
  const int t = static_cast<int>(threadIdx.x);
  const int64_t columns = 2 * int64_t{bias.reach} + 1;
  if (bias.rows == 1) {
    // Where positions run on by one, a thread takes a diagonal of the tile.
    const bool runs_on = (t >= rows || at.query[t] == at.query[0] + t) && (t >= keys || at.key[t] == at.key[0] + t);
    if (__syncthreads_and(runs_on) != 0) {
      const int diagonal = t - (Rows - 1);
      float sum = 0.0f;
      bool any = false;
      for (int r = 0; r < rows; ++r) {
        const int j = r + diagonal;
        if (j < 0 || j >= keys) continue;
        any = true;
        sum += dscores[r * kWarp + j];
      }
      if (any) table[bias.reach + at.key[0] - at.query[0] + diagonal] += sum;
      return;
    }
  } else {
    // Queries of different positions have rows of their own.
    bool alone = true;
    for (int r = 0; r < min(t, rows); ++r) alone = alone && (t >= rows || at.query[r] != at.query[t]);
    if (__syncthreads_and(alone) != 0) {
      for (int r = this_warp(); r < rows; r += static_cast<int>(blockDim.x) / kWarp) {
        const int lane = this_lane();
        add_row(table + at.query[r] * columns + bias.reach - at.query[r], at.key[lane], dscores[r * kWarp + lane],
                lane < keys);
      }
      return;
    }
  }
  if (this_warp() != 0) return;
  for (int r = 0; r < rows; ++r) {
    const int lane = this_lane();
    const int64_t first = bias.rows > 1 ? at.query[r] * columns : 0;
    add_row(table + first + bias.reach - at.query[r], at.key[lane], dscores[r * kWarp + lane], lane < keys);
    __syncwarp();
  }
}

}  // namespace phasor::cuda
