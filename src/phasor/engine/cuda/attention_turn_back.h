#pragma once
// Gradients by turned channels, turned back and written, four channels at a time. For .cu files.
#include <cstdint>

#include "phasor/engine/cuda/attention_block.h"

namespace phasor::cuda {

// Where the gradients by a head's queries or keys go: its own channels to a matrix, those that heads share to the
// head's share of them.
struct GradientPlace {
  const Matrix& own;
  int64_t head;
  int width, own_width;
  float* shares;  // [heads, tokens, width - own_width]
  int64_t tokens;

  __device__ void write_four(int64_t token, int c, const float (&values)[4]) const {
    const int64_t column = head * own_width + c;
    if (c + 4 <= own_width && own.stride() % 4 == 0 && column % 4 == 0 &&
        reinterpret_cast<uintptr_t>(own.data()) % 16 == 0) {
      if (own.dtype() == Dtype::bf16) {
        *reinterpret_cast<uint2*>(own.row<bfloat16>(token) + column) =
            make_uint2(pack(values[0], values[1]), pack(values[2], values[3]));
      } else {
        *reinterpret_cast<float4*>(own.row<float>(token) + column) =
            make_float4(values[0], values[1], values[2], values[3]);
      }
      return;
    }
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      if (c + e < own_width) {
        write_at(own, token, column + e, values[e]);
      } else if (c + e < width) {
        shares[(head * tokens + token) * (width - own_width) + c + e - own_width] = values[e];
      }
    }
  }
};

class TurnBack {
 public:
  __device__ TurnBack(const View<const float, 4>& table, const Attention& a, const HeadPlace& place)
      : turn_(table, a, place),
        first_(a.rotation.first),
        pairs_(static_cast<int>(turn_.pairs())),
        halves_(a.rotation.halves),
        fast_(turn_.has_rows_of_factors() && first_ % 4 == 0 && pairs_ % (halves_ ? 4 : 2) == 0) {}

  // Channels c .. c + 3 of a token; read(to, c) gives four of the gradient by turned channels, at multiples of 4.
  template <class Read>
  __device__ void four(float (&to)[4], int64_t token, int c, const Read& read) const {
    if (pairs_ > 0 && !fast_) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        to[e] = turn_.turned<true, float>(token, c + e, [&](int64_t channel) {
          float around[4];
          read(around, static_cast<int>(channel) & ~3);
          const int at = static_cast<int>(channel) & 3;
          return at == 0 ? around[0] : at == 1 ? around[1] : at == 2 ? around[2] : around[3];
        });
      }
      return;
    }
    read(to, c);
    const int at = c - first_;
    if (at < 0 || at >= 2 * pairs_) return;
    const float* factors = turn_.factors(token);
    if (halves_) {
      const bool second = at >= pairs_;
      float other[4];
      read(other, second ? c - pairs_ : c + pairs_);
      const float* f = factors + 2 * (second ? at - pairs_ : at);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const float imaginary = second ? -f[2 * e + 1] : f[2 * e + 1];
        to[e] = to[e] * f[2 * e] + other[e] * imaginary;
      }
    } else {
#pragma unroll
      for (int e = 0; e < 4; e += 2) {
        const float real = factors[at + e], imaginary = factors[at + e + 1];
        const float x = to[e], y = to[e + 1];
        to[e] = x * real + y * imaginary;
        to[e + 1] = y * real - x * imaginary;
      }
    }
  }

 private:
  HeadTurn turn_;
  int first_, pairs_;
  bool halves_, fast_;
};

}  // namespace phasor::cuda
