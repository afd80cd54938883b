#pragma once
// Instructions beyond the least of an x86-64 processor that a compiler may put into a program.

// X(the macro of the compiler, the name of __builtin_cpu_supports and of people)
#define PHASOR_INSTRUCTION_SETS(X)          \
  X(__SSE3__, "sse3")                       \
  X(__SSSE3__, "ssse3")                     \
  X(__SSE4_1__, "sse4.1")                   \
  X(__SSE4_2__, "sse4.2")                   \
  X(__POPCNT__, "popcnt")                   \
  X(__AVX__, "avx")                         \
  X(__AVX2__, "avx2")                       \
  X(__BMI__, "bmi")                         \
  X(__BMI2__, "bmi2")                       \
  X(__FMA__, "fma")                         \
  X(__FMA4__, "fma4")                       \
  X(__XOP__, "xop")                         \
  X(__AVX512F__, "avx512f")                 \
  X(__AVX512BW__, "avx512bw")               \
  X(__AVX512CD__, "avx512cd")               \
  X(__AVX512DQ__, "avx512dq")               \
  X(__AVX512VL__, "avx512vl")               \
  X(__AVX512VNNI__, "avx512vnni")           \
  X(__AVX512VBMI__, "avx512vbmi")           \
  X(__AVX512VBMI2__, "avx512vbmi2")         \
  X(__AVX512IFMA__, "avx512ifma")           \
  X(__AVX512BITALG__, "avx512bitalg")       \
  X(__AVX512VPOPCNTDQ__, "avx512vpopcntdq") \
  X(__AVX512BF16__, "avx512bf16")           \
  X(__GFNI__, "gfni")                       \
  X(__VPCLMULQDQ__, "vpclmulqdq")           \
  PHASOR_MORE_INSTRUCTION_SETS(X)

// Names that clang 14 does not know.
#if defined(__clang__)
#define PHASOR_MORE_INSTRUCTION_SETS(X)
#else
#define PHASOR_MORE_INSTRUCTION_SETS(X) \
  X(__LZCNT__, "lzcnt")                 \
  X(__MOVBE__, "movbe")                 \
  X(__F16C__, "f16c")                   \
  X(__AVX512FP16__, "avx512fp16")       \
  X(__AVXVNNI__, "avxvnni")
#endif

namespace phasor::app {

// One entry per set of the list above, in its order: whether this program was compiled for it.
extern const bool kProcessorNeeds[];

}  // namespace phasor::app
