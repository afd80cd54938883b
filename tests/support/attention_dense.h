#pragma once
// Runs AttentionDense on one sequence of a case, and what it should give.
#include "support/attention_device.h"
#include "support/attention_expected.h"

namespace phasor::testing_support {

// Rows are (head, query): row h * n + i.
struct DenseOutputs {
  Grid<double> logits, weights, turned_query, turned_key, out, dlogits;
  int64_t spoiled = 0;
};

inline DenseOutputs run_dense(Backend& backend, const AttentionData& data, int32_t sequence) {
  const DeviceAttention attention(backend, data);
  const AttentionShape& s = data.setup.shape;
  const int64_t n = data.setup.length(sequence);
  const int64_t rows = s.heads * n;
  constexpr int64_t kSpare = 2;
  const auto block = [&](int64_t columns) { return DeviceMatrix(backend, Dtype::f32, rows + kSpare, columns); };
  const DeviceMatrix logits = block(n), weights = block(n), dlogits = block(n), turned_query = block(s.turned_width()),
                     turned_key = block(s.turned_width()), out = block(s.value_width);
  const auto view = [&](const DeviceMatrix& matrix, int64_t columns) {
    return View<float, 3>(matrix.flat().data(), s.heads, n, columns);
  };
  AttentionDenseForward op{sequence,
                           view(logits, n),
                           view(weights, n),
                           view(turned_query, s.turned_width()),
                           view(turned_key, s.turned_width()),
                           view(out, s.value_width),
                           attention.record()};
  backend.run(op);
  const DeviceMatrix dout(backend, data.operands, data.dout, data.shape.spare, 1);
  backend.run(AttentionDenseBackward{sequence, view(dlogits, n), dout.matrix(), attention.record()});
  DenseOutputs got{logits.read(rows),     weights.read(rows), turned_query.read(rows),
                   turned_key.read(rows), out.read(rows),     dlogits.read(rows)};
  for (const DeviceMatrix* m : {&logits, &weights, &turned_query, &turned_key, &out, &dlogits}) {
    got.spoiled += m->spoiled_beyond(rows);
  }
  return got;
}

template <class S>
struct DenseExpected {
  Grid<S> logits, weights, turned_query, turned_key, out, dlogits, sink_weights;
};

// Masked entries: logits of -infinity, weights and dlogits of 0.
template <class S>
DenseExpected<S> expected_dense(const AttentionData& data, int64_t sequence) {
  const reference::AttentionSetup& setup = data.setup;
  const AttentionShape& s = setup.shape;
  const int64_t n = setup.length(sequence);
  const int64_t rows = s.heads * n;
  const auto x = data.lifted<S>();
  const auto dout = reference::lift<S>(data.dout);
  const auto saved = reference::attention(setup, x);
  DenseExpected<S> all{Grid<S>(rows, n, S(-std::numeric_limits<double>::infinity())),
                       Grid<S>(rows, n),
                       Grid<S>(rows, s.turned_width()),
                       Grid<S>(rows, s.turned_width()),
                       Grid<S>(rows, s.value_width),
                       Grid<S>(rows, n),
                       Grid<S>(rows, 1)};
  const auto put_seen = [](Grid<S>& grid, int64_t row, const std::vector<int64_t>& keys, const std::vector<S>& values) {
    for (size_t at = 0; at < keys.size(); ++at) grid(row, keys[at]) = values[at];
  };
  const auto put = [](Grid<S>& grid, int64_t row, const std::vector<S>& values) {
    std::copy(values.begin(), values.end(), grid.data.begin() + row * grid.columns);
  };
  for (int64_t h = 0; h < s.heads; ++h) {
    const Grid<S> queries = turned_head(setup, x, true, sequence, h);
    const Grid<S> keys = turned_head(setup, x, false, sequence, h);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = h * n + i;
      const auto row = attention_row(setup, x, queries, keys, sequence, h, i);
      put_seen(all.logits, at, row.keys, row.logits);
      put_seen(all.weights, at, row.keys, row.weights);
      all.sink_weights(at, 0) = row.sink_weight;
      put(all.out, at, row.out);
      put_seen(all.dlogits, at, row.keys,
               logit_gradient_row(setup, x, row, dout, {saved.out, saved.log_sum}, sequence, h, i));
      for (int64_t c = 0; c < s.turned_width(); ++c) {
        all.turned_query(at, c) = queries(i, c);
        all.turned_key(at, c) = keys(i, c);
      }
    }
  }
  return all;
}

}  // namespace phasor::testing_support
