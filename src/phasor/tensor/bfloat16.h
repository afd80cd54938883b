#pragma once
// bfloat16: the upper half of a float. Arithmetic happens in float; this type only stores.
#include <cstdint>
#include <cstring>

#include "phasor/tensor/host_device.h"

namespace phasor {

struct bfloat16 {  // NOLINT(readability-identifier-naming): spelt like the built-in types it stands beside
  uint16_t bits = 0;
};

PHASOR_HOST_DEVICE inline float to_float(bfloat16 value) {
  const uint32_t wide = uint32_t{value.bits} << 16;
  float result;
  std::memcpy(&result, &wide, sizeof(result));
  return result;
}

PHASOR_HOST_DEVICE inline float to_float(float value) { return value; }

// Rounds to nearest, ties to even; NaN stays NaN.
PHASOR_HOST_DEVICE inline bfloat16 to_bfloat16(float value) {
  uint32_t wide;
  std::memcpy(&wide, &value, sizeof(wide));
  if ((wide & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((wide >> 16) | 0x40u)};
  wide += 0x7fffu + ((wide >> 16) & 1u);
  return {static_cast<uint16_t>(wide >> 16)};
}

}  // namespace phasor
