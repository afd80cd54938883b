#pragma once
// Which rows a block of an attention kernel takes. Tiles start where sequences start, so that the bits of a sequence do
// not depend on the batch around it. How many there are is data: a small kernel lists them, grids are made for the
// capacity and blocks beyond the list end at once. For .cu files.
#include <cstdint>

#include "phasor/engine/cuda/context.h"
#include "phasor/engine/ops.h"

namespace phasor::cuda {

struct AttentionTile {
  int32_t sequence = 0;
  int32_t begin = 0;  // first row, counted within the sequence
};

// The tiles of one height of a batch's sequences of more than `longer_than` tokens, sequence after sequence. Device
// memory of the op that made it.
class AttentionTiles {
 public:
  AttentionTiles(const Sequences& sequences, int rows, int longer_than, const CudaContext& context);

  const AttentionTile* list() const { return list_.data(); }
  const int32_t* count() const { return count_.data(); }
  // No batch that fits has more.
  int64_t capacity() const { return capacity_; }

 private:
  int64_t capacity_;
  ScratchArray<AttentionTile> list_;
  ScratchArray<int32_t> count_;
};

}  // namespace phasor::cuda
