#pragma once
// Cases of linear + bias + activation: their data, what to expect, and how to run them on a backend.
#include "reference/linear.h"
#include "reference/rounded.h"
#include "support/backend.h"
#include "support/device.h"

namespace phasor::testing_support {

struct LinearCase {
  const char* name;
  int64_t rows, capacity, in, out;
  Activation activation = Activation::none;
  bool bias = true;
  bool dx = true;
  bool accumulate_dx = false;
  bool aligned = false;  // rows begin at multiples of 16 bytes, where the widths do

  // Elements between the rows of a matrix; different ones are used for different matrices.
  int64_t gap(int64_t elements) const { return aligned ? 8 : elements; }
};

inline void PrintTo(const LinearCase& c, std::ostream* out) { *out << c.name; }

inline const std::vector<LinearCase> kLinearCases = {
    {"Plain", 37, 48, 20, 48},
    {"NoBias", 17, 17, 6, 10, Activation::none, false},
    {"Relu", 70, 71, 48, 20, Activation::relu},
    {"Gelu", 64, 80, 33, 65, Activation::gelu},
    {"OneRow", 1, 3, 16, 16, Activation::gelu},
    {"OneColumn", 33, 33, 48, 1},
    {"NoDx", 19, 30, 24, 8, Activation::relu, true, false},
    {"AccumulateDx", 40, 41, 30, 22, Activation::none, true, true, true},
    {"AccumulateGelu", 21, 24, 12, 40, Activation::gelu, false, true, true},
    {"ManyRows", 700, 1000, 64, 96, Activation::relu},
    {"Deep", 24, 24, 600, 40, Activation::gelu},
    {"PaperUp", 130, 200, 256, 512, Activation::relu, true, true, false, true},
    {"PaperDown", 261, 300, 512, 256, Activation::gelu, true, true, true, true},
    {"PaperReadout", 140, 150, 256, 574, Activation::none, true, true, false, true},
    {"AlignedTail", 133, 140, 40, 72, Activation::gelu, true, true, false, true},
};

inline const std::vector<LinearCase> kSmallLinearCases = {
    {"Plain", 3, 5, 4, 6},
    {"Relu", 5, 5, 3, 4, Activation::relu},
    {"Gelu", 4, 6, 5, 3, Activation::gelu},
    {"NoBias", 2, 2, 7, 2, Activation::gelu, false},
    {"AccumulateDx", 6, 9, 2, 5, Activation::relu, true, true, true},
};

// x, weight and dy are operands of products; y, preactivation and dx are results.
struct LinearDtypes {
  const char* name;
  Dtype operands, results;
};

inline void PrintTo(const LinearDtypes& d, std::ostream* out) { *out << d.name; }

inline const std::vector<LinearDtypes> kLinearDtypes = {
    {"fp32", Dtype::f32, Dtype::f32},
    {"bf16", Dtype::bf16, Dtype::bf16},
    {"bf16_to_fp32", Dtype::bf16, Dtype::f32},
};

class LinearData {
 public:
  LinearData(const LinearCase& linear_case, const LinearDtypes& linear_dtypes, uint64_t seed)
      : shape(linear_case), dtypes(linear_dtypes) {
    // Kernels of the cuda backend add to fp32 alone.
    if (dtypes.results == Dtype::bf16 && tested_device() != kDefaultDevice) shape.accumulate_dx = false;
    RandomData data(seed);
    x = data.normal(shape.rows, shape.in, dtypes.operands);
    weight = data.normal(shape.out, shape.in, dtypes.operands, 1.0 / std::sqrt(static_cast<double>(shape.in)));
    if (shape.bias) bias = data.normal(1, shape.out);
    dy = data.normal(shape.rows, shape.out, dtypes.operands);
    dx = data.normal(shape.rows, shape.in, dtypes.results);
    dweight = data.normal(shape.out, shape.in);
    dbias = data.normal(1, shape.out);
  }

  // The backward pass's input: the case's activation of x, as it is stored.
  Grid<double> activated_x() const { return representable(reference::activated(shape.activation, x), dtypes.operands); }

  LinearCase shape;
  LinearDtypes dtypes;
  Grid<double> x, weight, bias;
  Grid<double> dy, dx, dweight, dbias;
};

struct ExpectedLinear {
  Grid<reference::Rounded32> y, preactivation;
};

inline ExpectedLinear expected_forward(const LinearData& data) {
  using reference::lift;
  using R = reference::Rounded32;
  const auto preactivation = reference::product(lift<R>(data.x), lift<R>(data.weight), lift<R>(data.bias));
  // gelu may read the preactivation before or after it is stored.
  auto read = preactivation;
  for (R& value : read.data) {
    if (data.shape.activation == Activation::gelu) value = stored(value, data.dtypes.results);
  }
  return {reference::activated(data.shape.activation, read), preactivation};
}

struct ExpectedLinearGradients {
  Grid<reference::Rounded32> dx, dweight, dbias;
};

// dx may be rounded before and after it is multiplied by the slope.
inline ExpectedLinearGradients expected_backward(const LinearData& data) {
  using namespace reference;
  using R = Rounded32;
  const Activation activation = data.shape.activation;
  const auto dy = lift<R>(data.dy);
  auto dx = product(dy, transposed(lift<R>(data.weight)));
  for (R& value : dx.data) {
    if (activation != Activation::none) value = stored(value, data.dtypes.results);
  }
  dx = deactivated(activation, dx, lift<R>(data.x));
  if (data.shape.accumulate_dx) dx = added(lift<R>(data.dx), dx);
  auto dweight = added(lift<R>(data.dweight), product(transposed(dy), transposed(lift<R>(data.activated_x()))));
  return {dx, dweight, column_sums(lift<R>(data.dbias), dy)};
}

struct LinearOutputs {
  Grid<double> y, preactivation;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

inline LinearOutputs run_forward(Backend& backend, const LinearData& data) {
  const LinearCase& shape = data.shape;
  const int64_t spare = shape.capacity - shape.rows;
  const bool gelu = shape.activation == Activation::gelu;
  const DeviceMatrix x(backend, data.dtypes.operands, data.x, spare, shape.gap(4));
  const DeviceMatrix weight(backend, data.dtypes.operands, data.weight);
  const DeviceMatrix bias(backend, Dtype::f32, data.bias);
  const DeviceMatrix y(backend, data.dtypes.results, shape.capacity, shape.out, shape.gap(3));
  const DeviceMatrix preactivation(backend, data.dtypes.results, shape.capacity, shape.out, shape.gap(2));
  const DeviceArray<int32_t> rows(backend, {static_cast<int32_t>(shape.rows)});
  LinearForward op{.y = y.matrix()};
  if (gelu) op.preactivation = preactivation.matrix();
  op.x = x.matrix();
  op.weight = weight.matrix();
  if (shape.bias) op.bias = bias.flat();
  op.activation = shape.activation;
  if (spare > 0) op.rows.used = rows.data();  // else null: all rows of the extent
  backend.run(op);
  return {y.read(shape.rows),
          preactivation.read(shape.rows),
          y.spoiled_beyond(shape.rows) + preactivation.spoiled_beyond(gelu ? shape.rows : 0),
          {y.download(), preactivation.download()}};
}

struct LinearGradientOutputs {
  Grid<double> dx, dweight, dbias;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

inline LinearGradientOutputs run_backward(Backend& backend, const LinearData& data) {
  const LinearCase& shape = data.shape;
  const int64_t spare = shape.capacity - shape.rows;
  const DeviceMatrix x(backend, data.dtypes.operands, data.activated_x(), spare, shape.gap(4));
  const DeviceMatrix weight(backend, data.dtypes.operands, data.weight);
  const DeviceMatrix dy(backend, data.dtypes.operands, data.dy, spare, shape.gap(5));
  const DeviceMatrix preactivation(backend, data.dtypes.results, data.x, spare, shape.gap(1));
  DeviceMatrix dx;
  if (shape.dx) dx = DeviceMatrix(backend, data.dtypes.results, shape.capacity, shape.in, shape.gap(6));
  if (shape.accumulate_dx) dx.write(data.dx);
  const DeviceMatrix dweight(backend, Dtype::f32, data.dweight);
  const DeviceMatrix dbias(backend, Dtype::f32, data.dbias);
  const DeviceArray<int32_t> rows(backend, {static_cast<int32_t>(shape.rows)});
  LinearBackward op{.dx = dx.matrix(), .accumulate_dx = shape.accumulate_dx, .dweight = dweight.view()};
  if (shape.bias) op.dbias = dbias.flat();
  op.dy = dy.matrix();
  op.x = x.matrix();
  op.weight = weight.matrix();
  op.x_activation = shape.activation;
  if (shape.activation == Activation::gelu) op.x_preactivation = preactivation.matrix();
  if (spare > 0) op.rows.used = rows.data();  // else null: all rows of the extent
  backend.run(op);
  return {shape.dx ? dx.read(shape.rows) : Grid<double>(),
          dweight.read(shape.out),
          dbias.read(1),
          dx.spoiled_beyond(shape.rows),
          {dx.download(), dweight.download(), dbias.download()}};
}

}  // namespace phasor::testing_support
