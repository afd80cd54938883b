#include "phasor/engine/cuda/activation_math.h"
#include "phasor/engine/cuda/cuda_backend.h"
#include "phasor/engine/cuda/products.h"

namespace phasor {
namespace cuda {
namespace {

constexpr int kThreads = 256;

template <class Y>
struct StoreActivated {
  Y* y;
  Y* preactivation;
  int64_t y_stride, preactivation_stride;
  const float* bias;
  Activation activation;

  __device__ void operator()(int64_t row, int64_t column, float value) const {
    if (bias != nullptr) value += bias[column];
    if (activation == Activation::gelu) write(preactivation[row * preactivation_stride + column], value);
    write(y[row * y_stride + column], activate(activation, value));
  }
  __device__ void pair(int64_t row, int64_t column, float first, float second) const {
    if (bias != nullptr) {
      first += bias[column];
      second += bias[column + 1];
    }
    if (activation == Activation::gelu) write_pair(preactivation + row * preactivation_stride + column, first, second);
    write_pair(y + row * y_stride + column, activate(activation, first), activate(activation, second));
  }
};

template <class Dy, class Saved>
__global__ void slopes(Matrix dy, ConstMatrix saved, Activation activation, RowSpan span) {
  const int64_t columns = dy.columns();
  const int64_t count = span.count() * columns;
  for (int64_t i = grid_first(); i < count; i += grid_step()) {
    const int64_t r = i / columns, c = i % columns;
    Dy& to = dy.row<Dy>(r)[c];
    write(to, multiply_by_slope(activation, to_float(to), to_float(saved.row<Saved>(r)[c])));
  }
}

// The same where both are bf16 and eight neighbours begin 16 bytes: `per_row` eights of a row.
__global__ void slopes_of_eight(Matrix dy, ConstMatrix saved, Activation activation, RowSpan span, uint32_t per_row) {
  const uint32_t count = static_cast<uint32_t>(span.count()) * per_row;
  for (uint32_t i = static_cast<uint32_t>(grid_first()); i < count; i += static_cast<uint32_t>(grid_step())) {
    const uint32_t r = i / per_row, c = i % per_row * 8;
    auto* to = reinterpret_cast<uint4*>(dy.row<bfloat16>(r) + c);
    const uint4 gradients = *to, kept = *reinterpret_cast<const uint4*>(saved.row<bfloat16>(r) + c);
    const auto both = [&](uint32_t d, uint32_t s) {
      return pack(multiply_by_slope(activation, __uint_as_float(d << 16), __uint_as_float(s << 16)),
                  multiply_by_slope(activation, __uint_as_float(d & 0xffff0000u), __uint_as_float(s & 0xffff0000u)));
    };
    *to = make_uint4(both(gradients.x, kept.x), both(gradients.y, kept.y), both(gradients.z, kept.z),
                     both(gradients.w, kept.w));
  }
}

bool has_eights(const ConstMatrix& m) {
  return m.dtype() == Dtype::bf16 && TensorOperand(m).aligned && m.columns() % 8 == 0 &&
         m.rows() * m.columns() / 8 <= INT32_MAX;
}

void apply_slopes(const CudaContext& context, const Matrix& dy, const ConstMatrix& saved, Activation activation,
                  const RowSpan& span) {
  if (has_eights(dy) && has_eights(saved)) {
    const int64_t per_row = dy.columns() / 8;
    slopes_of_eight<<<grid_of(dy.rows() * per_row, kThreads), kThreads, 0, context.stream>>>(
        dy, saved, activation, span, static_cast<uint32_t>(per_row));
  } else {
    with_element(dy.dtype(), [&]<class Dy>(Dy*) {
      with_element(saved.dtype(), [&]<class Saved>(Saved*) {
        slopes<Dy, Saved>
            <<<grid_of(dy.rows() * dy.columns(), kThreads), kThreads, 0, context.stream>>>(dy, saved, activation, span);
      });
    });
  }
  PHASOR_CUDA_LAUNCHED();
}

}  // namespace
}  // namespace cuda

void CudaBackend::run(const LinearForward& op) {
  using namespace cuda;
  const RowSpan span{op.rows.used, 0, op.x.rows()};
  with_element(op.x.dtype(), [&]<class X>(X*) {
    with_element(op.y.dtype(), [&]<class Y>(Y*) {
      product_with_rows<X>(
          context(), op.x, op.weight, span,
          StoreActivated<Y>{op.y.row<Y>(0), op.preactivation.empty() ? nullptr : op.preactivation.row<Y>(0),
                            op.y.stride(), op.preactivation.stride(), op.bias.data(), op.activation});
    });
  });
}

void CudaBackend::run(const LinearBackward& op) {
  using namespace cuda;
  const RowSpan span{op.rows.used, 0, op.dy.rows()};
  if (span.capacity == 0) return;
  if (op.activation != Activation::none) {
    apply_slopes(context(), op.dy, op.activation == Activation::relu ? op.y : op.preactivation, op.activation, span);
  }
  if (!op.dx.empty()) {
    with_element(op.dy.dtype(), [&]<class Dy>(Dy*) {
      with_element(op.dx.dtype(), [&]<class Dx>(Dx*) {
        product_with_columns<Dy>(context(), op.dy, op.weight, span,
                                 StoreElement<Dx>{op.dx.row<Dx>(0), op.dx.stride(), op.accumulate_dx});
      });
    });
  }
  add_weight_sums(context(), {.dweight = op.dweight, .dbias = op.dbias, .dy = op.dy, .x = op.x, .span = span});
}

}  // namespace phasor
