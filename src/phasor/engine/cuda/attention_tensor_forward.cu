// Attention on tensor cores: a block takes 64 queries of one head and goes through the keys, 64 at a time, with a
// running softmax.
#include <math_constants.h>

#include "phasor/engine/cuda/attention.h"
#include "phasor/engine/cuda/attention_tensor.h"

namespace phasor::cuda {
namespace {

constexpr int kKeys = 64;
constexpr int kKeyParts = kKeys / 8;

size_t forward_bytes(const AttentionShape& shape) {
  return sizeof(bfloat16) *
             ((kHeadRows + kKeys) * tensor_stride(shape.key_width) + kKeys * tensor_stride(shape.value_width)) +
         sizeof(int32_t) * kKeys;
}

template <int kValue>
__global__ void __launch_bounds__(kHeadThreads)
    tensor_forward(const __grid_constant__ AttentionForward op, const AttentionTile* tiles, const int32_t* tile_count) {
  if (blockIdx.x >= *tile_count) return;
  const AttentionTile tile = tiles[blockIdx.x];
  const Attention& a = op.attention;
  const HeadPlace place(a, tile.sequence, blockIdx.y);
  const int key_stride = tensor_stride(a.shape.key_width);
  const int depth = whole_channels(a.shape.key_width);
  const int width = a.shape.value_width;
  const int stride = tensor_stride(width);

  extern __shared__ float4 shared[];
  bfloat16* query = reinterpret_cast<bfloat16*>(shared);  // [64, key_stride]
  bfloat16* key = query + kHeadRows * key_stride;         // [64, key_stride]
  bfloat16* value = key + kKeys * key_stride;             // [64, stride]
  int32_t* key_position = reinterpret_cast<int32_t*>(value + kKeys * stride);

  const int g = this_lane() / 4, t = this_lane() % 4;
  const int n = static_cast<int>(place.length);
  const int first = tile.begin + this_warp() * 16;  // the warp's first query
  const int row[2] = {first + g, first + g + 8};
  const float scale = logit_scale(a, place.head);
  const bool biased = !a.bias.table.empty();
  const int64_t biases = bias_row(a, place);
  const DropoutMask mask(a.dropout, static_cast<uint32_t>(place.head));
  int64_t position[2] = {};
  if (biased) {
    for (int h = 0; h < 2; ++h) position[h] = row[h] < n ? bias_position(a, place.first + row[h]) : 0;
  }
  load_tensor_query(query, kHeadRows, tile.begin, a, place);

  float peak[2] = {-CUDART_INF_F, -CUDART_INF_F}, total[2] = {}, out[kValue / 8][4] = {};
  const int keys = a.causal ? min(n, tile.begin + kHeadRows) : n;
  for (int begin = 0; begin < keys; begin += kKeys) {
    const int here = min(kKeys, keys - begin);
    __syncthreads();
    load_tensor_key(key, kKeys, begin, a, place);
    load_tensor_value(value, kKeys, begin, a.value, place.key_head, a, place);
    if (biased && threadIdx.x < here) {
      key_position[threadIdx.x] = static_cast<int32_t>(bias_position(a, place.first + begin + threadIdx.x));
    }
    __syncthreads();
    float scores[kKeyParts][4] = {};
    multiply_rows(scores, query + this_warp() * 16 * key_stride, key, key_stride, depth, here);

    float largest[2] = {peak[0], peak[1]};
#pragma unroll
    for (int p = 0; p < kKeyParts; ++p) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int k = p * 8 + t * 2 + e % 2, i = row[e / 2];
        // Rows beyond the sequence see what they like, so that they stay finite.
        const bool visible = k < here && (!a.causal || begin + k <= i);
        float score = scale * scores[p][e];
        if (biased && visible && i < n) score += bias_at(a, biases, position[e / 2], key_position[k]);
        scores[p][e] = visible ? score : -CUDART_INF_F;
        largest[e / 2] = fmaxf(largest[e / 2], scores[p][e]);
      }
    }
    float rescale[2], sum[2] = {};
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      largest[h] = row_max(largest[h]);
      rescale[h] = peak[h] == largest[h] ? 1.0f : expf(peak[h] - largest[h]);
      peak[h] = largest[h];
    }
#pragma unroll
    for (int p = 0; p < kKeyParts; ++p) {
      if (p * 8 >= here) {
        for (float& weight : scores[p]) weight = 0.0f;
        continue;
      }
      const unsigned kept = mask.active() ? kept_of_queries(mask, place, first, begin + p * 8) : ~0u;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float weight = scores[p][e] == -CUDART_INF_F ? 0.0f : expf(scores[p][e] - peak[e / 2]);
        sum[e / 2] += weight;
        scores[p][e] = (kept >> e & 1u) != 0 ? weight : 0.0f;
      }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) total[h] = total[h] * rescale[h] + sum[h];
#pragma unroll
    for (int c = 0; c < kValue / 8; ++c) {
#pragma unroll
      for (int e = 0; e < 4; ++e) out[c][e] *= rescale[e / 2];
    }
    multiply_scores<false>(out, scores, value, stride, width, here);
  }

#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const float all = row_sum(total[h]);
    if (row[h] >= n) continue;
    const int64_t token = place.first + row[h];
    const float factor = mask.keep_scale() / all;
#pragma unroll
    for (int p = 0; p < kValue / 8; ++p) {
      const int c = p * 8 + t * 2;
      if (c >= width) continue;
      write_two(op.out, token, place.head * width + c, c + 1 < width, out[p][2 * h] * factor,
                out[p][2 * h + 1] * factor);
    }
    if (t == 0) op.log_sum(token, place.head) = peak[h] + logf(all);
  }
}

}  // namespace

void tensor_attention_forward(const AttentionForward& op, int longer_than, const CudaContext& context) {
  const AttentionShape& shape = op.attention.shape;
  const AttentionTiles tiles(op.attention.sequences, kHeadRows, longer_than, context);
  with_channels(shape.value_width, [&]<int kValue>(std::integral_constant<int, kValue>) {
    launch(tensor_forward<kValue>, dim3(static_cast<unsigned>(tiles.capacity()), static_cast<unsigned>(shape.heads)),
           kHeadThreads, forward_bytes(shape), context, op, tiles.list(), tiles.count());
  });
}

}  // namespace phasor::cuda
