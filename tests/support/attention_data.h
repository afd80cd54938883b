#pragma once
// The data of a case of ragged attention.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/attention_backward.h"
#include "support/attention_case.h"
#include "support/sequences.h"

namespace phasor::testing_support {

class AttentionData {
 public:
  AttentionData(const AttentionCase& given, Dtype dtype, uint64_t seed)
      : shape(given), operands(dtype), data(seed), batch(make_batch(data, given.lengths, given.axes, given.shuffled)) {
    const AttentionShape& s = shape.shape;
    const int64_t tokens = batch.tokens();
    tensors.query = data.normal(tokens, s.heads * (s.key_width - s.shared_query_width), dtype);
    tensors.key = data.normal(tokens, s.key_heads * (s.key_width - s.shared_key_width), dtype);
    tensors.shared_query = data.normal(tokens, s.shared_query_width, dtype);
    tensors.shared_key = data.normal(tokens, s.shared_key_width, dtype);
    tensors.value = data.normal(tokens, s.key_heads * s.value_width, dtype);
    dout = data.normal(tokens, s.heads * s.value_width, dtype);
    if (shape.running_axis >= 0) let_axis_run();

    setup.shape = s;
    setup.shape.feature = shape.feature;
    setup.offsets = batch.offsets;
    setup.positions = batch.positions;
    setup.scale = representable(1.0 / std::sqrt(static_cast<double>(s.key_width)), Dtype::f32);
    setup.causal = shape.causal;
    setup.window = shape.window;
    setup.chunk = shape.chunk;
    if (shape.head_scale) setup.head_scale = data.normal(1, s.heads, Dtype::f32, 0.3, 1.0).data;
    setup.dropout.rate = shape.rate;
    setup.dropout.stream = {.seed = seed, .purpose = Purpose::dropout, .site = 100, .step = 1};
    setup.dropout.step = 31;
    make_bias();
    make_row_scale();
    const auto in_a_set = [](int32_t set) { return set >= 0; };
    const bool any_set = shape.head_set.empty() || std::any_of(shape.head_set.begin(), shape.head_set.end(), in_a_set);
    if (shape.pairs > 0 && any_set) make_rotation();
    if (shape.prefix) make_prefix();
    if (shape.sink) {
      tensors.sink = data.normal(1, s.heads, Dtype::f32, 1.0, 1.0);
      before.sink = data.normal(1, s.heads);
    }
    if (shape.token_turns) make_token_turns();
    make_rows(shape.query_rows, setup.query_rows, tensors.query_rows, before.query_rows);
    make_rows(shape.key_rows, setup.key_rows, tensors.key_rows, before.key_rows);
    if (shape.shifts) {
      for (Grid<double>* shift : {&tensors.query_shift, &tensors.row_shift, &before.query_shift, &before.row_shift}) {
        *shift = data.normal(s.heads, s.key_width);
      }
    }
  }

  template <class S>
  reference::AttentionTensors<S> lifted() const {
    using reference::lift;
    return {lift<S>(tensors.query),
            lift<S>(tensors.key),
            lift<S>(tensors.shared_query),
            lift<S>(tensors.shared_key),
            lift<S>(tensors.value),
            lift<S>(tensors.bias),
            {},
            lift<S>(tensors.scale),
            lift<S>(tensors.prefix),
            lift<S>(tensors.sink),
            {},
            {},
            lift<S>(tensors.query_rows),
            lift<S>(tensors.key_rows),
            lift<S>(tensors.query_shift),
            lift<S>(tensors.row_shift),
            lift<S>(tensors.vectors),
            lift<S>(tensors.directions),
            lift<S>(tensors.strengths)};
  }

  int64_t tokens() const { return batch.tokens(); }

  AttentionCase shape;
  Dtype operands;
  RandomData data;
  Batch batch;
  reference::AttentionSetup setup;
  reference::AttentionTensors<double> tensors;  // frequency stays empty: nothing is added to the tables'
  Grid<double> dout;
  reference::TableGradients before;  // what the gradients by tables are added to

 private:
  void let_axis_run() {
    constexpr int32_t kLastStart = 9;
    const std::vector<int32_t> starts = data.integers(batch.sequences(), 1, kLastStart);
    for (int64_t s = 0; s < batch.sequences(); ++s) {
      const int32_t begin = batch.offsets[static_cast<size_t>(s)];
      for (int32_t t = begin; t < batch.offsets[static_cast<size_t>(s) + 1]; ++t) {
        batch.positions(t, shape.running_axis) = starts[static_cast<size_t>(s)] + t - begin;
      }
    }
    batch.position_count += kLastStart;
    batch.running = batch.running || shape.axes == 1;
  }

  std::vector<int32_t> table_choice(int64_t tables) {
    if (tables == 1) return {};
    return data.integers(batch.sequences(), 0, static_cast<int32_t>(tables) - 1);
  }

  void make_bias() {
    reference::BiasSetup& b = setup.bias;
    b.reach = std::max(batch.position_count - 1, 0);
    b.rows = shape.bias_rows ? std::max(batch.position_count, 1) : 1;
    b.axis = shape.bias_axis;
    b.sequence_table = table_choice(shape.bias_tables);
    const int64_t rows = shape.bias_tables * shape.shape.heads * b.rows;
    if (shape.bias) tensors.bias = data.normal(rows, 2 * b.reach + 1);
    before.bias = data.normal(rows, 2 * b.reach + 1);
  }

  void make_token_turns() {
    reference::RotationSetup& r = setup.rotation;
    r.pairs = shape.pairs;
    for (int32_t h = 0; h < shape.shape.heads; ++h) {
      r.token_set.push_back(h % 2 == 0 ? static_cast<int32_t>(r.token_sets++) : -1);
    }
    const Grid<double> angles = data.normal(batch.tokens(), r.token_sets * r.pairs, Dtype::f32, 3.0);
    for (const double angle : angles.data) {
      r.token.push_back(representable(std::cos(angle), Dtype::f32));
      r.token.push_back(representable(std::sin(angle), Dtype::f32));
    }
  }

  // Falls by about 1 a token, from anywhere: -10,000 and 0 give the same differences.
  void make_prefix() {
    const int64_t heads = shape.shape.heads;
    const Grid<double> gates = data.normal(batch.tokens(), heads);
    tensors.prefix = Grid<double>(batch.tokens(), heads);
    for (int64_t s = 0; s < batch.sequences(); ++s) {
      for (int64_t h = 0; h < heads; ++h) {
        double sum = h % 2 == 0 ? -1e4 : 0.0;
        for (int64_t t = batch.offsets[static_cast<size_t>(s)]; t < batch.offsets[static_cast<size_t>(s) + 1]; ++t) {
          tensors.prefix(t, h) = sum -= std::abs(gates(t, h));
        }
      }
    }
  }

  // One in seven factors is 0, as log(1) is.
  void make_row_scale() {
    if (!shape.row_scale) return;
    setup.row_scale.axis = shape.row_scale_axis;
    setup.row_scale.sequence_table = table_choice(shape.row_scale_tables);
    const int64_t columns = shape.row_scale_by_query ? std::max(batch.position_count, 1) : 1;
    tensors.scale = data.normal(shape.row_scale_tables * shape.shape.heads, columns, Dtype::f32, 0.5, 1.0);
    for (size_t i = 3; i < tensors.scale.data.size(); i += 7) tensors.scale.data[i] = 0.0;
    before.scale = data.normal(tensors.scale.rows, columns);
  }

  std::vector<int32_t> row_index(AttentionCase::Rows kind, int64_t reach) {
    constexpr int64_t kClip = 4;
    constexpr int32_t kRandomRows = 21;
    const int64_t columns = 2 * reach + 1;
    std::vector<int32_t> index;
    if (kind == AttentionCase::Rows::random) return data.integers(columns, 0, kRandomRows - 1);
    for (int64_t d = -reach; d <= reach; ++d) {
      int64_t row = reach + d;
      if (kind == AttentionCase::Rows::clipped) row = kClip + std::clamp(d, -kClip, kClip);
      if (kind == AttentionCase::Rows::backwards) row = reach - d;
      if (kind == AttentionCase::Rows::buckets) {
        const auto size = static_cast<int64_t>(2.0 * std::sqrt(static_cast<double>(std::abs(d))));
        row = d < 0 ? 20 + size : 20 - size;
      }
      index.push_back(static_cast<int32_t>(std::max<int64_t>(row, 0)));
    }
    return index;
  }

  void make_rows(AttentionCase::Rows kind, reference::RowsSetup& rows, Grid<double>& table, Grid<double>& gradient) {
    if (kind == AttentionCase::Rows::none) return;
    rows.reach = std::max(batch.position_count - 1, 0);
    rows.axis = shape.rows_axis;
    rows.index = row_index(kind, rows.reach);
    const int64_t count = 1 + *std::max_element(rows.index.begin(), rows.index.end());
    const int64_t columns = shape.shape.key_width * (shape.shared_rows ? 1 : shape.shape.heads);
    table = data.normal(count, columns);
    gradient = data.normal(count, columns);
  }

  void make_rotation() {
    reference::RotationSetup& r = setup.rotation;
    r.head_set = shape.head_set;
    if (r.head_set.empty()) r.head_set.assign(static_cast<size_t>(shape.shape.heads), 0);
    r.sets = 1 + *std::max_element(r.head_set.begin(), r.head_set.end());
    r.axes = shape.rotation_axes;
    r.positions = batch.position_count;
    r.pairs = shape.pairs;
    r.first = shape.first;
    r.halves = shape.halves;
    r.sequence_table = table_choice(shape.rotation_tables);
    const int64_t rows = shape.rotation_tables * r.sets * r.axes;
    Grid<double> frequency = data.normal(rows, r.pairs);
    before.frequency = data.normal(rows, r.pairs);
    if (shape.phases) before.phase = data.normal(rows / r.axes, r.pairs);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t c = 0; c < r.pairs; ++c) {
        // Most pairs follow several axes, some do not follow all of them.
        if (r.axes > 1 && (row % r.axes + c) % 3 == 0) frequency(row, c) = 0.0;
      }
      for (int64_t p = 0; p < r.positions; ++p) {
        for (int64_t c = 0; c < r.pairs; ++c) {
          const double angle = frequency(row, c) * static_cast<double>(p);
          const double decay = shape.decays ? std::exp(0.01 * static_cast<double>(p * (c + 1) % 23)) : 1.0;
          for (std::vector<double>* table : {&r.query, &r.key}) {
            const double modulus = table == &r.query ? decay : 1.0 / decay;
            table->push_back(representable(modulus * std::cos(angle), Dtype::f32));
            table->push_back(representable(modulus * std::sin(angle), Dtype::f32));
          }
        }
      }
    }
  }
};

}  // namespace phasor::testing_support
