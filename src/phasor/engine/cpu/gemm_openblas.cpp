#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/threads.h"
#include "phasor/engine/cpu/gemm.h"

namespace phasor {
namespace {

class OpenBlasGemm final : public Gemm {
 public:
  // The pthread flavour would start threads of its own.
  OpenBlasGemm() {
    const ThreadCount restore(1);
    openblas_set_num_threads(1);
    rows_are_alike_ = same_rows(64) && same_rows(256);
  }

  std::string name() const override { return "OpenBLAS"; }
  // The library says more than its version: "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
  std::string version() const override {
    std::istringstream words(openblas_get_config());
    std::string library, version;
    words >> library >> version;
    return version;
  }
  bool supports(Dtype operands) const override { return operands == Dtype::f32; }
  bool rows_are_alike() const override { return rows_are_alike_; }
  // Small products have kernels of their own (0.3.21, AVX-512: by m n k, and m n where b is transposed).
  bool sizes_are_alike() const override { return false; }

  void multiply(const Product& p) const override {
    if (omp_in_parallel() != 0) {
      run(p);
      return;
    }
    const ThreadCount guard(1);
    run(p);
  }

  void multiply_on_all_threads(const Product& p) const override {
    const int threads = omp_get_max_threads();
    openblas_set_num_threads(threads);
    run(p);
    const ThreadCount restore(1);  // openblas_set_num_threads changes OpenMP's count too
    openblas_set_num_threads(1);
  }

 private:
  // Whether equal rows of a have equal products, bit for bit. Kernels for AVX2 (0.3.21)
  // sum six of every twelve rows in another order.
  static bool same_rows(int64_t k) {
    constexpr int64_t kRows = 48, kColumns = 64;
    std::vector<float> a, b, c(kRows * kColumns);
    for (int64_t i = 0; i < kRows * k; ++i) a.push_back(1.0f / static_cast<float>(3 + i % k));
    for (int64_t i = 0; i < kColumns * k; ++i) b.push_back(1.0f / static_cast<float>(7 + i % 101));
    run({.m = kRows,
         .n = kColumns,
         .k = k,
         .a = a.data(),
         .a_stride = k,
         .b = b.data(),
         .b_stride = k,
         .b_transposed = true,
         .c = c.data(),
         .c_stride = kColumns});
    for (int64_t r = 1; r < kRows; ++r) {
      if (!std::equal(c.begin(), c.begin() + kColumns, c.begin() + r * kColumns)) return false;
    }
    return true;
  }

  static void run(const Product& p) {
    if (p.operands != Dtype::f32) fail("OpenBLAS multiplies fp32 only; bf16 needs oneDNN");
    cblas_sgemm(CblasRowMajor, p.a_transposed ? CblasTrans : CblasNoTrans, p.b_transposed ? CblasTrans : CblasNoTrans,
                static_cast<blasint>(p.m), static_cast<blasint>(p.n), static_cast<blasint>(p.k), 1.0f,
                static_cast<const float*>(p.a), static_cast<blasint>(p.a_stride), static_cast<const float*>(p.b),
                static_cast<blasint>(p.b_stride), p.accumulate ? 1.0f : 0.0f, static_cast<float*>(p.c),
                static_cast<blasint>(p.c_stride));
  }

  bool rows_are_alike_ = true;
};

}  // namespace

std::unique_ptr<Gemm> make_openblas_gemm() { return std::make_unique<OpenBlasGemm>(); }

}  // namespace phasor
