#pragma once
// 64 queries of one head that a block owns in the backward pass on tensor cores, as the kernels of queries and of
// distances go through them, 64 keys at a time. For .cu files.
#include "phasor/engine/cuda/attention_gradients.h"
#include "phasor/engine/cuda/attention_tensor.h"

namespace phasor::cuda {

inline constexpr int kTensorKeys = 64;
inline constexpr int kTensorKeyParts = kTensorKeys / 8;

struct TensorQueries {
  const AttentionBackward& op;
  const HeadPlace& place;
  bfloat16 *query, *dout, *key, *value;  // shared memory: [64, .] each, turned but not scaled
  int32_t* key_position;                 // [64]
  int first;                             // the warp's first query
  int row[2];                            // the lane's queries
  float scale, log_sum[2] = {}, taken[2] = {};
  DropoutMask mask;
  int64_t biases, position[2] = {};
  bool biased;

  // Queries, then all that is done with once the gradients are there.
  static PHASOR_HOST_DEVICE int query_elements(const AttentionShape& shape) {
    return kHeadRows * tensor_stride(shape.key_width);
  }
  static size_t other_bytes(const AttentionShape& shape) {
    return sizeof(bfloat16) * ((kHeadRows + kTensorKeys) * tensor_stride(shape.value_width) +
                               kTensorKeys * tensor_stride(shape.key_width)) +
           sizeof(int32_t) * kTensorKeys;
  }

  // Ends without a barrier.
  __device__ TensorQueries(const AttentionBackward& given, const HeadPlace& where, const BackwardScratch& scratch,
                           int begin, bfloat16* shared)
      : op(given),
        place(where),
        query(shared),
        dout(query + query_elements(op.attention.shape)),
        key(dout + kHeadRows * tensor_stride(op.attention.shape.value_width)),
        value(key + kTensorKeys * tensor_stride(op.attention.shape.key_width)),
        key_position(reinterpret_cast<int32_t*>(value + kTensorKeys * tensor_stride(op.attention.shape.value_width))),
        first(begin + this_warp() * 16),
        row{first + this_lane() / 4, first + this_lane() / 4 + 8},
        scale(logit_scale(op.attention, where.head)),
        mask(op.attention.dropout, static_cast<uint32_t>(where.head)),
        biases(bias_row(op.attention, where)),
        biased(!op.attention.bias.table.empty()) {
    const Attention& a = op.attention;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      if (row[h] >= place.length) continue;
      const int64_t token = place.first + row[h];
      log_sum[h] = op.log_sum(token, place.head);
      taken[h] = scratch.taken[token * a.shape.heads + place.head];
      if (biased) position[h] = bias_position(a, token);
    }
    load_tensor_query(query, kHeadRows, begin, a, place);
    load_tensor_value(dout, kHeadRows, begin, op.dout, place.head, a, place);
  }

  // dL between the warp's queries and the `here` keys from `begin` on, and the softmax's weights; leaves those keys in
  // `key`. Barriers inside.
  __device__ void gradients(float (&dscores)[kTensorKeyParts][4], float (&weights)[kTensorKeyParts][4], int begin,
                            int here) const {
    const Attention& a = op.attention;
    const int key_stride = tensor_stride(a.shape.key_width), stride = tensor_stride(a.shape.value_width);
    const int n = static_cast<int>(place.length);
    const int t = this_lane() % 4;
    __syncthreads();
    load_tensor_key(key, kTensorKeys, begin, a, place);
    load_tensor_value(value, kTensorKeys, begin, a.value, place.key_head, a, place);
    if (biased && threadIdx.x < here) {
      key_position[threadIdx.x] = static_cast<int32_t>(bias_position(a, place.first + begin + threadIdx.x));
    }
    __syncthreads();
#pragma unroll
    for (int p = 0; p < kTensorKeyParts; ++p) {
      for (int e = 0; e < 4; ++e) dscores[p][e] = weights[p][e] = 0.0f;
    }
    multiply_rows(dscores, query + this_warp() * 16 * key_stride, key, key_stride, whole_channels(a.shape.key_width),
                  here);
    multiply_rows(weights, dout + this_warp() * 16 * stride, value, stride, whole_channels(a.shape.value_width), here);
#pragma unroll
    for (int p = 0; p < kTensorKeyParts; ++p) {
      if (p * 8 >= here) {
        for (int e = 0; e < 4; ++e) dscores[p][e] = weights[p][e] = 0.0f;
        continue;
      }
      const unsigned kept = mask.active() ? kept_of_queries(mask, place, first, begin + p * 8) : ~0u;
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int k = p * 8 + t * 2 + e % 2, h = e / 2, i = row[h];
        const bool visible = k < here && i < n && (!a.causal || begin + k <= i);
        float score = scale * dscores[p][e];
        if (biased && visible) score += bias_at(a, biases, position[h], key_position[k]);
        const float factor = (kept >> e & 1u) != 0 ? mask.keep_scale() : 0.0f;
        ScoreGradient both = {0.0f, 0.0f};
        if (visible) both = score_gradient(score, log_sum[h], weights[p][e], factor, taken[h]);
        dscores[p][e] = both.dscore;
        weights[p][e] = both.weight;
      }
    }
  }
};

}  // namespace phasor::cuda
