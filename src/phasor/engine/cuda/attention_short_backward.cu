// A block takes one sequence and one head, or two narrow ones. Each warp of a head owns a strip of its keys and goes
// through the queries, 16 at a time: gradients by keys and values stay in its registers, those by queries are sums over
// the strips.
//
// What a row of the softmax gives back, D = sum_j P_ij dP_ij, is summed here from the very weights that it is taken
// from, so that a row of dL sums to zero as exactly as fp32 goes: a D of the stored output would miss that by the
// output's rounding. The rows of dL are multiplied as bf16 and what that leaves over, for the same reason.
#include <math_constants.h>

#include "phasor/engine/cuda/attention_short.h"
#include "phasor/engine/cuda/attention_turn_back.h"

namespace phasor::cuda {
namespace {

template <int kChannels>
struct Shape {
  static constexpr int kHeads = short_heads(kChannels);
  static constexpr int kStrips = kChannels / 8;              // warps of a head
  static constexpr int kStripTiles = kShortTiles / kStrips;  // of 16 keys, at most
  static constexpr int kHeadThreads = kStrips * kWarp;
  static constexpr int kThreads = kHeads * kHeadThreads;
  static constexpr int kStride = short_stride(kChannels);
  static constexpr int kSumStride = kChannels + 4;  // floats from row to row of gradients
  static constexpr int kSums = 16 * kSumStride;     // floats of a strip's share of 16 rows
};

constexpr int kTileStride = 20;  // floats from row to row of a tile of dL

// A head's part of shared memory.
template <int kChannels>
struct HeadMemory {
  using S = Shape<kChannels>;
  bfloat16 *query, *key, *value, *dout;  // [rows, kStride]
  float* log_sums;                       // [kShortRows], in base 2
  float* taken;                          // [2, strips, 16]: D of the strips, of two turns
  float* sums;                           // [2, strips, kSums]: gradients by queries of the strips, of two turns
  float* biases;                         // [kShortDistances]
  float* distances;                      // [strips, kShortDistances]: dL summed by distance
  float* tiles;                          // [strips, 16 * kTileStride]

  __device__ HeadMemory(float4* shared, int head, int rows, bool biased, bool by_distance) {
    auto* at = reinterpret_cast<bfloat16*>(reinterpret_cast<char*>(shared) + head * bytes(rows, biased, by_distance));
    query = at;
    key = query + rows * S::kStride;
    value = key + rows * S::kStride;
    dout = value + rows * S::kStride;
    sums = reinterpret_cast<float*>(dout + rows * S::kStride);
    taken = sums + 2 * S::kStrips * S::kSums;
    log_sums = taken + 2 * S::kStrips * 16;
    biases = log_sums + kShortRows;
    distances = biases + (biased ? kShortDistances : 0);
    tiles = distances + (by_distance ? S::kStrips * kShortDistances : 0);
  }

  static PHASOR_HOST_DEVICE size_t bytes(int rows, bool biased, bool by_distance) {
    return sizeof(bfloat16) * 4 * rows * S::kStride +
           sizeof(float) * (2 * S::kStrips * (S::kSums + 16) + kShortRows + (biased ? kShortDistances : 0) +
                            (by_distance ? S::kStrips * (kShortDistances + 16 * kTileStride) : 0));
  }
};

// An 8 x 8 matrix of bf16 across the lanes, as ldmatrix leaves it, transposed.
__device__ inline uint32_t transposed(uint32_t matrix) {
  uint32_t result;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\n" : "=r"(result) : "r"(matrix));
  return result;
}
__device__ inline void transpose_tile(uint32_t (&to)[4], const uint32_t (&from)[4]) {
  to[0] = transposed(from[0]);
  to[1] = transposed(from[2]);
  to[2] = transposed(from[1]);
  to[3] = transposed(from[3]);
}

// Fragments [16 rows, channels] to rows of shared memory.
template <int kChannels>
__device__ void store_sums(float* to, const float (&sums)[kChannels / 8][4], float factor) {
  const int g = this_lane() / 4, t = this_lane() % 4;
#pragma unroll
  for (int c = 0; c < kChannels / 8; ++c) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      *reinterpret_cast<float2*>(to + (g + 8 * half) * Shape<kChannels>::kSumStride + c * 8 + t * 2) =
          make_float2(sums[c][2 * half] * factor, sums[c][2 * half + 1] * factor);
    }
  }
}

// Writes 16 rows of gradients, of which `valid` are there: the sum over `strips` shares in order, turned back.
template <int kChannels, int kStripCount>
__device__ void write_rows(const float* shares, int valid, int64_t first, const TurnBack* turn,
                           const GradientPlace& place, int thread, int threads) {
  using S = Shape<kChannels>;
  constexpr int kFours = kChannels / 4;
  for (int i = thread; i < 16 * kFours; i += threads) {
    const int r = i / kFours, c = i % kFours * 4;
    if (r >= valid || c >= place.width) continue;
    const auto read = [&](float(&to)[4], int channel) {
      float4 sum = *reinterpret_cast<const float4*>(shares + r * S::kSumStride + channel);
#pragma unroll
      for (int s = 1; s < kStripCount; ++s) {
        const float4 more = *reinterpret_cast<const float4*>(shares + s * S::kSums + r * S::kSumStride + channel);
        sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
      }
      to[0] = sum.x;
      to[1] = sum.y;
      to[2] = sum.z;
      to[3] = sum.w;
    };
    float four[4];
    if (turn != nullptr) {
      turn->four(four, first + r, c, read);
    } else {
      read(four, c);
    }
    place.write_four(first + r, c, four);
  }
}

// table[j - i] += dL over a tile of 16 queries and 16 keys; `distance` is that of the first two.
__device__ inline void add_diagonals(float* table, float* tile, const float (&dscores)[2][4], int distance) {
  const int g = this_lane() / 4, t = this_lane() % 4;
  __syncwarp();
#pragma unroll
  for (int e = 0; e < 8; e += 2) {
    *reinterpret_cast<float2*>(tile + (g + e % 4 / 2 * 8) * kTileStride + e / 4 * 8 + 2 * t) =
        make_float2(dscores[e / 4][e % 4], dscores[e / 4][e % 4 + 1]);
  }
  __syncwarp();
  const int diagonal = this_lane() - 15;  // of 31
  float sum = 0.0f;
#pragma unroll
  for (int r = 0; r < 16; ++r) {
    const int c = r + diagonal;
    if (c >= 0 && c < 16) sum += tile[r * kTileStride + c];
  }
  if (diagonal < 16) table[kShortOrigin + distance + diagonal] += sum;
}

template <int kChannels, bool kBiased>
__global__ void __launch_bounds__(Shape<kChannels>::kThreads, kChannels <= 32 ? 3 : 1)
    backward_kernel(const __grid_constant__ AttentionBackward op, const BackwardScratch scratch, int rows) {
  using S = Shape<kChannels>;
  constexpr int kStride = S::kStride;
  const Attention& a = op.attention;
  const int groups = (a.shape.heads + S::kHeads - 1) / S::kHeads;
  const int sequence = static_cast<int>(blockIdx.x) / groups;
  const int first_head = static_cast<int>(blockIdx.x) % groups * S::kHeads;
  if (sequence >= *a.sequences.count) return;
  const int within = this_warp() / S::kStrips;  // the warp's head of the block's
  const int strip = this_warp() % S::kStrips;
  const int thread = static_cast<int>(threadIdx.x) % S::kHeadThreads;
  const int heads = min(S::kHeads, a.shape.heads - first_head);
  const HeadPlace place(a, sequence, first_head + min(within, heads - 1));
  if (place.length == 0 || place.length > kShortRows) return;
  const int n = static_cast<int>(place.length);
  const int tiles = (n + 15) / 16;
  const bool by_distance = kBiased && !op.dbias.empty();

  extern __shared__ float4 shared[];
  for (int h = 0; h < heads; ++h) {
    const HeadPlace other(a, sequence, first_head + h);
    const HeadMemory<kChannels> to(shared, h, rows, kBiased, by_distance);
    copy_rows<kChannels>(to.value, 16 * tiles, n, other.first, value_channels(a.value, a, other.head),
                         a.shape.value_width);
    copy_rows<kChannels>(to.dout, 16 * tiles, n, other.first, value_channels(op.dout, a, other.head),
                         a.shape.value_width);
    copy_turned<kChannels>(to.query, 16 * tiles, n, a, other, query_channels(a, other), a.rotation.query);
    copy_turned<kChannels>(to.key, 16 * tiles, n, a, other, key_channels(a, other), a.rotation.key);
    for (int i = static_cast<int>(threadIdx.x); i < 16 * tiles; i += S::kThreads) {
      // No weight at all behind the sequence.
      to.log_sums[i] = i < n ? op.log_sum(other.first + i, other.head) * kLog2E : CUDART_INF_F;
    }
    if constexpr (kBiased) {
      load_biases(to.biases, a, other, n, static_cast<int>(threadIdx.x), S::kThreads);
      if (by_distance) {
        for (int i = static_cast<int>(threadIdx.x); i < S::kStrips * kShortDistances; i += S::kThreads) {
          to.distances[i] = 0.0f;
        }
      }
    }
  }
  close_copies();
  wait_copies<0>();
  __syncthreads();
  if (within >= heads) return;

  const HeadMemory<kChannels> memory(shared, within, rows, kBiased, by_distance);
  const int g = this_lane() / 4, t = this_lane() % 4;
  const DropoutMask mask(a.dropout, static_cast<uint32_t>(place.head));
  const float scale = logit_scale(a, place.head);
  const float keep = mask.keep_scale();
  const TurnBack turn_query(a.rotation.query, a, place);
  const int64_t tokens = a.sequences.positions.extent(0);
  const GradientPlace query_place{
      op.dquery, place.head, a.shape.key_width, a.shape.key_width - a.shape.shared_query_width, scratch.dshared_query,
      tokens};
  // Strips are as even as tiles go.
  const int per_strip = (tiles + S::kStrips - 1) / S::kStrips;
  const int first_tile = strip * per_strip;
  const int mine = max(min(per_strip, tiles - first_tile), 0);
  const auto write_queries = [&](int tile) {
    write_rows<kChannels, S::kStrips>(memory.sums + tile % 2 * S::kStrips * S::kSums, n - tile * 16,
                                      place.first + tile * 16, &turn_query, query_place, thread, S::kHeadThreads);
  };

  float dkey[S::kStripTiles][kChannels / 8][4] = {}, dvalue[S::kStripTiles][kChannels / 8][4] = {};
  for (int tile = 0; tile < tiles; ++tile) {
    const int begin = tile * 16;
    const bfloat16* query = memory.query + begin * kStride;
    const bfloat16* dout = memory.dout + begin * kStride;
    // Tiles of the strip that these queries see.
    const int seen = a.causal ? min(mine, tile + 1 - first_tile) : mine;
    const float log_sums[2] = {memory.log_sums[begin + g], memory.log_sums[begin + g + 8]};

    float weights[S::kStripTiles][2][4], dweights[S::kStripTiles][2][4], taken[2] = {};
    unsigned kept[S::kStripTiles];
    {
      uint32_t left[kChannels / 16][4], dleft[kChannels / 16][4];
      load_rows<kChannels>(left, query);
      load_rows<kChannels>(dleft, dout);
#pragma unroll
      for (int p = 0; p < S::kStripTiles; ++p) {
        if (p >= seen) break;
        const int first_key = (first_tile + p) * 16;
#pragma unroll
        for (int e = 0; e < 8; ++e) weights[p][e / 4][e % 4] = dweights[p][e / 4][e % 4] = 0.0f;
        multiply_tile<kChannels>(weights[p], left, memory.key + first_key * kStride);
        multiply_tile<kChannels>(dweights[p], dleft, memory.value + first_key * kStride);
        kept[p] = mask.active() ? kept_of_tile(mask, place, begin, first_key) : ~0u;
        const bool edge = first_tile + p == tiles - 1 || (a.causal && first_tile + p == tile);
        [[maybe_unused]] const float* bias = memory.biases + kShortOrigin + first_key - begin + 2 * t - g;
#pragma unroll
        for (int e = 0; e < 8; ++e) {
          float& weight = weights[p][e / 4][e % 4];
          float& dweight = dweights[p][e / 4][e % 4];
          float score = fmaf(weight, scale * kLog2E, -log_sums[e % 4 / 2]);
          if constexpr (kBiased) score += bias[e / 4 * 8 + e % 2 - e % 4 / 2 * 8];
          if (edge) {
            const int j = first_key + e / 4 * 8 + 2 * t + e % 2, i = begin + g + e % 4 / 2 * 8;
            if (j >= n || (a.causal && j > i)) score = -CUDART_INF_F;
          }
          weight = exp2_fast(score);
          dweight = (kept[p] & kept_bit(e / 4, e % 4)) != 0 ? dweight : 0.0f;
          taken[e % 4 / 2] = fmaf(weight, dweight, taken[e % 4 / 2]);
        }
      }
    }
    float* share = memory.taken + (tile % 2 * S::kStrips + strip) * 16;
    taken[0] = row_sum(taken[0]);
    taken[1] = row_sum(taken[1]);
    if (t == 0) {
      share[g] = taken[0];
      share[g + 8] = taken[1];
    }
    wait_for_group<S::kHeadThreads>(within);
    if (tile > 0) write_queries(tile - 1);
    const float* shares = memory.taken + tile % 2 * S::kStrips * 16;
    taken[0] = taken[1] = 0.0f;
#pragma unroll
    for (int s = 0; s < S::kStrips; ++s) {
      taken[0] += shares[s * 16 + g];
      taken[1] += shares[s * 16 + g + 8];
    }

    uint32_t queries[kChannels / 16][4], douts[kChannels / 16][4];
    load_as_depth<kChannels>(queries, query);
    load_as_depth<kChannels>(douts, dout);
    float dquery[kChannels / 8][4] = {};
#pragma unroll
    for (int p = 0; p < S::kStripTiles; ++p) {
      if (p >= seen) break;
      const int first_key = (first_tile + p) * 16;
      uint32_t packed[4], rest[4], across[4];
#pragma unroll
      for (int e = 0; e < 8; e += 2) {
        const float first = (kept[p] & kept_bit(e / 4, e % 4)) != 0 ? weights[p][e / 4][e % 4] : 0.0f;
        const float second = (kept[p] & kept_bit(e / 4, e % 4 + 1)) != 0 ? weights[p][e / 4][e % 4 + 1] : 0.0f;
        packed[e / 2] = pack(first, second);
      }
      transpose_tile(across, packed);
#pragma unroll
      for (int c = 0; c < kChannels / 8; ++c) {
        multiply_add(dvalue[p][c], across, douts[c / 2][c % 2 * 2], douts[c / 2][c % 2 * 2 + 1]);
      }
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        float& dscore = dweights[p][e / 4][e % 4];
        dscore = weights[p][e / 4][e % 4] * (dscore - taken[e % 4 / 2]);
      }
#pragma unroll
      for (int e = 0; e < 8; e += 2) {
        const float first = dweights[p][e / 4][e % 4], second = dweights[p][e / 4][e % 4 + 1];
        packed[e / 2] = pack(first, second);
        rest[e / 2] = pack_rest(packed[e / 2], first, second);
      }
      uint32_t keys[kChannels / 16][4];
      load_as_depth<kChannels>(keys, memory.key + first_key * kStride);
#pragma unroll
      for (int c = 0; c < kChannels / 8; ++c) {
        multiply_add(dquery[c], rest, keys[c / 2][c % 2 * 2], keys[c / 2][c % 2 * 2 + 1]);
        multiply_add(dquery[c], packed, keys[c / 2][c % 2 * 2], keys[c / 2][c % 2 * 2 + 1]);
      }
      transpose_tile(across, rest);
#pragma unroll
      for (int c = 0; c < kChannels / 8; ++c) {
        multiply_add(dkey[p][c], across, queries[c / 2][c % 2 * 2], queries[c / 2][c % 2 * 2 + 1]);
      }
      transpose_tile(across, packed);
#pragma unroll
      for (int c = 0; c < kChannels / 8; ++c) {
        multiply_add(dkey[p][c], across, queries[c / 2][c % 2 * 2], queries[c / 2][c % 2 * 2 + 1]);
      }
      if constexpr (kBiased) {
        if (by_distance) {
          add_diagonals(memory.distances + strip * kShortDistances, memory.tiles + strip * 16 * kTileStride,
                        dweights[p], first_key - begin);
        }
      }
    }
    store_sums<kChannels>(memory.sums + (tile % 2 * S::kStrips + strip) * S::kSums, dquery, scale * keep);
  }
  wait_for_group<S::kHeadThreads>(within);
  write_queries(tiles - 1);

  // Nobody reads the other turn's memory any more.
  float* own = memory.sums + (tiles % 2 * S::kStrips + strip) * S::kSums;
  const TurnBack turn_key(a.rotation.key, a, place);
  const GradientPlace key_place{
      op.dkey, place.head, a.shape.key_width, a.shape.key_width - a.shape.shared_key_width, scratch.dshared_key,
      tokens};
  const GradientPlace value_place{op.dvalue, place.head, a.shape.value_width, a.shape.value_width, nullptr, tokens};
#pragma unroll
  for (int p = 0; p < S::kStripTiles; ++p) {
    if (p >= mine) break;
    const int first_key = (first_tile + p) * 16;
    __syncwarp();
    store_sums<kChannels>(own, dkey[p], scale * keep);
    __syncwarp();
    write_rows<kChannels, 1>(own, n - first_key, place.first + first_key, &turn_key, key_place, this_lane(), kWarp);
    __syncwarp();
    store_sums<kChannels>(own, dvalue[p], keep);
    __syncwarp();
    write_rows<kChannels, 1>(own, n - first_key, place.first + first_key, nullptr, value_place, this_lane(), kWarp);
  }
  if (!by_distance) return;
  float* to = scratch.short_distances + (int64_t{sequence} * a.shape.heads + place.head) * kShortDistances;
  for (int i = thread; i < kShortDistances; i += S::kHeadThreads) {
    float sum = 0.0f;
#pragma unroll
    for (int s = 0; s < S::kStrips; ++s) sum += memory.distances[s * kShortDistances + i];
    to[i] = sum * keep;
  }
}

// dbias += the sequences' sums. Each of kShares threads of a distance takes every so many-th sequence, then their sums
// are added in order.
constexpr int kShares = 16;
constexpr int kColumns = 32;

__global__ void __launch_bounds__(kShares* kColumns)
    add_sequences(const __grid_constant__ AttentionBackward op, const float* distances) {
  const Attention& a = op.attention;
  const int64_t head = blockIdx.x, table = blockIdx.z;
  const int column = static_cast<int>(blockIdx.y) * kColumns + static_cast<int>(threadIdx.x);
  const int distance = column - kShortOrigin;
  const int64_t count = *a.sequences.count;
  float sum = 0.0f;
#pragma unroll 4
  for (int64_t s = threadIdx.y; s < count; s += kShares) {
    const int64_t length = a.sequences.offsets(s + 1) - a.sequences.offsets(s);
    const bool there = length <= kShortRows && distance < length && -distance < length &&
                       HeadPlace::table_of(a.bias.sequence_table, s) == table;
    if (there) sum += distances[(s * a.shape.heads + head) * kShortDistances + column];
  }
  __shared__ float sums[kShares][kColumns];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  const int at = a.bias.reach + distance;
  if (threadIdx.y != 0 || at < 0 || at >= op.dbias.extent(1)) return;
  float& to = op.dbias(table * a.shape.heads + head, at);
  float total = to;
  for (int share = 0; share < kShares; ++share) total += sums[share][threadIdx.x];
  to = total;
}

}  // namespace

void short_backward(const AttentionBackward& op, const BackwardScratch& scratch, const CudaContext& context) {
  const Attention& a = op.attention;
  const int rows = short_rows(a.sequences);
  const bool by_distance = !op.dbias.empty();
  const bool biased = by_distance || !a.bias.table.empty();
  with_short_channels(a.shape, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    using S = Shape<kChannels>;
    const int64_t blocks = sequence_bound(a.sequences) * chunks_of(a.shape.heads, S::kHeads);
    if (blocks == 0) return;
    const auto kernel = biased ? backward_kernel<kChannels, true> : backward_kernel<kChannels, false>;
    launch(kernel, dim3(static_cast<unsigned>(blocks)), S::kThreads,
           S::kHeads * HeadMemory<kChannels>::bytes(rows, biased, by_distance), context, op, scratch, rows);
  });
}

void add_short_distances(const AttentionBackward& op, const BackwardScratch& scratch, const CudaContext& context) {
  const int64_t heads = op.attention.shape.heads, tables = op.dbias.extent(0) / heads;
  const dim3 grid(static_cast<unsigned>(heads), kShortDistances / kColumns, static_cast<unsigned>(tables));
  add_sequences<<<grid, dim3(kColumns, kShares), 0, context.stream>>>(op, scratch.short_distances);
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace phasor::cuda
