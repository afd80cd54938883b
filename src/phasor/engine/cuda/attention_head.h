#pragma once
// One head of one sequence as a kernel sees it: where its rows are, its rotation and its bias. For .cu files.
#include <cstdint>

#include "phasor/engine/cuda/elements.h"
#include "phasor/engine/ops.h"

namespace phasor::cuda {

// What one (sequence, head) pair reads, by index.
struct HeadPlace {
  int64_t sequence, first, length;  // first: its first token
  int64_t head, key_head;
  int64_t rotation_table, bias_table;

  __device__ HeadPlace(const Attention& attention, int64_t s, int64_t h)
      : sequence(s),
        first(attention.sequences.offsets(s)),
        length(attention.sequences.offsets(s + 1) - first),
        head(h),
        key_head(h * attention.shape.key_heads / attention.shape.heads),
        rotation_table(table_of(attention.rotation.sequence_table, s)),
        bias_table(table_of(attention.bias.sequence_table, s)) {}

  __device__ static int64_t table_of(const View<const int32_t, 1>& tables, int64_t s) {
    return tables.empty() ? 0 : tables(s);
  }
};

__device__ inline float logit_scale(const Attention& attention, int64_t head) {
  return attention.head_scale.empty() ? attention.scale : attention.scale * attention.head_scale(head);
}

// Row h of the sequence's bias table, or the first of its rows.
__device__ inline int64_t bias_row(const Attention& attention, const HeadPlace& place) {
  return (place.bias_table * attention.shape.heads + place.head) * attention.bias.rows;
}

__device__ inline int64_t bias_position(const Attention& attention, int64_t token) {
  return attention.sequences.positions(token, attention.bias.axis);
}

// The rotation of one head's queries or keys.
class HeadTurn {
 public:
  __device__ HeadTurn(const View<const float, 4>& table, const Attention& attention, const HeadPlace& place)
      : table_(table), rotation_(attention.rotation), positions_(attention.sequences.positions) {
    const int64_t set = table.empty() ? -1 : rotation_.head_set(place.head);
    pairs_ = set < 0 ? 0 : table.extent(2);
    row_ = (place.rotation_table * rotation_.sets + set) * rotation_.axes;
  }

  __device__ int64_t pairs() const { return pairs_; }
  __device__ int64_t first_channel(int64_t pair) const {
    return rotation_.first + (rotation_.halves ? pair : 2 * pair);
  }
  __device__ int64_t apart() const { return rotation_.halves ? pairs_ : 1; }

  // Whether factors() serves: one axis, a token's factors side by side.
  __device__ bool has_rows_of_factors() const { return rotation_.axes == 1 && table_.stride(2) == 2; }
  // Real and imaginary parts of the pairs' factors.
  __device__ const float* factors(int64_t token) const { return table_.row(row_, positions_(token, 0), 0); }

  // Which pair a channel belongs to, -1: none; and whether it is the second of it.
  __device__ int64_t pair_of(int64_t channel, bool& second) const {
    const int64_t at = channel - rotation_.first;
    if (at < 0 || at >= 2 * pairs_) return -1;
    second = rotation_.halves ? at >= pairs_ : (at & 1) != 0;
    return rotation_.halves ? at - (second ? pairs_ : 0) : at / 2;
  }

  // The product over the axes, in T.
  template <class T>
  __device__ void factor(int64_t token, int64_t pair, T& real, T& imaginary) const {
    const float* f = table_.row(row_, positions_(token, 0), pair);
    real = f[0];
    imaginary = f[1];
    for (int64_t axis = 1; axis < rotation_.axes; ++axis) {
      f = table_.row(row_ + axis, positions_(token, axis), pair);
      const T before = real;
      real = before * T(f[0]) - imaginary * T(f[1]);
      imaginary = before * T(f[1]) + imaginary * T(f[0]);
    }
  }

  // Channel c of a token after turning; read(c) gives it before. Back: the gradient by the channel as it was read, from
  // gradients by turned channels (the conjugate factor).
  template <bool Back, class T, class Read>
  __device__ T turned(int64_t token, int64_t c, const Read& read) const {
    bool second = false;
    const int64_t pair = pair_of(c, second);
    const T here = read(c);
    if (pair < 0) return here;
    T real, imaginary;
    factor(token, pair, real, imaginary);
    const T there = read(second ? c - apart() : c + apart());
    return second != Back ? here * real + there * imaginary : here * real - there * imaginary;
  }

 private:
  const View<const float, 4>& table_;
  const RotationTable& rotation_;
  const View<const int32_t, 2>& positions_;
  int64_t pairs_ = 0, row_ = 0;
};

// A head's own channels of one token, then those that all heads share.
struct HeadChannels {
  const ConstMatrix& own;
  const ConstMatrix& shared;
  int64_t head, own_width;

  __device__ float at(int64_t token, int64_t c) const {
    return c < own_width ? read_at(own, token, head * own_width + c) : read_at(shared, token, c - own_width);
  }
};

__device__ inline HeadChannels query_channels(const Attention& a, const HeadPlace& place) {
  return {a.query, a.shared_query, place.head, a.shape.key_width - a.shape.shared_query_width};
}

__device__ inline HeadChannels key_channels(const Attention& a, const HeadPlace& place) {
  return {a.key, a.shared_key, place.key_head, a.shape.key_width - a.shape.shared_key_width};
}

}  // namespace phasor::cuda
