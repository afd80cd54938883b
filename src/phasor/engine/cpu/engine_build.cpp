#include "phasor/engine/engine_build.h"

#include "phasor/engine/cpu/gemm.h"

namespace phasor {
namespace {

const char* instruction_level() {
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
  return "x86-64-v4";
#elif defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__)
  return "x86-64-v3";
#elif defined(__SSE4_2__) && defined(__POPCNT__)
  return "x86-64-v2";
#elif defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "an unknown processor";
#endif
}

}  // namespace

EngineBuild engine_build() {
  const std::unique_ptr<Gemm> gemm = std::move(available_gemms().front());
  return {instruction_level(), gemm->name() + " " + gemm->version()};
}

}  // namespace phasor
