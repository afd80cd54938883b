#pragma once
// What the attention kernels in fp32 arithmetic share: a block owns some rows, kRowsPerWarp for each warp, and goes
// through the other side 32 rows at a time, one for each lane. So a row of scores belongs to one warp. For .cu files.
#include <cstdint>
#include <string>

#include "phasor/engine/cuda/attention_head.h"
#include "phasor/engine/cuda/attention_tiles.h"
#include "phasor/engine/cuda/context.h"
#include "phasor/engine/cuda/dropout.h"

namespace phasor::cuda {

// Heads of up to 128 channels, and wider ones. Groups: of 32 channels, one for each lane.
struct NarrowHeads {
  static constexpr int kRowsPerWarp = 4, kWarps = 8, kGroups = 4;
};
struct WideHeads {
  static constexpr int kRowsPerWarp = 2, kWarps = 4, kGroups = 8;
};

template <class Heads>
struct BlockShape {
  static constexpr int kThreads = Heads::kWarps * kWarp;
  static constexpr int kRows = Heads::kWarps * Heads::kRowsPerWarp;
};

inline constexpr int kMostChannels = WideHeads::kGroups * kWarp;

// Floats from row to row in shared memory: an odd number of 16 bytes, so that eight lanes that read 16 bytes of eight
// rows meet no bank twice.
PHASOR_HOST_DEVICE constexpr int row_stride(int channels) { return ((channels + 3) / 4 | 1) * 4; }

__device__ inline int this_warp() { return static_cast<int>(threadIdx.x) / kWarp; }
__device__ inline int this_lane() { return static_cast<int>(threadIdx.x) % kWarp; }

// to[rows, stride] = value(row, channel); zeros beyond `valid` rows and `channels` channels.
template <class Value>
__device__ void fill_rows(float* to, int rows, int stride, int64_t valid, int channels, const Value& value) {
  for (int i = static_cast<int>(threadIdx.x); i < rows * stride; i += static_cast<int>(blockDim.x)) {
    const int r = i / stride;
    const int c = i % stride;
    to[i] = r < valid && c < channels ? value(r, c) : 0.0f;
  }
}

// Rows [begin, begin + rows) of a head's queries, turned and multiplied by the logit scale.
__device__ inline void load_query(float* to, int rows, int64_t begin, const Attention& a, const HeadPlace& place) {
  const HeadTurn turn(a.rotation.query, a, place);
  const HeadChannels channels = query_channels(a, place);
  const float scale = logit_scale(a, place.head);
  fill_rows(to, rows, row_stride(a.shape.key_width), place.length - begin, a.shape.key_width, [&](int r, int c) {
    const int64_t token = place.first + begin + r;
    return scale * turn.turned<false, float>(token, c, [&](int64_t channel) { return channels.at(token, channel); });
  });
}

__device__ inline void load_key(float* to, int rows, int64_t begin, const Attention& a, const HeadPlace& place) {
  const HeadTurn turn(a.rotation.key, a, place);
  const HeadChannels channels = key_channels(a, place);
  fill_rows(to, rows, row_stride(a.shape.key_width), place.length - begin, a.shape.key_width, [&](int r, int c) {
    const int64_t token = place.first + begin + r;
    return turn.turned<false, float>(token, c, [&](int64_t channel) { return channels.at(token, channel); });
  });
}

// Rows of a head's values or of something shaped like them: the columns head * value_width and on.
__device__ inline void load_value(float* to, int rows, int64_t begin, const ConstMatrix& from, int64_t head,
                                  const Attention& a, const HeadPlace& place) {
  const int width = a.shape.value_width;
  fill_rows(to, rows, row_stride(width), place.length - begin, width,
            [&](int r, int c) { return read_at(from, place.first + begin + r, head * width + c); });
}

// dots[r] = <own row r, the lane's row>, for the warp's own rows. Strides as row_stride gives them, padding is zero.
template <int Rows>
__device__ void dots_with_lane(float (&dots)[Rows], const float* own, const float* lane_row, int channels, int stride) {
#pragma unroll
  for (int r = 0; r < Rows; ++r) dots[r] = 0.0f;
  for (int c = 0; c < channels; c += 4) {
    const float4 x = *reinterpret_cast<const float4*>(lane_row + c);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const float4 y = *reinterpret_cast<const float4*>(own + r * stride + c);
      dots[r] = fmaf(x.x, y.x, fmaf(x.y, y.y, fmaf(x.z, y.z, fmaf(x.w, y.w, dots[r]))));
    }
  }
}

// sums[r][g] += sum over the first `count` lanes' rows k of factors[r][k] * rows[k][32 g + lane].
template <int Rows, int Groups>
__device__ void add_products(float (&sums)[Rows][Groups], const float* factors, const float* rows, int count,
                             int channels, int stride) {
  for (int k = 0; k < count; ++k) {
    float factor[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) factor[r] = factors[r * kWarp + k];
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      const int c = g * kWarp + this_lane();
      if (c >= channels) continue;
      const float x = rows[k * stride + c];
#pragma unroll
      for (int r = 0; r < Rows; ++r) sums[r][g] = fmaf(factor[r], x, sums[r][g]);
    }
  }
}

// to[row][channel] of the warp's own rows = sums.
template <int Rows, int Groups>
__device__ void store_sums(float* to, const float (&sums)[Rows][Groups], int channels, int stride) {
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
#pragma unroll
    for (int g = 0; g < Groups; ++g) {
      const int c = g * kWarp + this_lane();
      if (c < channels) to[(this_warp() * Rows + r) * stride + c] = sums[r][g];
    }
  }
}

// The Philox block that decides on keys 8 * (key / 8) .. + 7 of a query: index / 8.
__device__ inline uint64_t dropout_block(const HeadPlace& place, int64_t query, int64_t key) {
  return (static_cast<uint64_t>(place.sequence) << 37) + (static_cast<uint64_t>(query) << 17) +
         static_cast<uint64_t>(key / 8);
}

// Whether the weights from the warp's own queries (the first is `query`) to the lane's key are kept, a bit for each.
// Eight lanes share a Philox block, so each of them draws for a query; the lane's key is its number, from a multiple of
// 8 on.
template <int Rows>
__device__ unsigned kept_queries(const DropoutMask& mask, const HeadPlace& place, int64_t query, int64_t key) {
  static_assert(8 % Rows == 0);
  const int lane = this_lane();
  const unsigned drawn = mask.keep_bits(dropout_block(place, query + lane % Rows, key));
  unsigned kept = 0;
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    const unsigned bits = __shfl_sync(kAllLanes, drawn, (lane & ~7) | r);
    kept |= (bits >> (lane & 7) & 1u) << r;
  }
  return kept;
}

__device__ inline float warp_max(float value) {
  for (int step = kWarp / 2; step > 0; step /= 2) value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, step));
  return value;
}

// The logit's bias, 0 without one.
__device__ inline float bias_at(const Attention& a, int64_t row, int64_t query_position, int64_t key_position) {
  if (a.bias.table.empty()) return 0.0f;
  return a.bias.table(row + (a.bias.rows > 1 ? query_position : 0), a.bias.reach + key_position - query_position);
}

// Launches a kernel with more shared memory than it may take without asking.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, int threads, size_t shared_bytes, const CudaContext& context,
            const Arguments&... arguments) {
  if (shared_bytes > static_cast<size_t>(context.shared_memory_per_block)) {
    fail_text("attention needs " + std::to_string(shared_bytes) + " bytes of shared memory per block, the GPU has " +
              std::to_string(context.shared_memory_per_block) + "; use narrower heads");
  }
  PHASOR_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
  kernel<<<grid, threads, shared_bytes, context.stream>>>(arguments...);
  PHASOR_CUDA_LAUNCHED();
}

// Calls f with NarrowHeads or WideHeads, by the widths alone.
template <class F>
void with_heads(const AttentionShape& shape, const F& f) {
  const int widest = shape.key_width > shape.value_width ? shape.key_width : shape.value_width;
  if (widest <= NarrowHeads::kGroups * kWarp) {
    f(NarrowHeads());
  } else if (widest <= kMostChannels) {
    f(WideHeads());
  } else {
    fail_text("heads have " + std::to_string(widest) + " channels; attention on the GPU takes up to " +
              std::to_string(kMostChannels));
  }
}

}  // namespace phasor::cuda
