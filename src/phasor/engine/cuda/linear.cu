#include "phasor/engine/cuda/activation_math.h"
#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/products.h"

namespace phasor {
namespace cuda {
namespace {

// Whether eight neighbours of a row can be written at once.
bool has_eights(const ConstMatrix& m) {
  return m.dtype() == Dtype::bf16 && TensorOperand(m).aligned && m.columns() % 8 == 0;
}

template <class Y, Activation kActivation>
struct StoreActivated {
  static constexpr bool kKeepsPreactivation = kActivation == Activation::gelu;
  static constexpr int kOutputs = std::is_same_v<Y, bfloat16> ? (kKeepsPreactivation ? 2 : 1) : 0;

  Y* y;
  Y* preactivation;
  int64_t y_stride, preactivation_stride;
  const float* bias;
  bool eights;

  __device__ void operator()(int64_t row, int64_t column, float sum) const {
    if (bias != nullptr) sum += bias[column];
    if constexpr (kKeepsPreactivation) write(preactivation[row * preactivation_stride + column], sum);
    write(y[row * y_stride + column], activate(kActivation, sum));
  }
  __device__ void pair(int64_t row, int64_t column, float first, float second) const {
    if (bias != nullptr) {
      first += bias[column];
      second += bias[column + 1];
    }
    if constexpr (kKeepsPreactivation) {
      write_pair(preactivation + row * preactivation_stride + column, first, second);
    }
    write_pair(y + row * y_stride + column, activate(kActivation, first), activate(kActivation, second));
  }

  __device__ bool has_eights() const { return eights; }
  __device__ float2 beside(int column) const {
    return bias == nullptr ? float2{} : make_float2(bias[column], bias[column + 1]);
  }
  template <int kOutput>
  __device__ float value(float sum, float bias) const {
    return kOutput == 0 ? activate(kActivation, sum + bias) : sum + bias;
  }
  template <int kOutput>
  __device__ void write_eight(int64_t row, int column, uint4 eight) const {
    Y* to = kOutput == 0 ? y + row * y_stride : preactivation + row * preactivation_stride;
    *reinterpret_cast<uint4*>(to + column) = eight;
  }
};

// dx, multiplied by the slope of the activation that made x; `saved` is x for relu and the preactivation for gelu.
template <class T, class Saved>
struct StoreSloped {
  static constexpr int kOutputs = std::is_same_v<T, bfloat16> && std::is_same_v<Saved, bfloat16> ? 1 : 0;

  T* dx;
  const Saved* saved;
  int64_t dx_stride, saved_stride;
  Activation activation;
  bool accumulate;
  bool eights;

  __device__ float sloped(int64_t row, int64_t column, float sum) const {
    if (activation == Activation::none) return sum;
    return multiply_by_slope(activation, sum, to_float(saved[row * saved_stride + column]));
  }
  __device__ void operator()(int64_t row, int64_t column, float sum) const {
    T& to = dx[row * dx_stride + column];
    sum = sloped(row, column, sum);
    write(to, accumulate ? to_float(to) + sum : sum);
  }
  __device__ void pair(int64_t row, int64_t column, float first, float second) const {
    T* to = dx + row * dx_stride + column;
    first = sloped(row, column, first);
    second = sloped(row, column + 1, second);
    if (accumulate) {
      first += to_float(to[0]);
      second += to_float(to[1]);
    }
    write_pair(to, first, second);
  }

  __device__ bool has_eights() const { return eights; }
  __device__ float2 beside(int) const { return {}; }
  template <int kOutput>
  __device__ float value(float sum, float) const {
    return sum;
  }
  template <int kOutput>
  __device__ void write_eight(int64_t row, int column, uint4 eight) const {
    if (activation != Activation::none) {
      const uint4 kept = *reinterpret_cast<const uint4*>(saved + row * saved_stride + column);
      const auto both = [&](uint32_t d, uint32_t s) {
        return pack(multiply_by_slope(activation, __uint_as_float(d << 16), __uint_as_float(s << 16)),
                    multiply_by_slope(activation, __uint_as_float(d & 0xffff0000u), __uint_as_float(s & 0xffff0000u)));
      };
      eight = make_uint4(both(eight.x, kept.x), both(eight.y, kept.y), both(eight.z, kept.z), both(eight.w, kept.w));
    }
    *reinterpret_cast<uint4*>(dx + row * dx_stride + column) = eight;
  }
};

template <class F>
void with_activation(Activation activation, const F& f) {
  switch (activation) {
    case Activation::relu:
      return f(std::integral_constant<Activation, Activation::relu>());
    case Activation::gelu:
      return f(std::integral_constant<Activation, Activation::gelu>());
    default:
      return f(std::integral_constant<Activation, Activation::none>());
  }
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const LinearForward& op) {
  using namespace cuda;
  const RowSpan span = row_span(op.rows, op.x.rows());
  with_element(op.x.dtype(), [&]<class X>(X*) {
    with_element(op.y.dtype(), [&]<class Y>(Y*) {
      with_activation(op.activation, [&]<Activation kActivation>(std::integral_constant<Activation, kActivation>) {
        using Store = StoreActivated<Y, kActivation>;
        const bool eights = has_eights(op.y) && (!Store::kKeepsPreactivation || has_eights(op.preactivation));
        product_with_rows<X>(context(), op.x, op.weight, span,
                             Store{.y = op.y.row<Y>(0),
                                   .preactivation = Store::kKeepsPreactivation ? op.preactivation.row<Y>(0) : nullptr,
                                   .y_stride = op.y.stride(),
                                   .preactivation_stride = op.preactivation.stride(),
                                   .bias = op.bias.data(),
                                   .eights = eights});
      });
    });
  });
}

void CudaBackend::run(const LinearBackward& op) {
  using namespace cuda;
  const RowSpan span = row_span(op.rows, op.dy.rows());
  if (span.capacity == 0) return;
  if (!op.dx.empty()) {
    const ConstMatrix& saved = op.x_activation == Activation::gelu ? op.x_preactivation : op.x;
    with_element(op.dy.dtype(), [&]<class Dy>(Dy*) {
      with_element(op.dx.dtype(), [&]<class Dx>(Dx*) {
        with_element(saved.dtype(), [&]<class Saved>(Saved*) {
          const bool eights = has_eights(op.dx) && has_eights(saved) && !op.accumulate_dx;
          product_with_columns<Dy>(context(), op.dy, op.weight, span,
                                   StoreSloped<Dx, Saved>{.dx = op.dx.row<Dx>(0),
                                                          .saved = saved.row<Saved>(0),
                                                          .dx_stride = op.dx.stride(),
                                                          .saved_stride = saved.stride(),
                                                          .activation = op.x_activation,
                                                          .accumulate = op.accumulate_dx,
                                                          .eights = eights});
        });
      });
    });
  }
  add_weight_sums(context(), {.dweight = op.dweight, .dbias = op.dbias, .dy = op.dy, .x = op.x, .span = span});
}

}  // namespace phasor
