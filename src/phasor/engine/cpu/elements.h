#pragma once
// Rows of fp32 or bf16 as float, and back. Loops over elements are written once, on the element type.
#include <cstdint>

#include "phasor/tensor/matrix.h"

namespace phasor {

[[gnu::always_inline]] inline void write(float& to, float value) { to = value; }
[[gnu::always_inline]] inline void write(bfloat16& to, float value) {
  // Branch-free form of to_bfloat16 (NaN keeps its upper half with the quiet bit set), so that loops vectorise.
  uint32_t wide;
  __builtin_memcpy(&wide, &value, sizeof(wide));
  const uint32_t rounded = (wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16;
  const uint32_t quiet = (wide >> 16) | 0x40u;
  to.bits = static_cast<uint16_t>((wide & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

// Calls f with a null pointer of the element type.
template <class F>
void with_element(Dtype dtype, const F& f) {
  if (dtype == Dtype::f32) {
    f(static_cast<float*>(nullptr));
  } else {
    f(static_cast<bfloat16*>(nullptr));
  }
}

template <class T>
void read_row(float* to, const T* from, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) to[i] = to_float(from[i]);
}

template <class T>
void write_row(T* to, const float* from, int64_t count) {
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) write(to[i], from[i]);
}

// The same for a dtype known only at run time.
inline void read_row(float* to, const void* from, Dtype dtype, int64_t count) {
  if (dtype == Dtype::f32) {
    read_row(to, static_cast<const float*>(from), count);
  } else {
    read_row(to, static_cast<const bfloat16*>(from), count);
  }
}

inline void write_row(void* to, Dtype dtype, const float* from, int64_t count) {
  if (dtype == Dtype::f32) {
    write_row(static_cast<float*>(to), from, count);
  } else {
    write_row(static_cast<bfloat16*>(to), from, count);
  }
}

inline int64_t used_rows(const int32_t* used, int64_t capacity) { return used != nullptr ? *used : capacity; }

}  // namespace phasor
