// A block takes one sequence and one head, or two narrow ones; a warp takes 16 queries at a time.
#include <math_constants.h>

#include "phasor/engine/cuda/attention_short.h"

namespace phasor::cuda {
namespace {

constexpr int kThreads = 128;

template <int kChannels>
size_t forward_bytes(int rows, bool biased) {
  constexpr int kHeads = short_heads(kChannels);
  return sizeof(bfloat16) * 3 * kHeads * rows * short_stride(kChannels) +
         (biased ? sizeof(float) * kHeads * kShortDistances : 0);
}

template <int kChannels, bool kBiased>
__global__ void __launch_bounds__(kThreads, kChannels <= 32 ? 4 : 3)
    forward_kernel(const __grid_constant__ AttentionForward op, int rows) {
  constexpr int kHeads = short_heads(kChannels);
  constexpr int kStride = short_stride(kChannels);
  const Attention& a = op.attention;
  const int groups = (a.shape.heads + kHeads - 1) / kHeads;
  const int sequence = static_cast<int>(blockIdx.x) / groups;
  const int first_head = static_cast<int>(blockIdx.x) % groups * kHeads;
  if (sequence >= *a.sequences.count) return;
  const HeadPlace any(a, sequence, first_head);
  if (any.length == 0 || any.length > kShortRows) return;
  const int n = static_cast<int>(any.length);
  const int tiles = (n + 15) / 16;
  const int heads = min(kHeads, a.shape.heads - first_head);

  extern __shared__ float4 shared[];
  bfloat16* query = reinterpret_cast<bfloat16*>(shared);  // [heads, rows, kStride]; outputs take its place
  bfloat16* key = query + kHeads * rows * kStride;
  bfloat16* value = key + kHeads * rows * kStride;
  float* biases = reinterpret_cast<float*>(value + kHeads * rows * kStride);  // [heads, kShortDistances]
  for (int h = 0; h < heads; ++h) {
    const HeadPlace place(a, sequence, first_head + h);
    const int at = h * rows * kStride;
    copy_rows<kChannels>(value + at, 16 * tiles, n, place.first, value_channels(a.value, a, place.head),
                         a.shape.value_width);
    copy_turned<kChannels>(query + at, 16 * tiles, n, a, place, query_channels(a, place), a.rotation.query);
    copy_turned<kChannels>(key + at, 16 * tiles, n, a, place, key_channels(a, place), a.rotation.key);
    if constexpr (kBiased) {
      load_biases(biases + h * kShortDistances, a, place, n, static_cast<int>(threadIdx.x), kThreads);
    }
  }
  close_copies();
  wait_copies<0>();
  __syncthreads();

  const int g = this_lane() / 4, t = this_lane() % 4;
  const int width = a.shape.value_width;
  const bool whole = op.out.dtype() == Dtype::bf16 && width % 8 == 0 && begins_16_bytes(op.out, 0);
  for (int task = this_warp(); task < heads * tiles; task += kThreads / kWarp) {
    const int h = task / tiles;
    const int begin = task % tiles * 16;  // the warp's first query
    const HeadPlace place(a, sequence, first_head + h);
    const DropoutMask mask(a.dropout, static_cast<uint32_t>(place.head));
    const float scale = logit_scale(a, place.head) * kLog2E;
    bfloat16* own = query + (h * rows + begin) * kStride;
    uint32_t left[kChannels / 16][4];
    load_rows<kChannels>(left, own);
    const int last = a.causal ? begin / 16 + 1 : tiles;
    // Biases from the lane's first row to its first key.
    const float* bias = biases + h * kShortDistances + kShortOrigin + 2 * t - begin - g;

    // Keys that the lane's rows see, from its first one on. Rows behind the sequence see some, so that they stay
    // finite.
    const int first = begin + g;
    const int ends[2] = {(a.causal ? min(n, first + 1) : n) - 2 * t, (a.causal ? min(n, first + 9) : n) - 2 * t};

    float scores[kShortTiles][2][4], peak[2] = {-CUDART_INF_F, -CUDART_INF_F};
#pragma unroll
    for (int p = 0; p < kShortTiles; ++p) {
      if (p >= last) break;
#pragma unroll
      for (int e = 0; e < 8; ++e) scores[p][e / 4][e % 4] = 0.0f;
      multiply_tile<kChannels>(scores[p], left, key + (h * rows + p * 16) * kStride);
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        float& score = scores[p][e / 4][e % 4];
        score *= scale;
        if constexpr (kBiased) score += bias[p * 16 + e / 4 * 8 + e % 2 - e % 4 / 2 * 8];
      }
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        if (p * 16 + e / 4 * 8 + e % 2 >= ends[e % 4 / 2]) scores[p][e / 4][e % 4] = -CUDART_INF_F;
      }
#pragma unroll
      for (int e = 0; e < 8; ++e) peak[e % 4 / 2] = fmaxf(peak[e % 4 / 2], scores[p][e / 4][e % 4]);
    }
    peak[0] = row_max(peak[0]);
    peak[1] = row_max(peak[1]);

    float total[2] = {}, out[kChannels / 8][4] = {};
#pragma unroll
    for (int p = 0; p < kShortTiles; ++p) {
      if (p >= last) break;
      const unsigned kept = mask.active() ? kept_of_tile(mask, place, begin, p * 16) : ~0u;
      uint32_t weights[4];
#pragma unroll
      for (int e = 0; e < 8; e += 2) {
        float pair[2];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const float weight = exp2_fast(scores[p][e / 4][e % 4 + i] - peak[e % 4 / 2]);
          total[e % 4 / 2] += weight;
          pair[i] = (kept & kept_bit(e / 4, e % 4 + i)) != 0 ? weight : 0.0f;
        }
        weights[e / 2] = pack(pair[0], pair[1]);
      }
      uint32_t right[kChannels / 16][4];
      load_as_depth<kChannels>(right, value + (h * rows + p * 16) * kStride);
#pragma unroll
      for (int c = 0; c < kChannels / 8; ++c) {
        multiply_add(out[c], weights, right[c / 2][c % 2 * 2], right[c / 2][c % 2 * 2 + 1]);
      }
    }

    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float all = row_sum(total[half]);
      const int i = begin + g + half * 8;
      const int64_t token = place.first + i;
      const float factor = mask.keep_scale() / all;
      if (t == 0 && i < n) op.log_sum(token, place.head) = kLn2 * (peak[half] + log2f(all));
#pragma unroll
      for (int c = 0; c < kChannels / 8; ++c) {
        const float first = out[c][2 * half] * factor, second = out[c][2 * half + 1] * factor;
        const int column = c * 8 + t * 2;
        if (whole) {
          *reinterpret_cast<uint32_t*>(own + (g + half * 8) * kStride + column) = pack(first, second);
        } else if (i < n && column < width) {
          write_two(op.out, token, place.head * width + column, column + 1 < width, first, second);
        }
      }
    }
    if (!whole) continue;
    __syncwarp();
    for (int i = this_lane(); i < 16 * kChannels / 8; i += kWarp) {
      const int r = i / (kChannels / 8), c = i % (kChannels / 8) * 8;
      if (begin + r >= n || c >= width) continue;
      *reinterpret_cast<uint4*>(op.out.row<bfloat16>(place.first + begin + r) + place.head * width + c) =
          *reinterpret_cast<const uint4*>(own + r * kStride + c);
    }
  }
}

}  // namespace

void short_forward(const AttentionForward& op, const CudaContext& context) {
  const Attention& a = op.attention;
  const int rows = short_rows(a.sequences);
  const bool biased = !a.bias.table.empty();
  with_short_channels(a.shape, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    const int64_t blocks = sequence_bound(a.sequences) * chunks_of(a.shape.heads, short_heads(kChannels));
    if (blocks == 0) return;
    const auto kernel = biased ? forward_kernel<kChannels, true> : forward_kernel<kChannels, false>;
    launch(kernel, dim3(static_cast<unsigned>(blocks)), kThreads, forward_bytes<kChannels>(rows, biased), context, op,
           rows);
  });
}

}  // namespace phasor::cuda
