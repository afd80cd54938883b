#include "phasor/engine/cpu/dropout_mask.h"

#if defined(__AVX512BW__) && defined(__BMI2__)
// g++ 12 warns inside its own header, where an undefined register is passed on purpose.
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#endif

namespace phasor {

DropoutMask::DropoutMask(const Dropout& dropout, uint32_t site_offset)
    : key_(dropout.stream.key()),
      site_(dropout.stream.site + site_offset),
      step_(dropout.step != nullptr ? *dropout.step : dropout.stream.step),
      threshold_(drop::threshold(dropout.rate)),
      keep_scale_(drop::keep_scale(threshold_)) {}

#if defined(__AVX512BW__) && defined(__BMI2__)

namespace {

// High and low halves of the sixteen products a * m.
struct WideProduct {
  __m512i high, low;
};

[[gnu::always_inline]] inline WideProduct multiply(__m512i a, __m512i m) {
  const __m512i even = _mm512_mul_epu32(a, m);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), m);
  constexpr __mmask16 kOdd = 0xAAAA;
  return {_mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), kOdd, odd),
          _mm512_mask_mov_epi32(even, kOdd, _mm512_slli_epi64(odd, 32))};
}

}  // namespace

std::array<uint64_t, 2> DropoutMask::keep_bits(uint64_t first) const {
  // Sixteen counters side by side. first / 8 is a multiple of 16, so the low word never carries.
  const uint64_t block = first / drop::kInBlock;
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  __m512i c0 = _mm512_add_epi32(_mm512_set1_epi32(static_cast<int>(block)), lanes);
  __m512i c1 = _mm512_set1_epi32(static_cast<int>(block >> 32));
  __m512i c2 = _mm512_set1_epi32(static_cast<int>(site_));
  __m512i c3 = _mm512_set1_epi32(static_cast<int>(step_));
  const __m512i m0 = _mm512_set1_epi64(philox::kMultiplier0);
  const __m512i m1 = _mm512_set1_epi64(philox::kMultiplier1);
  uint32_t k0 = key_.low;
  uint32_t k1 = key_.high;
  for (int round = 0; round < philox::kRounds; ++round) {
    const WideProduct p0 = multiply(c0, m0);
    const WideProduct p1 = multiply(c2, m1);
    constexpr int kXor3 = 0x96;  // truth table of a ^ b ^ c
    c0 = _mm512_ternarylogic_epi32(p1.high, c1, _mm512_set1_epi32(static_cast<int>(k0)), kXor3);
    c1 = p1.low;
    c2 = _mm512_ternarylogic_epi32(p0.high, c3, _mm512_set1_epi32(static_cast<int>(k1)), kXor3);
    c3 = p0.low;
    k0 += philox::kWeyl0;
    k1 += philox::kWeyl1;
  }
  // Half h of word w of counter l decides index 8 l + 2 w + h: two bits of a comparison go to every fourth pair of
  // bits.
  const __m512i limit = _mm512_set1_epi16(static_cast<int16_t>(threshold_));
  const auto kept = [limit](__m512i words) { return uint64_t{_mm512_cmpge_epu16_mask(words, limit)}; };
  const uint64_t masks[4] = {kept(c0), kept(c1), kept(c2), kept(c3)};
  std::array<uint64_t, 2> bits{};
  for (int w = 0; w < 4; ++w) {
    constexpr uint64_t kEveryFourthPair = 0x0303030303030303u;
    bits[0] |= _pdep_u64(masks[w] & 0xffffu, kEveryFourthPair << (2 * w));
    bits[1] |= _pdep_u64(masks[w] >> 16, kEveryFourthPair << (2 * w));
  }
  return bits;
}

#else

std::array<uint64_t, 2> DropoutMask::keep_bits(uint64_t first) const {
  std::array<uint64_t, 2> bits{};
  for (uint32_t lane = 0; lane < 16; ++lane) {
    const uint64_t block = first / drop::kInBlock + lane;
    const PhiloxBlock words =
        philox4x32({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), site_, step_}, key_);
    for (uint32_t d = 0; d < drop::kInBlock; ++d) {
      bits[lane / 8] |= uint64_t{drop::half(words, d) >= threshold_} << (lane % 8 * drop::kInBlock + d);
    }
  }
  return bits;
}

#endif

}  // namespace phasor
