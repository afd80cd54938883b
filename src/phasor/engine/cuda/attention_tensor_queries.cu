// The gradients by queries on tensor cores: a block takes 64 queries of one head and goes through the keys.
//
// D = <dout, out> of a stored out is off by that one's rounding, and then a row of dL does not sum to zero as it
// should. What it does sum to, over the sum of the weights, is missing in D: it is added here, for the kernels of keys
// and of distances too. Not where the head turns: turned rows are rounded, with them the scores, and a row's sum then
// holds more of that than of D's error.
#include "phasor/engine/cuda/attention_tensor_queries.h"

namespace phasor::cuda {
namespace {

// The gradients come in the place of what is done with.
size_t query_bytes(const AttentionShape& shape) {
  return sizeof(bfloat16) * TensorQueries::query_elements(shape) +
         std::max(TensorQueries::other_bytes(shape), sizeof(float) * kHeadRows * gradient_stride(shape.key_width));
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

  extern __shared__ float4 shared[];
  TensorQueries own(op, place, scratch, tile.begin, reinterpret_cast<bfloat16*>(shared));
  const bool exact = HeadTurn(a.rotation.query, a, place).pairs() == 0;  // the scores, as fp32 goes
  // Wide heads have no registers for a second sum, so they go through the keys twice.
  constexpr bool kTwoPasses = kKey > 64;
  float sums[kKey / 8][4] = {}, mixed[kTwoPasses ? 2 : kKey / 8][4] = {};  // mixed: of weights and keys
  float left[2] = {}, whole[2] = {};                                       // sums of a row's dL and weights
  const int n = static_cast<int>(place.length);
  const int keys = a.causal ? min(n, tile.begin + kHeadRows) : n;
  const auto add_rows = [&](const float(&dscores)[kTensorKeyParts][4], const float(&weights)[kTensorKeyParts][4]) {
#pragma unroll
    for (int p = 0; p < kTensorKeyParts; ++p) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        left[e / 2] += dscores[p][e];
        whole[e / 2] += weights[p][e];
      }
    }
  };
  // What is missing in D of the lane's rows; D is complete behind it.
  const auto complete = [&](float(&missing)[2]) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float total = row_sum(whole[h]), rest = row_sum(left[h]);
      missing[h] = total > 0.0f ? rest / total : 0.0f;
      own.taken[h] += missing[h];
      if (own.row[h] < n && this_lane() % 4 == 0) {
        scratch.taken[(place.first + own.row[h]) * a.shape.heads + place.head] = own.taken[h];
      }
    }
  };
  float missing[2] = {};
  if (kTwoPasses && exact) {
    for (int begin = 0; begin < keys; begin += kTensorKeys) {
      float dscores[kTensorKeyParts][4], weights[kTensorKeyParts][4];
      own.gradients(dscores, weights, begin, min(kTensorKeys, keys - begin));
      add_rows(dscores, weights);
    }
    complete(missing);
  }
  for (int begin = 0; begin < keys; begin += kTensorKeys) {
    const int here = min(kTensorKeys, keys - begin);
    float dscores[kTensorKeyParts][4], weights[kTensorKeyParts][4];
    own.gradients(dscores, weights, begin, here);
    multiply_scores<true>(sums, dscores, own.key, key_stride, depth, here);
    if constexpr (!kTwoPasses) {
      if (!exact) continue;
      add_rows(dscores, weights);
      multiply_scores<false>(mixed, weights, own.key, key_stride, depth, here);
    }
  }
  if constexpr (!kTwoPasses) {
    if (exact) complete(missing);
#pragma unroll
    for (int p = 0; p < kKey / 8; ++p) {
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[p][e] -= missing[e / 2] * mixed[p][e];
    }
  }
  __syncthreads();
  float* gradient = reinterpret_cast<float*>(own.dout);
  const int gradient_row = gradient_stride(width);
  store_fragments(gradient, sums, own.scale, depth, gradient_row);
  __syncthreads();

  const int rows = min(kHeadRows, n - tile.begin);
  if (scratch.query_frequencies != nullptr) {
    const int64_t share = a.rotation.axes * a.rotation.query.extent(2);
    sum_frequencies(scratch.query_frequencies + (int64_t{blockIdx.x} * a.shape.heads + place.head) * share, gradient,
                    gradient_row, own.query, key_stride, rows, a.rotation.query, a, place, tile.begin);
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
