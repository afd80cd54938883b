#include "phasor/engine/cpu/scratch.h"

#include <array>
#include <cstdlib>
#include <memory>
#include <new>

namespace phasor {
namespace {

struct Free {
  void operator()(void* p) const { std::free(p); }  // NOLINT: pairs with aligned_alloc
};

struct Block {
  std::unique_ptr<void, Free> data;
  int64_t bytes = 0;
};

}  // namespace

void* thread_scratch(ScratchSlot slot, int64_t bytes) {
  thread_local std::array<Block, static_cast<size_t>(ScratchSlot::count)> blocks;
  Block& block = blocks[static_cast<size_t>(slot)];
  if (block.bytes < bytes) {
    const int64_t rounded = (bytes + 4095) / 4096 * 4096;
    block.data.reset();
    block.bytes = 0;
    block.data.reset(std::aligned_alloc(4096, static_cast<size_t>(rounded)));
    if (!block.data) throw std::bad_alloc();
    block.bytes = rounded;
  }
  return block.data.get();
}

}  // namespace phasor
