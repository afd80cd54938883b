#include <cblas.h>

#include "phasor/base/error.h"
#include "phasor/engine/cpu/gemm.h"

namespace phasor {
namespace {

class OpenBlasGemm final : public Gemm {
 public:
  std::string name() const override { return "OpenBLAS"; }
  bool supports(Dtype operands) const override { return operands == Dtype::f32; }

  void multiply(const Product& p) const override {
    // The pthread flavour would start its own threads; the OpenMP flavour sees that it is inside a region.
    thread_local const bool single = (openblas_set_num_threads(1), true);
    static_cast<void>(single);
    run(p);
  }

  void multiply_on_all_threads(const Product& p) const override {
    openblas_set_num_threads(openblas_get_num_procs());
    run(p);
    openblas_set_num_threads(1);
  }

 private:
  static void run(const Product& p) {
    if (p.operands != Dtype::f32) fail("OpenBLAS multiplies fp32 only; bf16 needs oneDNN");
    cblas_sgemm(CblasRowMajor, p.a_transposed ? CblasTrans : CblasNoTrans, p.b_transposed ? CblasTrans : CblasNoTrans,
                static_cast<blasint>(p.m), static_cast<blasint>(p.n), static_cast<blasint>(p.k), 1.0f,
                static_cast<const float*>(p.a), static_cast<blasint>(p.a_stride), static_cast<const float*>(p.b),
                static_cast<blasint>(p.b_stride), p.accumulate ? 1.0f : 0.0f, static_cast<float*>(p.c),
                static_cast<blasint>(p.c_stride));
  }
};

}  // namespace

std::unique_ptr<Gemm> make_openblas_gemm() { return std::make_unique<OpenBlasGemm>(); }

}  // namespace phasor
