#pragma once
// Matrix products by a library, one thread per call. Ops cut their work into tiles whose shapes are a
// function of the problem alone and call this inside parallel_for, so results cannot depend on how a
// library would share a product among threads.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "phasor/tensor/matrix.h"

namespace phasor {

// c = op(a) op(b), or c += where `accumulate`. op(a) is [m, k], op(b) is [k, n]; all row-major.
struct Product {
  int64_t m = 0, n = 0, k = 0;
  Dtype operands = Dtype::f32;
  const void* a = nullptr;
  int64_t a_stride = 0;
  bool a_transposed = false;  // a is stored [k, m]
  const void* b = nullptr;
  int64_t b_stride = 0;
  bool b_transposed = false;  // b is stored [n, k]
  void* c = nullptr;
  int64_t c_stride = 0;
  Dtype result = Dtype::f32;  // bf16 results need bf16 operands
  bool accumulate = false;    // fp32 results only
};

class Gemm {
 public:
  virtual ~Gemm() = default;
  virtual std::string name() const = 0;
  virtual std::string version() const = 0;  // of the library that runs
  virtual bool supports(Dtype operands) const = 0;
  // Whether a row of a has the same product, bit for bit, wherever it stands in tiles of row_tiles.h.
  virtual bool rows_are_alike() const = 0;
  // Whether tiles of fewer rows go through the same kernels as whole ones.
  virtual bool sizes_are_alike() const { return true; }
  // Safe to call from several threads at once.
  virtual void multiply(const Product& product) const = 0;
  // A product on all threads by the library's own means, for measuring the machine's peak.
  virtual void multiply_on_all_threads(const Product& product) const = 0;
};

std::unique_ptr<Gemm> make_onednn_gemm();
std::unique_ptr<Gemm> make_openblas_gemm();

// What this build has, the preferred one first.
std::vector<std::unique_ptr<Gemm>> available_gemms();

}  // namespace phasor
