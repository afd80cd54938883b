#pragma once
// Cases of residual + dropout + norm: their data, and how to run them on a backend.
#include "reference/linear.h"
#include "reference/norm.h"
#include "reference/rounded.h"
#include "support/device.h"

namespace phasor::testing_support {

struct NormCase {
  const char* name;
  int64_t rows, capacity, width;
  NormKind kind = NormKind::layer;
  bool branch = true;
  bool norm = true;
  float rate = 0.0f;
  double mean = 0.0;   // of the residual: large ones are where a one-pass variance fails
  bool first = false;  // dsum arrives undefined
};

inline void PrintTo(const NormCase& c, std::ostream* out) { *out << c.name; }

inline const std::vector<NormCase> kNormCases = {
    {"LayerBranch", 37, 37, 48},
    {"LayerDropout", 19, 24, 20, NormKind::layer, true, true, 0.1f},
    {"LayerNoBranch", 5, 9, 64, NormKind::layer, false},
    {"LayerWide", 130, 200, 256, NormKind::layer, true, true, 0.1f},
    {"LayerOneRow", 1, 4, 6},
    {"LayerOffset", 33, 40, 64, NormKind::layer, true, true, 0.0f, 100.0},
    {"LayerWidthOne", 3, 3, 1},
    {"RmsBranch", 37, 40, 48, NormKind::rms},
    {"RmsDropout", 70, 70, 33, NormKind::rms, true, true, 0.5f},
    {"RmsNoBranch", 17, 18, 130, NormKind::rms, false},
    {"SumOnly", 12, 16, 20, NormKind::layer, true, false},
    {"SumOnlyDropout", 33, 40, 48, NormKind::rms, true, false, 0.3f},
    {"LayerFirst", 33, 40, 20, NormKind::layer, true, true, 0.1f, 0.0, true},
    {"RmsFirstNoBranch", 17, 17, 48, NormKind::rms, false, true, 0.0f, 0.0, true},
    {"ManyRows", 1500, 1501, 16, NormKind::layer, true, true, 0.1f},
};

inline const std::vector<NormCase> kSmallNormCases = {
    {"Layer", 3, 4, 6},
    {"LayerDropout", 4, 4, 5, NormKind::layer, true, true, 0.4f},
    {"LayerNoBranch", 2, 5, 7, NormKind::layer, false},
    {"Rms", 3, 3, 6, NormKind::rms},
    {"RmsDropout", 5, 6, 4, NormKind::rms, true, true, 0.4f},
    {"RmsNoBranch", 2, 2, 9, NormKind::rms, false},
    {"SumOnly", 3, 4, 5, NormKind::layer, true, false, 0.4f},
    {"LayerFirst", 3, 5, 6, NormKind::layer, true, true, 0.4f, 0.0, true},
};

class NormData {
 public:
  NormData(const NormCase& norm_case, Dtype dtype, uint64_t seed) : shape(norm_case), activations(dtype) {
    RandomData data(seed);
    const int64_t rows = shape.rows;
    const int64_t width = shape.width;
    residual = data.normal(rows, width, Dtype::f32, 1.0, shape.mean);
    if (shape.branch) branch = data.normal(rows, width, dtype);
    weight = data.normal(1, width, Dtype::f32, 0.3, 1.0);
    bias = data.normal(1, width);
    dsum = shape.first ? Grid<double>(rows, width) : data.normal(rows, width);
    dy = data.normal(rows, width, dtype);
    dweight = data.normal(1, width);
    dbias = data.normal(1, width);
    dropout.rate = shape.rate;
    dropout.stream = {.seed = seed, .purpose = Purpose::dropout, .site = 5, .step = 99};
    dropout.step = 17;
  }

  template <class S>
  reference::NormInput<S> input() const {
    using reference::lift;
    return {shape.kind, kEpsilon, lift<S>(residual), lift<S>(branch), lift<S>(weight), lift<S>(bias), dropout};
  }

  // The saved sum, mean and rstd are those of the double forward pass, off by their storage.
  template <class S>
  reference::NormBackwardInput<S> backward_input() const {
    using reference::lift;
    const auto saved = residual_norm(input<double>());
    const auto rounded = [](const Grid<double>& grid) {
      Grid<S> result = lift<S>(grid);
      for (S& x : result.data) x = stored(x, Dtype::f32);
      return result;
    };
    return {shape.kind,
            lift<S>(dsum),
            lift<S>(dweight),
            lift<S>(dbias),
            shape.norm ? lift<S>(dy) : Grid<S>(),
            lift<S>(representable(saved.sum, Dtype::f32)),
            rounded(saved.mean),
            rounded(saved.rstd),
            lift<S>(weight),
            dropout};
  }

  static constexpr float kEpsilon = 1e-5f;
  NormCase shape;
  Dtype activations;
  Grid<double> residual, branch, weight, bias;
  Grid<double> dsum, dy, dweight, dbias;
  reference::DropoutRule dropout;
};

struct NormOutputs {
  Grid<double> sum, y, mean, rstd;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

inline NormOutputs run_forward(Backend& backend, const NormData& data) {
  const NormCase& shape = data.shape;
  const int64_t spare = shape.capacity - shape.rows;
  const DeviceMatrix residual(backend, Dtype::f32, data.residual, spare);
  const DeviceMatrix weight(backend, Dtype::f32, data.weight);
  const DeviceMatrix bias(backend, Dtype::f32, data.bias);
  const DeviceMatrix sum(backend, Dtype::f32, shape.capacity, shape.width);
  const DeviceMatrix y(backend, data.activations, shape.capacity, shape.width, 3);
  const DeviceMatrix mean(backend, Dtype::f32, shape.capacity, 1);
  const DeviceMatrix rstd(backend, Dtype::f32, shape.capacity, 1);
  const DeviceMatrix branch =
      shape.branch ? DeviceMatrix(backend, data.activations, data.branch, spare, 5) : DeviceMatrix();
  const DeviceArray<int32_t> rows(backend, {static_cast<int32_t>(shape.rows)});
  const DeviceArray<uint32_t> step(backend, {data.dropout.step});
  ResidualNormForward op;
  op.residual = residual.view();
  op.branch = branch.matrix();
  if (shape.branch) op.sum = sum.view();
  if (shape.norm) {
    op.y = y.matrix();
    op.rstd = rstd.flat();
    op.weight = weight.flat();
    if (shape.kind == NormKind::layer) {
      op.mean = mean.flat();
      op.bias = bias.flat();
    }
  }
  op.kind = shape.kind;
  op.epsilon = NormData::kEpsilon;
  op.dropout = {data.dropout.rate, data.dropout.stream, step.data()};
  if (spare > 0) op.rows.used = rows.data();  // else null: all rows of the extent
  backend.run(op);
  const int64_t normed = shape.norm ? shape.rows : 0;
  return {sum.read(shape.rows),
          y.read(shape.rows),
          mean.read(shape.rows),
          rstd.read(shape.rows),
          sum.spoiled_beyond(shape.branch ? shape.rows : 0) + y.spoiled_beyond(normed) +
              mean.spoiled_beyond(shape.kind == NormKind::layer ? normed : 0) + rstd.spoiled_beyond(normed),
          {sum.download(), y.download(), mean.download(), rstd.download()}};
}

struct NormGradientOutputs {
  Grid<double> dsum, dbranch, dweight, dbias;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

inline NormGradientOutputs run_backward(Backend& backend, const NormData& data) {
  const NormCase& shape = data.shape;
  const int64_t spare = shape.capacity - shape.rows;
  const auto saved = residual_norm(data.input<double>());
  const DeviceMatrix sum(backend, Dtype::f32, saved.sum, spare);
  const DeviceMatrix mean(backend, Dtype::f32, saved.mean, spare);
  const DeviceMatrix rstd(backend, Dtype::f32, saved.rstd, spare);
  const DeviceMatrix weight(backend, Dtype::f32, data.weight);
  const DeviceMatrix dy = shape.norm ? DeviceMatrix(backend, data.activations, data.dy, spare, 1) : DeviceMatrix();
  DeviceMatrix dsum(backend, Dtype::f32, shape.capacity, shape.width);
  if (!shape.first) dsum.write(data.dsum);
  const DeviceMatrix dbranch =
      shape.branch ? DeviceMatrix(backend, data.activations, shape.capacity, shape.width, 2) : DeviceMatrix();
  const DeviceMatrix dweight(backend, Dtype::f32, data.dweight);
  const DeviceMatrix dbias(backend, Dtype::f32, data.dbias);
  const DeviceArray<int32_t> rows(backend, {static_cast<int32_t>(shape.rows)});
  const DeviceArray<uint32_t> step(backend, {data.dropout.step});
  ResidualNormBackward op;
  op.dsum = dsum.view();
  op.dbranch = dbranch.matrix();
  op.dy = dy.matrix();
  if (shape.norm) {
    op.dweight = dweight.flat();
    op.sum = sum.view();
    op.rstd = rstd.flat();
    op.weight = weight.flat();
    if (shape.kind == NormKind::layer) {
      op.dbias = dbias.flat();
      op.mean = mean.flat();
    }
  }
  op.kind = shape.kind;
  op.dropout = {data.dropout.rate, data.dropout.stream, step.data()};
  op.first = shape.first;
  if (spare > 0) op.rows.used = rows.data();  // else null: all rows of the extent
  backend.run(op);
  return {dsum.read(shape.rows),
          shape.branch ? dbranch.read(shape.rows) : Grid<double>(),
          dweight.read(1),
          dbias.read(1),
          dsum.spoiled_beyond(shape.rows) + dbranch.spoiled_beyond(shape.rows),
          {dsum.download(), dbranch.download(), dweight.download(), dbias.download()}};
}

}  // namespace phasor::testing_support
