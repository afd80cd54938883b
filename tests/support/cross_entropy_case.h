#pragma once
// Cases of the linear readout with cross-entropy: their data, and how to run them on a backend.
#include "reference/cross_entropy.h"
#include "reference/rounded.h"
#include "support/device.h"

namespace phasor::testing_support {

struct CrossEntropyCase {
  const char* name;
  int64_t rows, capacity, width, classes;
  bool bias = true;
  double deviation = 1.0;  // of the logits, about
};

inline void PrintTo(const CrossEntropyCase& c, std::ostream* out) { *out << c.name; }

class CrossEntropyData {
 public:
  CrossEntropyData(const CrossEntropyCase& given, Dtype dtype, uint64_t seed) : shape(given), operands(dtype) {
    RandomData data(seed);
    const double spread = shape.deviation / std::sqrt(static_cast<double>(shape.width));
    x = data.normal(shape.rows, shape.width, dtype);
    weight = data.normal(shape.classes, shape.width, dtype, spread);
    if (shape.bias) bias = data.normal(1, shape.classes);
    targets = data.integers(shape.rows, 0, static_cast<int32_t>(shape.classes) - 1);
    target_weight = data.normal(shape.rows, 1, Dtype::f32, 0.2, 1.0 / static_cast<double>(shape.rows + 1));
    for (int64_t r = 2; r < shape.rows; r += 3) {  // every third row does not count and has no valid target
      target_weight(r, 0) = 0.0;
      targets[static_cast<size_t>(r)] = r % 2 == 0 ? -1 : 0x7fffffff;
    }
    dweight = data.normal(shape.classes, shape.width);
    dbias = data.normal(1, shape.classes);
  }

  template <class S>
  reference::CrossEntropy<S> forward() const {
    using reference::lift;
    return reference::cross_entropy(lift<S>(x), lift<S>(weight), lift<S>(bias), targets, target_weight);
  }

  template <class S>
  Grid<S> dlogits() const {
    return reference::logit_gradient(forward<S>(), targets, target_weight);
  }

  CrossEntropyCase shape;
  Dtype operands;
  Grid<double> x, weight, bias, target_weight, dweight, dbias;
  std::vector<int32_t> targets;
};

struct CrossEntropyOutputs {
  Grid<double> loss, dx, dweight, dbias;
  std::vector<int32_t> prediction;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

// dx may be fp32 where the operands are bf16.
inline CrossEntropyOutputs run(Backend& backend, const CrossEntropyData& data, bool gradients, Dtype dx_dtype) {
  const CrossEntropyCase& shape = data.shape;
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
  LinearCrossEntropy op{.loss = loss.flat(), .prediction = prediction.view()};
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
  if (spare > 0) op.rows.used = rows.data();  // else null: all rows of the extent
  backend.run(op);
  CrossEntropyOutputs got{loss.read(shape.rows), dx.read(shape.rows), dweight.read(shape.classes), dbias.read(1),
                          prediction.read(shape.rows)};
  got.spoiled = loss.spoiled_beyond(shape.rows) + dx.spoiled_beyond(gradients ? shape.rows : 0);
  const std::vector<int32_t> all = prediction.read(shape.capacity);
  for (size_t r = static_cast<size_t>(shape.rows); r < all.size(); ++r) got.spoiled += all[r] != 0x7f7f7f7f;
  got.images = {loss.download(), dx.download(), dweight.download(), dbias.download()};
  return got;
}

inline CrossEntropyOutputs run(Backend& backend, const CrossEntropyData& data, bool gradients) {
  return run(backend, data, gradients, data.operands);
}

}  // namespace phasor::testing_support
