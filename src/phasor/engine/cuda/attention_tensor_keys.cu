// The gradients by keys and values on tensor cores: a block takes 64 keys of one key head and goes through the queries
// of all heads that read it, head after head.
#include "phasor/engine/cuda/attention_gradients.h"
#include "phasor/engine/cuda/attention_tensor.h"

namespace phasor::cuda {
namespace {

// Queries at a time: fewer where the sums of wide heads fill the registers.
constexpr int queries_of(int channels) { return channels <= 64 ? 64 : 32; }

size_t key_bytes(const AttentionShape& shape, int queries) {
  return sizeof(bfloat16) * (kHeadRows + queries) *
             (tensor_stride(shape.key_width) + tensor_stride(shape.value_width)) +
         sizeof(float) * 2 * kHeadRows * gradient_stride(shape.key_width) +
         queries * (2 * sizeof(float) + sizeof(int32_t));
}

template <int kChannels>
__global__ void __launch_bounds__(kHeadThreads)
    tensor_keys(const __grid_constant__ AttentionBackward op, const BackwardScratch scratch, const AttentionTile* tiles,
                const int32_t* tile_count) {
  constexpr int kQueries = queries_of(kChannels);
  constexpr int kQueryParts = kQueries / 8;
  if (blockIdx.x >= *tile_count) return;
  const AttentionTile tile = tiles[blockIdx.x];
  const Attention& a = op.attention;
  const int group = a.shape.heads / a.shape.key_heads;
  const int key_head = static_cast<int>(blockIdx.y);
  const int key_width = a.shape.key_width, width = a.shape.value_width;
  const int key_stride = tensor_stride(key_width), stride = tensor_stride(width);
  const int depth = whole_channels(key_width);
  const int gradient_row = gradient_stride(key_width);

  extern __shared__ float4 shared[];
  float* total = reinterpret_cast<float*>(shared);     // [64, gradient_row]: turned back, over the heads so far
  float* gradient = total + kHeadRows * gradient_row;  // [64, gradient_row]: of one head
  bfloat16* key = reinterpret_cast<bfloat16*>(gradient + kHeadRows * gradient_row);  // [64, key_stride]
  bfloat16* value = key + kHeadRows * key_stride;                                    // [64, stride]
  bfloat16* query = value + kHeadRows * stride;                                      // [kQueries, key_stride]
  bfloat16* dout = query + kQueries * key_stride;                                    // [kQueries, stride]
  float* log_sum = reinterpret_cast<float*>(dout + kQueries * stride);               // [kQueries]
  float* taken = log_sum + kQueries;
  int32_t* query_position = reinterpret_cast<int32_t*>(taken + kQueries);

  const int g = this_lane() / 4, t = this_lane() % 4;
  const HeadPlace any(a, tile.sequence, int64_t{key_head} * group);
  const int n = static_cast<int>(any.length);
  const int rows = min(kHeadRows, n - tile.begin);
  const int first = tile.begin + this_warp() * 16;  // the warp's first key
  const int row[2] = {first + g, first + g + 8};
  const bool biased = !a.bias.table.empty();
  int64_t position[2] = {};
  if (biased) {
    for (int h = 0; h < 2; ++h) position[h] = row[h] < n ? bias_position(a, any.first + row[h]) : 0;
  }
  load_tensor_value(value, kHeadRows, tile.begin, a.value, key_head, a, any);
  for (int i = static_cast<int>(threadIdx.x); i < kHeadRows * gradient_row; i += kHeadThreads) total[i] = 0.0f;

  float dvalue[kChannels / 8][4] = {};
  for (int head = key_head * group; head < (key_head + 1) * group; ++head) {
    const HeadPlace place(a, tile.sequence, head);
    const DropoutMask mask(a.dropout, static_cast<uint32_t>(head));
    const int64_t biases = bias_row(a, place);
    const float scale = logit_scale(a, head);
    __syncthreads();
    load_tensor_key(key, kHeadRows, tile.begin, a, place);
    float dkey[kChannels / 8][4] = {};
    for (int begin = a.causal ? tile.begin : 0; begin < n; begin += kQueries) {
      const int here = min(kQueries, n - begin);
      __syncthreads();
      load_tensor_query(query, kQueries, begin, a, place);
      load_tensor_value(dout, kQueries, begin, op.dout, head, a, place);
      if (threadIdx.x < kQueries) {
        const bool valid = threadIdx.x < here;
        const int64_t token = place.first + begin + (valid ? threadIdx.x : 0);
        log_sum[threadIdx.x] = valid ? op.log_sum(token, head) : 0.0f;
        taken[threadIdx.x] = valid ? scratch.taken[token * a.shape.heads + head] : 0.0f;
        query_position[threadIdx.x] = biased ? static_cast<int32_t>(bias_position(a, token)) : 0;
      }
      __syncthreads();
      float scores[kQueryParts][4] = {}, dweights[kQueryParts][4] = {};
      multiply_rows(scores, key + this_warp() * 16 * key_stride, query, key_stride, depth, here);
      multiply_rows(dweights, value + this_warp() * 16 * stride, dout, stride, whole_channels(width), here);
      // Weights take the place of scores, their gradients that of dweights.
#pragma unroll
      for (int p = 0; p < kQueryParts; ++p) {
        if (p * 8 >= here) continue;  // zeros
        const unsigned kept = mask.active() ? kept_of_keys(mask, place, begin + p * 8, first) : ~0u;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int q = p * 8 + t * 2 + e % 2, h = e / 2;
          const bool visible = q < here && row[h] < n && (!a.causal || row[h] <= begin + q);
          float score = scale * scores[p][e];
          if (biased && visible) score += bias_at(a, biases, query_position[q], position[h]);
          const float factor = (kept >> e & 1u) != 0 ? mask.keep_scale() : 0.0f;
          ScoreGradient both = {0.0f, 0.0f};
          if (visible) both = score_gradient(score, log_sum[q], dweights[p][e], factor, taken[q]);
          scores[p][e] = both.weight * factor;
          dweights[p][e] = both.dscore;
        }
      }
      multiply_scores<false>(dvalue, scores, dout, stride, whole_channels(width), here);
      multiply_scores<true>(dkey, dweights, query, key_stride, depth, here);
    }
    store_fragments(gradient, dkey, scale, depth, gradient_row);
    __syncthreads();
    if (scratch.key_frequencies != nullptr) {
      const int64_t share = a.rotation.axes * a.rotation.key.extent(2);
      sum_frequencies(scratch.key_frequencies + (int64_t{blockIdx.x} * a.shape.heads + head) * share, gradient,
                      gradient_row, key, key_stride, rows, a.rotation.key, a, place, tile.begin);
    }
    const HeadTurn turn(a.rotation.key, a, place);
    for (int i = static_cast<int>(threadIdx.x); i < rows * key_width; i += kHeadThreads) {
      const int r = i / key_width, c = i % key_width;
      total[r * gradient_row + c] += turn.turned<true, float>(
          place.first + tile.begin + r, c, [&](int64_t channel) { return gradient[r * gradient_row + channel]; });
    }
  }
  __syncthreads();

  const int shared_width = a.shape.shared_key_width;
  const int own_width = key_width - shared_width;
  for (int i = static_cast<int>(threadIdx.x); i < rows * key_width; i += kHeadThreads) {
    const int r = i / key_width, c = i % key_width;
    const int64_t token = any.first + tile.begin + r;
    const float sum = total[r * gradient_row + c];
    if (c < own_width) {
      write_at(op.dkey, token, int64_t{key_head} * own_width + c, sum);
    } else {
      scratch.dshared_key[(key_head * a.sequences.positions.extent(0) + token) * shared_width + c - own_width] = sum;
    }
  }
#pragma unroll
  for (int p = 0; p < kChannels / 8; ++p) {
    const int c = p * 8 + t * 2;
    if (c >= width) continue;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (row[h] >= n) continue;
      write_two(op.dvalue, any.first + row[h], int64_t{key_head} * width + c, c + 1 < width, dvalue[p][2 * h],
                dvalue[p][2 * h + 1]);
    }
  }
}

}  // namespace

void tensor_backward_keys(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                          const CudaContext& context) {
  const AttentionShape& shape = op.attention.shape;
  const int channels = std::max(shape.key_width, shape.value_width);
  with_channels(channels, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    launch(tensor_keys<kChannels>,
           dim3(static_cast<unsigned>(tiles.capacity()), static_cast<unsigned>(shape.key_heads)), kHeadThreads,
           key_bytes(shape, queries_of(kChannels)), context, op, scratch, tiles.list(), tiles.count());
  });
}

}  // namespace phasor::cuda
