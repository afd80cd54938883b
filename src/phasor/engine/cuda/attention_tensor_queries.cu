// The gradients by queries on tensor cores: a block takes 64 queries of one head and goes through the keys.
#include "phasor/engine/cuda/attention_gradients.h"
#include "phasor/engine/cuda/attention_tensor.h"

namespace phasor::cuda {
namespace {

constexpr int kKeys = 64;
constexpr int kKeyParts = kKeys / 8;

// Queries and what is done with once the gradients are there, in whose place these come.
size_t query_bytes(const AttentionShape& shape) {
  const size_t row = sizeof(bfloat16) * tensor_stride(shape.key_width);
  const size_t others =
      sizeof(bfloat16) * (kHeadRows + kKeys) * tensor_stride(shape.value_width) + kKeys * row + kKeys * sizeof(int32_t);
  return kHeadRows * row + std::max(others, sizeof(float) * kHeadRows * gradient_stride(shape.key_width));
}

template <int kKey>
__global__ void __launch_bounds__(kHeadThreads)
    tensor_queries(const __grid_constant__ AttentionBackward op, const BackwardScratch scratch,
                   const AttentionTile* tiles, const int32_t* tile_count) {
  if (blockIdx.x >= *tile_count) return;
  const AttentionTile tile = tiles[blockIdx.x];
  const Attention& a = op.attention;
  const HeadPlace place(a, tile.sequence, blockIdx.y);
  const int width = a.shape.key_width;
  const int key_stride = tensor_stride(width);
  const int depth = whole_channels(width);
  const int stride = tensor_stride(a.shape.value_width);

  extern __shared__ float4 shared[];
  bfloat16* query = reinterpret_cast<bfloat16*>(shared);  // [64, key_stride]
  bfloat16* dout = query + kHeadRows * key_stride;        // [64, stride]
  bfloat16* key = dout + kHeadRows * stride;              // [64, key_stride]
  bfloat16* value = key + kKeys * key_stride;             // [64, stride]
  int32_t* key_position = reinterpret_cast<int32_t*>(value + kKeys * stride);

  const int g = this_lane() / 4, t = this_lane() % 4;
  const int n = static_cast<int>(place.length);
  const int first = tile.begin + this_warp() * 16;
  const int row[2] = {first + g, first + g + 8};
  const float scale = logit_scale(a, place.head);
  const bool biased = !a.bias.table.empty();
  const int64_t biases = bias_row(a, place);
  const DropoutMask mask(a.dropout, static_cast<uint32_t>(place.head));
  int64_t position[2] = {};
  float log_sum[2] = {}, taken[2] = {};
  for (int h = 0; h < 2; ++h) {
    if (row[h] >= n) continue;
    const int64_t token = place.first + row[h];
    log_sum[h] = op.log_sum(token, place.head);
    taken[h] = scratch.taken[token * a.shape.heads + place.head];
    if (biased) position[h] = bias_position(a, token);
  }
  load_tensor_query(query, kHeadRows, tile.begin, a, place);
  load_tensor_value(dout, kHeadRows, tile.begin, op.dout, place.head, a, place);

  float sums[kKey / 8][4] = {};
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
    float scores[kKeyParts][4] = {}, dweights[kKeyParts][4] = {};
    multiply_rows(scores, query + this_warp() * 16 * key_stride, key, key_stride, depth, here);
    multiply_rows(dweights, dout + this_warp() * 16 * stride, value, stride, whole_channels(a.shape.value_width), here);
#pragma unroll
    for (int p = 0; p < kKeyParts; ++p) {
      if (p * 8 >= here) continue;  // zeros
      const unsigned kept = mask.active() ? kept_of_queries(mask, place, first, begin + p * 8) : ~0u;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int k = p * 8 + t * 2 + e % 2, h = e / 2, i = row[h];
        const bool visible = k < here && i < n && (!a.causal || begin + k <= i);
        float score = scale * scores[p][e];
        if (biased && visible) score += bias_at(a, biases, position[h], key_position[k]);
        const float factor = (kept >> e & 1u) != 0 ? mask.keep_scale() : 0.0f;
        scores[p][e] = visible ? score_gradient(score, log_sum[h], dweights[p][e], factor, taken[h]).dscore : 0.0f;
      }
    }
    multiply_scores(sums, scores, key, key_stride, depth, here);
  }
  __syncthreads();
  // The products hold neither the logit scale nor, in the queries, its inverse: it comes in here.
  float* gradient = reinterpret_cast<float*>(dout);
  const int gradient_row = gradient_stride(width);
  store_fragments(gradient, sums, scale, depth, gradient_row);
  __syncthreads();

  const int rows = min(kHeadRows, n - tile.begin);
  if (scratch.query_frequencies != nullptr) {
    const int64_t share = a.rotation.axes * a.rotation.query.extent(2);
    sum_frequencies(scratch.query_frequencies + (int64_t{blockIdx.x} * a.shape.heads + place.head) * share, gradient,
                    gradient_row, query, key_stride, rows, a.rotation.query, a, place, tile.begin);
  }
  const HeadTurn turn(a.rotation.query, a, place);
  const int shared_width = a.shape.shared_query_width;
  const int own_width = width - shared_width;
  for (int i = static_cast<int>(threadIdx.x); i < rows * width; i += kHeadThreads) {
    const int r = i / width, c = i % width;
    const int64_t token = place.first + tile.begin + r;
    const float back =
        turn.turned<true, float>(token, c, [&](int64_t channel) { return gradient[r * gradient_row + channel]; });
    if (c < own_width) {
      write_at(op.dquery, token, place.head * own_width + c, back);
    } else {
      const int64_t at = (place.head * a.sequences.positions.extent(0) + token) * shared_width + c - own_width;
      scratch.dshared_query[at] = back;
    }
  }
}

}  // namespace

void tensor_backward_queries(const AttentionBackward& op, const BackwardScratch& scratch, const AttentionTiles& tiles,
                             const CudaContext& context) {
  const AttentionShape& shape = op.attention.shape;
  with_channels(shape.key_width, [&]<int kKey>(std::integral_constant<int, kKey>) {
    launch(tensor_queries<kKey>, dim3(static_cast<unsigned>(tiles.capacity()), static_cast<unsigned>(shape.heads)),
           kHeadThreads, query_bytes(shape), context, op, scratch, tiles.list(), tiles.count());
  });
}

}  // namespace phasor::cuda
