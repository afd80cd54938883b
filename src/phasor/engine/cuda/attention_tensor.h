#pragma once
// What the attention kernels on tensor cores share: bf16 operands, sums and softmax in fp32, heads of up to 128
// channels. A block of four warps owns 64 rows, 16 for each warp, and goes through the other side in tiles. Rotated
// rows are turned in fp32 and rounded once. For .cu files.
#include <cstdint>

#include "phasor/engine/cuda/attention_block.h"
#include "phasor/engine/cuda/tensor_cores.h"

namespace phasor::cuda {

inline constexpr int kHeadWarps = 4;
inline constexpr int kHeadThreads = kHeadWarps * kWarp;
inline constexpr int kHeadRows = 16 * kHeadWarps;
inline constexpr int kMostTensorChannels = 128;

// Whether these kernels serve: everything that they multiply is bf16.
inline bool takes_tensor_cores(const Attention& a) {
  const auto narrow = [](const ConstMatrix& m) { return m.empty() || m.dtype() == Dtype::bf16; };
  return narrow(a.query) && narrow(a.key) && narrow(a.value) && narrow(a.shared_query) && narrow(a.shared_key) &&
         a.shape.key_width <= kMostTensorChannels && a.shape.value_width <= kMostTensorChannels &&
         a.shape.key_width > 0 && a.shape.value_width > 0;
}

// Channels that kernels are compiled for.
template <class F>
void with_channels(int channels, const F& f) {
  if (channels <= 16) {
    f(std::integral_constant<int, 16>());
  } else if (channels <= 32) {
    f(std::integral_constant<int, 32>());
  } else if (channels <= 64) {
    f(std::integral_constant<int, 64>());
  } else {
    f(std::integral_constant<int, kMostTensorChannels>());
  }
}

// Channels as they are multiplied, 16 at a time; those beyond the width are zeros.
PHASOR_HOST_DEVICE constexpr int whole_channels(int width) { return (width + 15) / 16 * 16; }
// Elements from row to row in shared memory: eight rows meet no bank twice.
PHASOR_HOST_DEVICE constexpr int tensor_stride(int width) { return whole_channels(width) + 8; }

__device__ inline bool begins_16_bytes(const ConstMatrix& m, int64_t column) {
  return reinterpret_cast<uintptr_t>(m.data()) % 16 == 0 && m.stride() % 8 == 0 && column % 8 == 0;
}

// Eight neighbours that begin 16 bytes.
__device__ inline void read_eight(float (&to)[8], const ConstMatrix& m, int64_t row, int64_t column) {
  const uint4 raw = *reinterpret_cast<const uint4*>(m.row<bfloat16>(row) + column);
  const uint32_t words[4] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    to[2 * i] = __uint_as_float(words[i] << 16);
    to[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
  }
}

__device__ inline void write_eight(bfloat16* to, const float (&from)[8]) {
  *reinterpret_cast<uint4*>(to) =
      make_uint4(pack(from[0], from[1]), pack(from[2], from[3]), pack(from[4], from[5]), pack(from[6], from[7]));
}

// A head's channels of a token, eight at a time, turned.
class TurnedChannels {
 public:
  __device__ TurnedChannels(const HeadChannels& channels, const HeadTurn& turn, const Attention& a)
      : channels_(channels),
        turn_(turn),
        width_(a.shape.key_width),
        first_(a.rotation.first),
        turned_(static_cast<int>(2 * turn.pairs())),
        halves_(a.rotation.halves) {
    const int64_t own = channels.own_width;
    const bool whole = width_ % 8 == 0 && own % 8 == 0 &&
                       (own == 0 || begins_16_bytes(channels.own, channels.head * own)) &&
                       (own == width_ || begins_16_bytes(channels.shared, 0));
    // Pairs lie within eight channels, or eight of them within sixteen.
    const bool pairs = turned_ == 0 || (halves_ ? first_ % 8 == 0 && turned_ % 16 == 0 : first_ % 2 == 0);
    fast_ = whole && pairs;
  }

  __device__ void read(float (&to)[8], int64_t token, int c) const {
    if (!fast_) {
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        to[e] = c + e < width_ ? turn_.turned<false, float>(
                                     token, c + e, [&](int64_t channel) { return channels_.at(token, channel); })
                               : 0.0f;
      }
      return;
    }
    if (c >= width_) {
#pragma unroll
      for (float& x : to) x = 0.0f;
      return;
    }
    read_whole(to, token, c);
    const int at = c - first_;
    if (at + 8 <= 0 || at >= turned_) return;
    const float* factors = turn_.has_rows_of_factors() ? turn_.factors(token) : nullptr;
    const auto factor = [&](int pair, float& real, float& imaginary) {
      if (factors != nullptr) {
        real = factors[2 * pair];
        imaginary = factors[2 * pair + 1];
      } else {
        turn_.factor(token, pair, real, imaginary);
      }
    };
    if (halves_) {
      const bool second = at >= turned_ / 2;
      float other[8];
      read_whole(other, token, second ? c - turned_ / 2 : c + turned_ / 2);
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        float real, imaginary;
        factor(second ? at - turned_ / 2 + e : at + e, real, imaginary);
        to[e] = second ? to[e] * real + other[e] * imaginary : to[e] * real - other[e] * imaginary;
      }
    } else {
#pragma unroll
      for (int e = 0; e < 8; e += 2) {
        if (at + e < 0 || at + e >= turned_) continue;
        float real, imaginary;
        factor((at + e) / 2, real, imaginary);
        const float x = to[e], y = to[e + 1];
        to[e] = x * real - y * imaginary;
        to[e + 1] = y * real + x * imaginary;
      }
    }
  }

 private:
  __device__ void read_whole(float (&to)[8], int64_t token, int c) const {
    if (c < channels_.own_width) {
      read_eight(to, channels_.own, token, channels_.head * channels_.own_width + c);
    } else {
      read_eight(to, channels_.shared, token, c - channels_.own_width);
    }
  }

  const HeadChannels& channels_;
  const HeadTurn& turn_;
  int width_, first_, turned_;  // turned_: channels from the first on
  bool halves_, fast_ = false;
};

// to[rows, stride] = value(row, channel .. channel + 8), zeros beyond `valid` rows.
template <class Read>
__device__ void fill_tile(bfloat16* to, int rows, int width, int valid, const Read& read) {
  const int stride = tensor_stride(width);
  const int per_row = whole_channels(width) / 8;
  for (int i = static_cast<int>(threadIdx.x); i < rows * per_row; i += kHeadThreads) {
    const int r = i / per_row;
    const int c = i % per_row * 8;
    float eight[8] = {};
    if (r < valid) read(eight, r, c);
    write_eight(to + r * stride + c, eight);
  }
}

__device__ inline void load_turned(bfloat16* to, int rows, int begin, const Attention& a, const HeadPlace& place,
                                   const HeadChannels& channels, const View<const float, 4>& table) {
  const HeadTurn turn(table, a, place);
  const TurnedChannels turned(channels, turn, a);
  const int64_t first = place.first + begin;
  fill_tile(to, rows, a.shape.key_width, static_cast<int>(place.length) - begin,
            [&](float(&eight)[8], int r, int c) { turned.read(eight, first + r, c); });
}

__device__ inline void load_tensor_query(bfloat16* to, int rows, int begin, const Attention& a,
                                         const HeadPlace& place) {
  load_turned(to, rows, begin, a, place, query_channels(a, place), a.rotation.query);
}
__device__ inline void load_tensor_key(bfloat16* to, int rows, int begin, const Attention& a, const HeadPlace& place) {
  load_turned(to, rows, begin, a, place, key_channels(a, place), a.rotation.key);
}

// Rows of a head's values or of something shaped like them: the columns head * value_width and on.
__device__ inline void load_tensor_value(bfloat16* to, int rows, int begin, const ConstMatrix& from, int64_t head,
                                         const Attention& a, const HeadPlace& place) {
  const int width = a.shape.value_width;
  const bool fast = from.dtype() == Dtype::bf16 && width % 8 == 0 && begins_16_bytes(from, head * width);
  const int64_t first = place.first + begin;
  fill_tile(to, rows, width, static_cast<int>(place.length) - begin, [&](float(&eight)[8], int r, int c) {
    if (c >= width) return;
    if (fast) return read_eight(eight, from, first + r, head * width + c);
    for (int e = 0; e < 8 && c + e < width; ++e) eight[e] = read_at(from, first + r, head * width + c + e);
  });
}

// c[16 rows, 8 parts] += a[16, depth] b[8 parts, depth]^T for the parts below `columns`; rows of both in shared memory.
template <int kParts>
__device__ void multiply_rows(float (&c)[kParts][4], const bfloat16* a, const bfloat16* b, int stride, int depth,
                              int columns) {
  const int lane = this_lane();
  for (int k = 0; k < depth; k += 16) {
    uint32_t left[4];
    load_matrices(left, a + lane % 16 * stride + k + lane / 16 * 8);
#pragma unroll
    for (int n = 0; n < kParts; n += 2) {
      if (n * 8 >= columns) continue;
      uint32_t right[4];
      load_matrices(right, b + (n * 8 + lane % 8 + lane / 16 * 8) * stride + k + lane / 8 % 2 * 8);
      multiply_add(c[n], left, right[0], right[1]);
      multiply_add(c[n + 1], left, right[2], right[3]);
    }
  }
}

// What rounding to bf16 leaves over of the pair that was packed.
__device__ inline uint32_t pack_rest(uint32_t packed, float low, float high) {
  return pack(low - __uint_as_float(packed << 16), high - __uint_as_float(packed & 0xffff0000u));
}

// c[16 rows, 8 parts] += a[16, 8 depth parts] b[8 depth parts, 8 parts]: a as fragments of a product, b in shared
// memory. For the parts below `columns`, and of the depth those below `rows`. a is rounded to bf16; kTwice: what that
// leaves over is multiplied too. The rows of dL sum to zero, and so do gradients that are sums over them: rounded once,
// those would be off by as much as their largest terms.
template <bool kTwice, int kParts, int kDepthParts>
__device__ void multiply_scores(float (&c)[kParts][4], const float (&a)[kDepthParts][4], const bfloat16* b, int stride,
                                int columns, int rows) {
  const int lane = this_lane();
#pragma unroll
  for (int k = 0; k < kDepthParts; k += 2) {
    if (k * 8 >= rows) continue;
    uint32_t left[4], rest[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float low = a[k + i / 2][i % 2 * 2], high = a[k + i / 2][i % 2 * 2 + 1];
      left[i] = pack(low, high);
      if constexpr (kTwice) rest[i] = pack_rest(left[i], low, high);
    }
#pragma unroll
    for (int n = 0; n < kParts; n += 2) {
      if (n * 8 >= columns) continue;
      uint32_t right[4];
      load_matrices_transposed(right, b + (k * 8 + lane % 16) * stride + n * 8 + lane / 16 * 8);
      if constexpr (kTwice) {
        multiply_add(c[n], rest, right[0], right[1]);
        multiply_add(c[n + 1], rest, right[2], right[3]);
      }
      multiply_add(c[n], left, right[0], right[1]);
      multiply_add(c[n + 1], left, right[2], right[3]);
    }
  }
}

// Of the four lanes that share a row of a fragment.
__device__ inline float row_max(float value) {
  value = fmaxf(value, __shfl_xor_sync(kAllLanes, value, 1));
  return fmaxf(value, __shfl_xor_sync(kAllLanes, value, 2));
}
__device__ inline float row_sum(float value) {
  value += __shfl_xor_sync(kAllLanes, value, 1);
  return value + __shfl_xor_sync(kAllLanes, value, 2);
}

// Which of a fragment's four weights are kept, a bit for each, where rows are queries (`query` is the one of the warp's
// first row) and columns are keys from `key` on, a multiple of 8. A Philox block decides all keys of a query: lanes
// draw those of the fragment's 16 queries, two lanes each.
__device__ inline unsigned kept_of_queries(const DropoutMask& mask, const HeadPlace& place, int query, int key) {
  const int g = this_lane() / 4, t = this_lane() % 4;
  const unsigned mine = mask.keep_bits(dropout_block(place, query + g + t % 2 * 8, key));
  const unsigned other = __shfl_xor_sync(kAllLanes, mine, 1);
  const unsigned upper = t % 2 == 0 ? mine : other, lower = t % 2 == 0 ? other : mine;
  const int shift = t * 2;
  return (upper >> shift & 3u) | (lower >> shift & 3u) << 2;
}

// The same where rows are keys, from a multiple of 8 on, and columns are queries: two lanes draw each of 16 blocks.
__device__ inline unsigned kept_of_keys(const DropoutMask& mask, const HeadPlace& place, int query, int key) {
  const int g = this_lane() / 4, t = this_lane() % 4;
  const unsigned drawn = mask.keep_bits(dropout_block(place, query + 2 * t + g % 2, key + 8 * (g / 2 % 2)));
  unsigned kept = 0;
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const int from = (e / 2 * 2 | e % 2) * 4 + t;
    kept |= (__shfl_sync(kAllLanes, drawn, from) >> g & 1u) << e;
  }
  return kept;
}

// Two neighbours of a row of `columns`, the second of which may lie beyond.
__device__ inline void write_two(const Matrix& to, int64_t row, int64_t column, bool both, float first, float second) {
  if (!both) return write_at(to, row, column, first);
  if (to.dtype() == Dtype::f32) {
    write_pair(to.row<float>(row) + column, first, second);
  } else {
    write_pair(to.row<bfloat16>(row) + column, first, second);
  }
}

// to[row][channel] = scale * the warp's fragments, fp32 rows in shared memory.
template <int kParts>
__device__ void store_fragments(float* to, const float (&sums)[kParts][4], float scale, int channels, int stride) {
  const int row = this_warp() * 16 + this_lane() / 4;
#pragma unroll
  for (int n = 0; n < kParts; ++n) {
    const int c = n * 8 + this_lane() % 4 * 2;
    if (c >= channels) continue;
#pragma unroll
    for (int e = 0; e < 4; ++e) to[(row + e / 2 * 8) * stride + c + e % 2] = scale * sums[n][e];
  }
}

// Floats from row to row of what store_fragments writes.
PHASOR_HOST_DEVICE constexpr int gradient_stride(int width) { return whole_channels(width) + 4; }

}  // namespace phasor::cuda
