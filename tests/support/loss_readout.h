#pragma once
// What the two readouts with a loss, of a class and of a number, have in common: their data, and how to run them on a
// backend.
#include <cstring>
#include <utility>

#include "reference/rounded.h"
#include "support/device.h"

namespace phasor::testing_support {

struct LossReadoutShape {
  int64_t rows, capacity, width, outputs;
  bool bias = true;
  double deviation = 1.0;               // of the outputs, about
  std::pair<int32_t, int32_t> targets;  // the least and the most
};

struct LossReadoutData {
  Dtype operands;
  int64_t capacity;
  Grid<double> x, weight, bias, target_weight, dweight, dbias;
  std::vector<int32_t> targets;

  LossReadoutData(const LossReadoutShape& shape, Dtype dtype, uint64_t seed)
      : operands(dtype), capacity(shape.capacity) {
    RandomData data(seed);
    const double spread = shape.deviation / std::sqrt(static_cast<double>(shape.width));
    x = data.normal(shape.rows, shape.width, dtype);
    weight = data.normal(shape.outputs, shape.width, dtype, spread);
    if (shape.bias) bias = data.normal(1, shape.outputs);
    targets = data.integers(shape.rows, shape.targets.first, shape.targets.second);
    target_weight = data.normal(shape.rows, 1, Dtype::f32, 0.2, 1.0 / static_cast<double>(shape.rows + 1));
    for (int64_t r = 2; r < shape.rows; r += 3) {  // every third row does not count and has no valid target
      target_weight(r, 0) = 0.0;
      targets[static_cast<size_t>(r)] = r % 2 == 0 ? -1 : 0x7fffffff;
    }
    dweight = data.normal(shape.outputs, shape.width);
    dbias = data.normal(1, shape.outputs);
  }
};

struct LossReadoutOutputs {
  Grid<double> loss, dx, dweight, dbias;
  std::vector<int32_t> prediction;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

// `op` has what the data does not say. dx may be fp32 where the operands are bf16.
template <class Op>
LossReadoutOutputs run_loss_readout(Backend& backend, const LossReadoutData& data, bool gradients, Dtype dx_dtype,
                                    Op op = {}) {
  const int64_t used = data.x.rows, spare = data.capacity - used;
  const DeviceMatrix x(backend, data.operands, data.x, spare, 2);
  const DeviceMatrix weight(backend, data.operands, data.weight);
  const DeviceMatrix bias(backend, Dtype::f32, data.bias);
  const DeviceMatrix target_weight(backend, Dtype::f32, data.target_weight, spare);
  const DeviceArray<int32_t> targets(backend, data.targets, spare);
  const DeviceMatrix loss(backend, Dtype::f32, data.capacity, 1);
  const DeviceArray<int32_t> prediction(backend, {}, data.capacity);
  const DeviceMatrix dx(backend, dx_dtype, data.capacity, data.x.columns, 3);
  const DeviceMatrix dweight(backend, Dtype::f32, data.dweight);
  const DeviceMatrix dbias(backend, Dtype::f32, data.dbias);
  const DeviceArray<int32_t> rows(backend, {static_cast<int32_t>(used)});
  op.loss = loss.flat();
  op.prediction = prediction.view();
  if (gradients) {
    op.dx = dx.matrix();
    op.dweight = dweight.view();
    if (!data.bias.empty()) op.dbias = dbias.flat();
  }
  op.x = x.matrix();
  op.weight = weight.matrix();
  if (!data.bias.empty()) op.bias = bias.flat();
  op.targets = targets.view();
  op.target_weight = target_weight.flat();
  if (spare > 0) op.rows.used = rows.data();  // else null: all rows of the extent
  backend.run(op);
  LossReadoutOutputs got{loss.read(used), dx.read(used), dweight.read(data.dweight.rows), dbias.read(1),
                         prediction.read(used)};
  const std::vector<int32_t> all = prediction.read(data.capacity);
  got.spoiled = loss.spoiled_beyond(used) + dx.spoiled_beyond(gradients ? used : 0);
  for (size_t r = static_cast<size_t>(used); r < all.size(); ++r) got.spoiled += all[r] != 0x7f7f7f7f;
  Bytes predictions(all.size() * sizeof(int32_t));
  if (!all.empty()) std::memcpy(predictions.data(), all.data(), predictions.size());
  got.images = {loss.download(), dx.download(), dweight.download(), dbias.download(), predictions};
  return got;
}

}  // namespace phasor::testing_support
