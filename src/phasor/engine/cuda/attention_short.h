#pragma once
// Attention on tensor cores over short sequences: a head's rows all lie in shared memory at once, so that a warp sees
// whole rows of scores. The softmax needs no running sums, and the backward pass makes the gradient of a score once for
// queries, keys, values and distances. Longer sequences of the same batch are left to the other kernels: which one
// takes a sequence follows from its own length alone. For .cu files.
#include <cstdint>

#include "phasor/engine/cuda/attention_gradients.h"
#include "phasor/engine/cuda/attention_tensor.h"

namespace phasor::cuda {

inline constexpr int kShortRows = 128;
inline constexpr int kShortTiles = kShortRows / 16;
inline constexpr int kMostShortChannels = 64;
inline constexpr float kLog2E = 1.44269504088896341f;
inline constexpr float kLn2 = 0.69314718055994531f;

// Whether these kernels serve for the sequences that are short enough.
inline bool takes_short(const Attention& a) {
  const bool distances = a.bias.table.empty() || (a.bias.rows == 1 && a.sequences.running);
  return takes_tensor_cores(a) && a.shape.key_width <= kMostShortChannels &&
         a.shape.value_width <= kMostShortChannels && a.shape.heads == a.shape.key_heads && distances;
}
inline bool takes_short(const AttentionBackward& op) {
  const bool distances = op.dbias.empty() || (op.attention.bias.rows == 1 && op.attention.sequences.running);
  return takes_short(op.attention) && op.dfrequency.empty() && distances;
}

// Whether all of a batch's sequences are known to be short.
inline bool are_short(const Sequences& sequences) {
  return sequences.length_bound >= 0 && sequences.length_bound <= kShortRows;
}
// Rows that shared memory must hold, a multiple of 16.
inline int short_rows(const Sequences& sequences) {
  return are_short(sequences) ? std::max(static_cast<int>((sequences.length_bound + 15) / 16 * 16), 16) : kShortRows;
}
inline int64_t sequence_bound(const Sequences& sequences) {
  return sequences.count_bound >= 0 ? sequences.count_bound : sequences.offsets.extent(0) - 1;
}

template <class F>
void with_short_channels(const AttentionShape& shape, const F& f) {
  const int widest = std::max(shape.key_width, shape.value_width);
  if (widest <= 16) {
    f(std::integral_constant<int, 16>());
  } else if (widest <= 32) {
    f(std::integral_constant<int, 32>());
  } else {
    f(std::integral_constant<int, kMostShortChannels>());
  }
}

// Narrow heads share a block.
constexpr int short_heads(int channels) { return channels <= 16 ? 2 : 1; }
// Elements from row to row: eight rows meet no bank twice.
constexpr int short_stride(int channels) { return channels + 8; }
// Floats of a head's biases, or of their gradients, by distance: -127 .. 127.
inline constexpr int kShortDistances = 2 * kShortRows;
inline constexpr int kShortOrigin = kShortRows - 1;

__device__ inline float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}

// Of a tile of 16 queries and 16 keys, which the caller's first ones begin: bit 8 (h + 2 p) + e tells whether the
// weight of the lane's row g + 8 h and key 8 p + 2 t + e is kept. A Philox block decides eight keys of a query, so each
// lane draws one of the 32 blocks.
__device__ inline unsigned kept_of_tile(const DropoutMask& mask, const HeadPlace& place, int query, int key) {
  const int g = this_lane() / 4, t = this_lane() % 4;
  const uint64_t block = dropout_block(place, query + g + t % 2 * 8, key + t / 2 * 8);
  unsigned bits = mask.keep_bits(block) << (8 * t);
  bits |= __shfl_xor_sync(kAllLanes, bits, 1);
  bits |= __shfl_xor_sync(kAllLanes, bits, 2);
  return bits >> (2 * t);
}
__device__ constexpr unsigned kept_bit(int part, int e) { return 1u << (8 * (e / 2 + 2 * part) + e % 2); }

// Rows [0, valid) of a head's channels as they lie in memory, zeros up to `rows`; asynchronous where 16 bytes can be
// copied at a time. Ends without a barrier.
template <int kChannels>
__device__ void copy_rows(bfloat16* to, int rows, int valid, int64_t first, const HeadChannels& channels, int width) {
  const int own = static_cast<int>(channels.own_width);
  const bool fast = width % 8 == 0 && own % 8 == 0 &&
                    (own == 0 || (channels.own.dtype() == Dtype::bf16 &&
                                  begins_16_bytes(channels.own, channels.head * channels.own_width))) &&
                    (own == width || (channels.shared.dtype() == Dtype::bf16 && begins_16_bytes(channels.shared, 0)));
  constexpr int kPerRow = kChannels / 8;
  for (int i = static_cast<int>(threadIdx.x); i < rows * kPerRow; i += static_cast<int>(blockDim.x)) {
    const int r = i / kPerRow, c = i % kPerRow * 8;
    bfloat16* place = to + r * short_stride(kChannels) + c;
    if (r >= valid || c >= width) {
      *reinterpret_cast<uint4*>(place) = make_uint4(0, 0, 0, 0);
    } else if (fast) {
      copy_async(place,
                 c < own ? channels.own.row<bfloat16>(first + r) + channels.head * own + c
                         : channels.shared.row<bfloat16>(first + r) + (c - own),
                 16);
    } else {
      for (int e = 0; e < 8; ++e) place[e] = to_bfloat16(c + e < width ? channels.at(first + r, c + e) : 0.0f);
    }
  }
}

// The same, turned. Ends without a barrier.
template <int kChannels>
__device__ void copy_turned(bfloat16* to, int rows, int valid, const Attention& a, const HeadPlace& place,
                            const HeadChannels& channels, const View<const float, 4>& table) {
  const HeadTurn turn(table, a, place);
  if (turn.pairs() == 0) {
    copy_rows<kChannels>(to, rows, valid, place.first, channels, a.shape.key_width);
    return;
  }
  const TurnedChannels turned(channels, turn, a);
  constexpr int kPerRow = kChannels / 8;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < rows * kPerRow; i += static_cast<int>(blockDim.x)) {
    const int r = i / kPerRow, c = i % kPerRow * 8;
    float eight[8] = {};
    if (r < valid) turned.read(eight, place.first + r, c);
    write_eight(to + r * short_stride(kChannels) + c, eight);
  }
}

// A head's values, or what is shaped like them.
__device__ inline HeadChannels value_channels(const ConstMatrix& values, const Attention& a, int64_t head) {
  return {values, a.shared_query, head, a.shape.value_width};
}

// Fragments of 16 rows for products by what lies beside them in memory: A of [16 rows, channels].
template <int kChannels>
__device__ void load_rows(uint32_t (&to)[kChannels / 16][4], const bfloat16* rows) {
#pragma unroll
  for (int k = 0; k < kChannels / 16; ++k) {
    load_matrices(to[k], rows + this_lane() % 16 * short_stride(kChannels) + k * 16 + this_lane() / 16 * 8);
  }
}
// B of [16 rows as k, channels]: 0 and 1 of an entry are channels 0 .. 7 of its sixteen, 2 and 3 the others.
template <int kChannels>
__device__ void load_as_depth(uint32_t (&to)[kChannels / 16][4], const bfloat16* rows) {
#pragma unroll
  for (int c = 0; c < kChannels / 16; ++c) {
    load_matrices_transposed(to[c], rows + this_lane() % 16 * short_stride(kChannels) + c * 16 + this_lane() / 16 * 8);
  }
}

// c[16 rows, 16 columns] += a b^T, where b's 16 rows lie in shared memory.
template <int kChannels>
__device__ void multiply_tile(float (&c)[2][4], const uint32_t (&a)[kChannels / 16][4], const bfloat16* b) {
  const int lane = this_lane();
#pragma unroll
  for (int k = 0; k < kChannels / 16; ++k) {
    uint32_t right[4];
    load_matrices(right, b + (lane % 8 + lane / 16 * 8) * short_stride(kChannels) + k * 16 + lane / 8 % 2 * 8);
    multiply_add(c[0], a[k], right[0], right[1]);
    multiply_add(c[1], a[k], right[2], right[3]);
  }
}

// Waits for kThreads threads of a block, those of group 0 or those of group 1. (A barrier whose number is not known
// when this is compiled would reserve all sixteen.)
template <int kThreads>
__device__ inline void wait_for_group(int group) {
  if (group == 0) {
    asm volatile("bar.sync 1, %0;\n" ::"n"(kThreads) : "memory");
  } else {
    asm volatile("bar.sync 2, %0;\n" ::"n"(kThreads) : "memory");
  }
}

// The biases of a head by distance, in the softmax's base 2; 0 without any, and where a sequence has no such distance.
__device__ inline void load_biases(float* to, const Attention& a, const HeadPlace& place, int n, int thread,
                                   int threads) {
  const bool biased = !a.bias.table.empty();
  const float* row = biased ? a.bias.table.row(bias_row(a, place)) + a.bias.reach : nullptr;
  for (int i = thread; i < kShortDistances; i += threads) {
    const int d = i - kShortOrigin;
    to[i] = biased && d < n && -d < n ? row[d] * kLog2E : 0.0f;
  }
}

void short_forward(const AttentionForward& op, const CudaContext& context);
// Shares of shared channels and by distance go to the scratch memory.
void short_backward(const AttentionBackward& op, const BackwardScratch& scratch, const CudaContext& context);
void add_short_distances(const AttentionBackward& op, const BackwardScratch& scratch, const CudaContext& context);

}  // namespace phasor::cuda
