#include "phasor/engine/cpu/gemm.h"

namespace phasor {

std::vector<std::unique_ptr<Gemm>> available_gemms() {
  std::vector<std::unique_ptr<Gemm>> gemms;
#ifdef PHASOR_HAVE_ONEDNN
  gemms.push_back(make_onednn_gemm());
#endif
#ifdef PHASOR_HAVE_OPENBLAS
  gemms.push_back(make_openblas_gemm());
#endif
  return gemms;
}

}  // namespace phasor
