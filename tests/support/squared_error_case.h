#pragma once
// Cases of the readout of a number with its squared error: their data, and how to run them on a backend.
#include "reference/rounded.h"
#include "reference/squared_error.h"
#include "support/device.h"

namespace phasor::testing_support {

struct SquaredErrorCase {
  const char* name;
  int64_t rows, capacity, width;
  bool bias = true;
  reference::Scale scale = {};
};

inline void PrintTo(const SquaredErrorCase& c, std::ostream* out) { *out << c.name; }

class SquaredErrorData {
 public:
  SquaredErrorData(const SquaredErrorCase& given, Dtype dtype, uint64_t seed) : shape(given), operands(dtype) {
    RandomData data(seed);
    x = data.normal(shape.rows, shape.width, dtype);
    weight = data.normal(1, shape.width, dtype, 1.0 / std::sqrt(static_cast<double>(shape.width)));
    if (shape.bias) bias = data.normal(1, 1);
    const auto near = [&](double units) { return static_cast<int32_t>(shape.scale.centre + units * shape.scale.unit); };
    targets = data.integers(shape.rows, near(-2.0), near(2.0));
    target_weight = data.normal(shape.rows, 1, Dtype::f32, 0.2, 1.0 / static_cast<double>(shape.rows + 1));
    for (int64_t r = 2; r < shape.rows; r += 3) {  // every third row does not count and has no valid target
      target_weight(r, 0) = 0.0;
      targets[static_cast<size_t>(r)] = r % 2 == 0 ? -1 : 0x7fffffff;
    }
    dweight = data.normal(1, shape.width);
    dbias = data.normal(1, 1);
  }

  template <class S>
  reference::SquaredError<S> forward() const {
    using reference::lift;
    return reference::squared_error(lift<S>(x), lift<S>(weight), lift<S>(bias), targets, target_weight, shape.scale);
  }

  template <class S>
  Grid<S> dy() const {
    return reference::output_gradient(forward<S>(), target_weight);
  }

  SquaredErrorCase shape;
  Dtype operands;
  Grid<double> x, weight, bias, target_weight, dweight, dbias;
  std::vector<int32_t> targets;
};

struct SquaredErrorOutputs {
  Grid<double> loss, dx, dweight, dbias;
  std::vector<int32_t> prediction;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

// dx may be fp32 where the operands are bf16.
inline SquaredErrorOutputs run(Backend& backend, const SquaredErrorData& data, bool gradients, Dtype dx_dtype) {
  const SquaredErrorCase& shape = data.shape;
  const int64_t spare = shape.capacity - shape.rows;
  const DeviceMatrix x(backend, data.operands, data.x, spare, 2);
  const DeviceMatrix weight(backend, data.operands, data.weight);
  const DeviceMatrix bias(backend, Dtype::f32, data.bias);
  const DeviceMatrix target_weight(backend, Dtype::f32, data.target_weight, spare);
  const DeviceArray<int32_t> targets(backend, data.targets, spare);
  const DeviceMatrix loss(backend, Dtype::f32, shape.capacity, 1);
  const DeviceArray<int32_t> prediction(backend, {}, shape.capacity);
  const DeviceMatrix dx(backend, dx_dtype, shape.capacity, shape.width, 3);
  const DeviceMatrix dweight(backend, Dtype::f32, data.dweight);
  const DeviceMatrix dbias(backend, Dtype::f32, data.dbias);
  const DeviceArray<int32_t> rows(backend, {static_cast<int32_t>(shape.rows)});
  LinearSquaredError op{.loss = loss.flat(), .prediction = prediction.view()};
  if (gradients) {
    op.dx = dx.matrix();
    op.dweight = dweight.view();
    if (shape.bias) op.dbias = dbias.flat();
  }
  op.x = x.matrix();
  op.weight = weight.matrix();
  if (shape.bias) op.bias = bias.flat();
  op.targets = targets.view();
  op.target_weight = target_weight.flat();
  op.centre = static_cast<float>(shape.scale.centre);
  op.unit = static_cast<float>(shape.scale.unit);
  if (spare > 0) op.rows.used = rows.data();  // else null: all rows of the extent
  backend.run(op);
  SquaredErrorOutputs got{loss.read(shape.rows), dx.read(shape.rows), dweight.read(1), dbias.read(1),
                          prediction.read(shape.rows)};
  const std::vector<int32_t> all = prediction.read(shape.capacity);
  got.spoiled = loss.spoiled_beyond(shape.rows) + dx.spoiled_beyond(gradients ? shape.rows : 0);
  for (size_t r = static_cast<size_t>(shape.rows); r < all.size(); ++r) got.spoiled += all[r] != 0x7f7f7f7f;
  Bytes predictions(all.size() * sizeof(int32_t));
  if (!all.empty()) std::memcpy(predictions.data(), all.data(), predictions.size());
  got.images = {loss.download(), dx.download(), dweight.download(), dbias.download(), predictions};
  return got;
}

inline SquaredErrorOutputs run(Backend& backend, const SquaredErrorData& data, bool gradients) {
  return run(backend, data, gradients, data.operands);
}

}  // namespace phasor::testing_support
