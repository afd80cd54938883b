#include <omp.h>

#include <algorithm>
#include <array>
#include <dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "phasor/base/error.h"
#include "phasor/base/threads.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/gemm.h"

namespace phasor {
namespace {

using dnnl::memory;

// Everything that a compiled product depends on.
struct Shape {
  std::array<int64_t, 6> sizes;
  uint32_t flags;
  bool operator==(const Shape&) const = default;
};

struct ShapeHash {
  size_t operator()(const Shape& shape) const {
    uint64_t hash = shape.flags;
    for (const int64_t size : shape.sizes) hash = (hash ^ static_cast<uint64_t>(size)) * 0x9E3779B97F4A7C15u;
    return static_cast<size_t>(hash ^ (hash >> 32));
  }
};

struct Compiled {
  dnnl::matmul primitive;
  memory a, b, c;
};

memory::data_type data_type(Dtype dtype) {
  return dtype == Dtype::f32 ? memory::data_type::f32 : memory::data_type::bf16;
}

memory::desc describe(int64_t rows, int64_t columns, Dtype dtype, int64_t stride, bool transposed) {
  return {{rows, columns}, data_type(dtype), transposed ? memory::dims{1, stride} : memory::dims{stride, 1}};
}

dnnl::engine& cpu_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

Compiled compile(const Product& p) {
  const memory::desc a = describe(p.m, p.k, p.operands, p.a_stride, p.a_transposed);
  const memory::desc b = describe(p.k, p.n, p.operands, p.b_stride, p.b_transposed);
  const memory::desc c = describe(p.m, p.n, p.result, p.c_stride, false);
  dnnl::primitive_attr attributes;
  if (p.accumulate) {
    dnnl::post_ops post;
    post.append_sum(1.0f);
    attributes.set_post_ops(post);
  }
#if DNNL_VERSION_MAJOR >= 3
  const dnnl::matmul::primitive_desc description(cpu_engine(), a, b, c, attributes);
#else
  const dnnl::matmul::primitive_desc description({a, b, c}, attributes, cpu_engine());
#endif
  return {dnnl::matmul(description), memory(a, cpu_engine(), nullptr), memory(b, cpu_engine(), nullptr),
          memory(c, cpu_engine(), nullptr)};
}

bool has_bf16() {
  try {
    float dummy[4] = {};
    compile({.m = 1,
             .n = 1,
             .k = 2,
             .operands = Dtype::bf16,
             .a = dummy,
             .a_stride = 2,
             .b = dummy,
             .b_stride = 1,
             .c = dummy,
             .c_stride = 1});
    return true;
  } catch (const dnnl::error&) {
    return false;
  }
}

// A product of one row or one column, in place of oneDNN 3. Of one row, its last column was seen to be NaN on AVX-512,
// in the corner of a weight gradient of 65 x 33 whose last tile has one row. Of one column, rows of c that are more
// than a number apart were seen to be wrong. Which part of such products is to blame was not found out.
void multiply_thin(const Product& p) {
  std::vector<double> sums(static_cast<size_t>(p.n));
  for (int64_t r = 0; r < p.m; ++r) {
    std::fill(sums.begin(), sums.end(), 0.0);
    with_element(p.operands, [&]<class Element>(Element*) {
      const auto* a = static_cast<const Element*>(p.a) + r * (p.a_transposed ? 1 : p.a_stride);
      const auto* b = static_cast<const Element*>(p.b);
      const int64_t a_step = p.a_transposed ? p.a_stride : 1;
      const int64_t row_step = p.b_transposed ? 1 : p.b_stride, column_step = p.b_transposed ? p.b_stride : 1;
      for (int64_t k = 0; k < p.k; ++k) {
        const auto factor = static_cast<double>(to_float(a[k * a_step]));
        for (int64_t c = 0; c < p.n; ++c) {
          sums[static_cast<size_t>(c)] += factor * static_cast<double>(to_float(b[k * row_step + c * column_step]));
        }
      }
    });
    with_element(p.result, [&]<class Element>(Element*) {
      auto* to = static_cast<Element*>(p.c) + r * p.c_stride;
      for (int64_t c = 0; c < p.n; ++c) {
        const double before = p.accumulate ? static_cast<double>(to_float(to[c])) : 0.0;
        write(to[c], static_cast<float>(before + sums[static_cast<size_t>(c)]));
      }
    });
  }
}

class OneDnnGemm final : public Gemm {
 public:
  std::string name() const override { return "oneDNN"; }
  std::string version() const override {
    const dnnl::version_t* version = dnnl::version();
    return fmt::format("{}.{}.{}", version->major, version->minor, version->patch);
  }
  bool supports(Dtype operands) const override { return operands == Dtype::f32 || bf16_; }

  bool rows_are_alike() const override { return true; }

  void multiply(const Product& p) const override {
    if (omp_in_parallel() != 0) {
      run(p, 1);  // oneDNN keeps to the calling thread inside a parallel region
      return;
    }
    const ThreadCount guard(1);
    run(p, 1);
  }

  void multiply_on_all_threads(const Product& p) const override { run(p, omp_get_max_threads()); }

 private:
  static void run(const Product& p, int threads) {
    if (DNNL_VERSION_MAJOR >= 3 && (p.m == 1 || p.n == 1)) return multiply_thin(p);
    // Compiled products and the stream belong to a thread: executing them needs no lock.
    thread_local std::unordered_map<Shape, Compiled, ShapeHash> cache;
    thread_local dnnl::stream stream(cpu_engine());
    const uint32_t flags = static_cast<uint32_t>(p.a_transposed) | static_cast<uint32_t>(p.b_transposed) << 1 |
                           static_cast<uint32_t>(p.accumulate) << 2 | static_cast<uint32_t>(p.operands) << 3 |
                           static_cast<uint32_t>(p.result) << 4 | static_cast<uint32_t>(threads) << 5;
    const Shape shape{{p.m, p.n, p.k, p.a_stride, p.b_stride, p.c_stride}, flags};
    auto found = cache.find(shape);
    if (found == cache.end()) {
      try {
        // A region's threads still see the process's thread count, and it must not sway the blocking.
        const ThreadCount count(threads);
        found = cache.emplace(shape, compile(p)).first;
      } catch (const dnnl::error& error) {
        fail("oneDNN cannot multiply {} matrices [{} x {}] [{} x {}] on this machine: {}", phasor::name(p.operands),
             p.m, p.k, p.k, p.n, error.what());
      }
    }
    Compiled& compiled = found->second;
    // oneDNN takes mutable pointers for operands that it only reads.
    compiled.a.set_data_handle(const_cast<void*>(p.a));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    compiled.b.set_data_handle(const_cast<void*>(p.b));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    compiled.c.set_data_handle(p.c);
    compiled.primitive.execute(
        stream, {{DNNL_ARG_SRC, compiled.a}, {DNNL_ARG_WEIGHTS, compiled.b}, {DNNL_ARG_DST, compiled.c}});
  }

  bool bf16_ = has_bf16();
};

}  // namespace

std::unique_ptr<Gemm> make_onednn_gemm() { return std::make_unique<OneDnnGemm>(); }

}  // namespace phasor
