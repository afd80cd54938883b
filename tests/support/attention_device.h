#pragma once
// Runs attention cases on a backend: uploads a case, runs an op, reads its outputs back.
#include <optional>

#include "support/attention_data.h"

namespace phasor::testing_support {

// Query, key, shared query, shared key, value, side by side in one matrix or each alone. Gaps and spare rows are
// poison.
class AttentionBlocks {
 public:
  static constexpr size_t kBlocks = 5;

  AttentionBlocks(Backend& backend, const AttentionData& data)
      : rows_(data.tokens()),
        widths_{data.tensors.query.columns, data.tensors.key.columns, data.tensors.shared_query.columns,
                data.tensors.shared_key.columns, data.tensors.value.columns} {
    const int64_t capacity = rows_ + data.shape.spare;
    if (data.shape.packed) {
      packed_.emplace(backend, data.operands, capacity, first(kBlocks), 5);
    } else {
      for (int64_t width : widths_) single_.emplace_back(backend, data.operands, capacity, width, 3);
    }
  }

  void write(const reference::AttentionTensors<double>& tensors) {
    const Grid<double>* grids[] = {&tensors.query, &tensors.key, &tensors.shared_query, &tensors.shared_key,
                                   &tensors.value};
    for (size_t i = 0; i < kBlocks; ++i) {
      if (packed_) packed_->write(*grids[i], first(i));
      if (!packed_) single_[i].write(*grids[i]);
    }
  }

  // 0: query, 1: key, 2: shared query, 3: shared key, 4: value; absent where it has no columns.
  Matrix matrix(size_t i) const {
    if (widths_[i] == 0) return {};
    return packed_ ? packed_->matrix().column_range(first(i), widths_[i]) : single_[i].matrix();
  }
  Grid<double> read(size_t i) const {
    return packed_ ? packed_->read(rows_, first(i), widths_[i]) : single_[i].read(rows_);
  }
  int64_t spoiled() const {
    if (packed_) return packed_->spoiled_beyond(rows_);
    int64_t count = 0;
    for (const DeviceMatrix& block : single_) count += block.spoiled_beyond(rows_);
    return count;
  }
  std::vector<Bytes> images() const {
    if (packed_) return {packed_->download()};
    std::vector<Bytes> result;
    for (const DeviceMatrix& block : single_) result.push_back(block.download());
    return result;
  }

 private:
  int64_t first(size_t i) const {
    int64_t sum = 0;
    for (size_t j = 0; j < i; ++j) sum += widths_[j];
    return sum;
  }

  int64_t rows_;
  std::array<int64_t, kBlocks> widths_;
  std::optional<DeviceMatrix> packed_;
  std::vector<DeviceMatrix> single_;
};

// The Attention record of a case and the memory it points into.
class DeviceAttention {
 public:
  DeviceAttention(Backend& backend, const AttentionData& data)
      : blocks_(backend, data), sequences_(backend, data.batch, data.shape.spare, data.shape.spare) {
    blocks_.write(data.tensors);
    const reference::AttentionSetup& setup = data.setup;
    record_.query = blocks_.matrix(0);
    record_.key = blocks_.matrix(1);
    record_.shared_query = blocks_.matrix(2);
    record_.shared_key = blocks_.matrix(3);
    record_.value = blocks_.matrix(4);
    record_.shape = setup.shape;
    record_.sequences = sequences_.get();
    record_.scale = static_cast<float>(setup.scale);
    record_.causal = setup.causal;
    if (!setup.head_scale.empty()) {
      head_scale_ = DeviceArray<float>(backend, floats(setup.head_scale));
      record_.head_scale = head_scale_.view();
    }
    if (!setup.window.empty()) {
      window_ = DeviceArray<int32_t>(backend, {setup.window.begin(), setup.window.end()});
      record_.window = window_.view();
    }
    if (!setup.chunk.empty()) {
      chunk_ = DeviceArray<int32_t>(backend, {setup.chunk.begin(), setup.chunk.end()});
      record_.chunk = chunk_.view();
    }
    if (!data.tensors.sink.empty()) {
      sink_ = DeviceArray<float>(backend, floats(data.tensors.sink.data));
      record_.sink = sink_.view();
    }
    if (!setup.rotation.query.empty()) set_rotation(backend, setup.rotation, data.shape);
    if (!setup.rotation.token.empty()) set_token_turns(backend, setup.rotation, data);
    record_.bias.reach = static_cast<int32_t>(setup.bias.reach);
    record_.bias.rows = static_cast<int32_t>(setup.bias.rows);
    record_.bias.axis = static_cast<int32_t>(setup.bias.axis);
    if (!setup.bias.sequence_table.empty()) {
      bias_choice_ = DeviceArray<int32_t>(backend, setup.bias.sequence_table, data.shape.spare);
      record_.bias.sequence_table = bias_choice_.view();
    }
    if (!data.tensors.bias.empty()) {
      bias_ = DeviceMatrix(backend, Dtype::f32, data.tensors.bias);
      record_.bias.table = bias_.view();
    }
    if (!data.tensors.prefix.empty()) {
      prefix_ = DeviceArray<double>(backend, data.tensors.prefix.data, data.shape.spare * setup.shape.heads);
      record_.prefix = View<const double, 2>(prefix_.data(), data.tokens() + data.shape.spare, setup.shape.heads);
    }
    record_.row_scale.axis = static_cast<int32_t>(setup.row_scale.axis);
    if (!setup.row_scale.sequence_table.empty()) {
      scale_choice_ = DeviceArray<int32_t>(backend, setup.row_scale.sequence_table, data.shape.spare);
      record_.row_scale.sequence_table = scale_choice_.view();
    }
    if (!data.tensors.scale.empty()) {
      scale_ = DeviceMatrix(backend, Dtype::f32, data.tensors.scale);
      record_.row_scale.table = scale_.view();
    }
    set_rows(backend, setup.query_rows, data.tensors.query_rows, query_rows_, query_index_, record_.query_rows);
    set_rows(backend, setup.key_rows, data.tensors.key_rows, key_rows_, key_index_, record_.key_rows);
    if (!data.tensors.query_shift.empty()) {
      query_shift_ = DeviceMatrix(backend, Dtype::f32, data.tensors.query_shift);
      row_shift_ = DeviceMatrix(backend, Dtype::f32, data.tensors.row_shift);
      record_.query_shift = query_shift_.view();
      record_.row_shift = row_shift_.view();
    }
    step_ = DeviceArray<uint32_t>(backend, {setup.dropout.step});
    record_.dropout = {setup.dropout.rate, setup.dropout.stream, step_.data()};
  }

  const Attention& record() const { return record_; }

 private:
  static std::vector<float> floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

  static void set_rows(Backend& backend, const reference::RowsSetup& rows, const Grid<double>& table,
                       DeviceMatrix& memory, DeviceArray<int32_t>& index, DistanceRows& record) {
    if (table.empty()) return;
    memory = DeviceMatrix(backend, Dtype::f32, table);
    index = DeviceArray<int32_t>(backend, rows.index);
    record = {.table = memory.view(),
              .index = index.view(),
              .reach = static_cast<int32_t>(rows.reach),
              .axis = static_cast<int32_t>(rows.axis)};
  }

  void set_rotation(Backend& backend, const reference::RotationSetup& r, const AttentionCase& shape) {
    turn_query_ = DeviceArray<float>(backend, floats(r.query));
    turn_key_ = DeviceArray<float>(backend, floats(r.key));
    head_set_ = DeviceArray<int32_t>(backend, r.head_set);
    const int64_t rows = shape.rotation_tables * r.sets * r.axes;
    record_.rotation.query = View<const float, 4>(turn_query_.data(), rows, r.positions, r.pairs, 2);
    record_.rotation.key = View<const float, 4>(turn_key_.data(), rows, r.positions, r.pairs, 2);
    record_.rotation.head_set = head_set_.view();
    if (!r.sequence_table.empty()) {
      rotation_choice_ = DeviceArray<int32_t>(backend, r.sequence_table, shape.spare);
      record_.rotation.sequence_table = rotation_choice_.view();
    }
    record_.rotation.sets = static_cast<int32_t>(r.sets);
    record_.rotation.axes = static_cast<int32_t>(r.axes);
    record_.rotation.first = static_cast<int32_t>(r.first);
    record_.rotation.halves = r.halves;
  }

  void set_token_turns(Backend& backend, const reference::RotationSetup& r, const AttentionData& data) {
    const int64_t per_token = r.token_sets * r.pairs * 2;
    token_ = DeviceArray<float>(backend, floats(r.token), data.shape.spare * per_token);
    token_set_ = DeviceArray<int32_t>(backend, r.token_set);
    record_.rotation.token =
        View<const float, 4>(token_.data(), data.tokens() + data.shape.spare, r.token_sets, r.pairs, 2);
    record_.rotation.token_set = token_set_.view();
    record_.rotation.first = static_cast<int32_t>(data.shape.first);
    record_.rotation.halves = data.shape.halves;
  }

  AttentionBlocks blocks_;
  DeviceSequences sequences_;
  DeviceArray<float> head_scale_, turn_query_, turn_key_, sink_, token_;
  DeviceArray<int32_t> window_, chunk_, head_set_, token_set_, rotation_choice_, bias_choice_, scale_choice_;
  DeviceArray<int32_t> query_index_, key_index_;
  DeviceMatrix bias_, scale_, query_rows_, key_rows_, query_shift_, row_shift_;
  DeviceArray<double> prefix_;
  DeviceArray<uint32_t> step_;
  Attention record_;
};

struct AttentionOutputs {
  Grid<double> out, log_sum;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

inline AttentionOutputs run_forward(Backend& backend, const AttentionData& data) {
  const DeviceAttention attention(backend, data);
  const int64_t capacity = data.tokens() + data.shape.spare;
  const DeviceMatrix out(backend, data.operands, capacity, data.dout.columns, 2);
  const DeviceMatrix log_sum(backend, Dtype::f32, capacity, data.setup.shape.heads);
  backend.run(AttentionForward{out.matrix(), log_sum.view(), attention.record()});
  return {out.read(data.tokens()),
          log_sum.read(data.tokens()),
          out.spoiled_beyond(data.tokens()) + log_sum.spoiled_beyond(data.tokens()),
          {out.download(), log_sum.download()}};
}

struct AttentionGradientOutputs {
  reference::AttentionTensors<double> gradients;
  int64_t spoiled = 0;
  std::vector<Bytes> images;
};

// Gradients by tables that are asked for: kernels differ with them.
enum class TableGradientsAsked { all, bias, none };  // bias: and row scales and sinks

// The saved out and log_sum are those of the double reference, rounded to their storage.
inline AttentionGradientOutputs run_backward(Backend& backend, const AttentionData& data,
                                             const reference::AttentionResult<double>& saved,
                                             TableGradientsAsked asked = TableGradientsAsked::all) {
  const DeviceAttention attention(backend, data);
  const AttentionBlocks gradients(backend, data);
  const DeviceMatrix out(backend, data.operands, saved.out, data.shape.spare, 2);
  const DeviceMatrix dout(backend, data.operands, data.dout, data.shape.spare, 1);
  const DeviceMatrix log_sum(backend, Dtype::f32, saved.log_sum, data.shape.spare);
  const DeviceMatrix dbias(backend, Dtype::f32, data.before.bias);
  const DeviceMatrix dfrequency(backend, Dtype::f32, data.before.frequency);
  const DeviceMatrix dscale(backend, Dtype::f32, data.before.scale);
  const DeviceMatrix dsink(backend, Dtype::f32, data.before.sink);
  const DeviceMatrix dphase(backend, Dtype::f32, data.before.phase);
  const DeviceMatrix dquery_rows(backend, Dtype::f32, data.before.query_rows);
  const DeviceMatrix dkey_rows(backend, Dtype::f32, data.before.key_rows);
  const DeviceMatrix dquery_shift(backend, Dtype::f32, data.before.query_shift);
  const DeviceMatrix drow_shift(backend, Dtype::f32, data.before.row_shift);
  AttentionBackward op;
  op.dquery = gradients.matrix(0);
  op.dkey = gradients.matrix(1);
  op.dshared_query = gradients.matrix(2);
  op.dshared_key = gradients.matrix(3);
  op.dvalue = gradients.matrix(4);
  if (asked != TableGradientsAsked::none) op.dbias = dbias.view();
  if (asked == TableGradientsAsked::all && !data.before.frequency.empty()) op.dfrequency = dfrequency.view();
  if (asked != TableGradientsAsked::none && !data.before.sink.empty()) {
    op.dsink = View<float, 1>(dsink.view().data(), data.before.sink.columns);
  }
  const int64_t heads = data.setup.shape.heads;
  const DeviceArray<double> dprefix(backend, {}, (data.tokens() + data.shape.spare) * heads);
  if (!data.tensors.prefix.empty()) {
    op.dprefix = View<double, 2>(dprefix.data(), data.tokens() + data.shape.spare, heads);
  }
  if (asked != TableGradientsAsked::none && !data.before.scale.empty()) op.dscale = dscale.view();
  const int64_t angles = data.setup.rotation.token_sets * data.setup.rotation.pairs;
  const DeviceMatrix dangle(backend, Dtype::f32, data.tokens() + data.shape.spare, angles);
  if (angles > 0) {
    op.dangle = View<float, 3>(dangle.flat().data(), data.tokens() + data.shape.spare, data.setup.rotation.token_sets,
                               data.setup.rotation.pairs);
  }
  if (asked == TableGradientsAsked::all && !data.before.phase.empty()) op.dphase = dphase.view();
  if (asked == TableGradientsAsked::all) {
    if (!data.before.query_rows.empty()) op.dquery_rows = dquery_rows.view();
    if (!data.before.key_rows.empty()) op.dkey_rows = dkey_rows.view();
    if (!data.before.query_shift.empty()) op.dquery_shift = dquery_shift.view();
    if (!data.before.row_shift.empty()) op.drow_shift = drow_shift.view();
  }
  op.out = out.matrix();
  op.dout = dout.matrix();
  op.log_sum = log_sum.view();
  op.attention = attention.record();
  backend.run(op);
  AttentionGradientOutputs got{{gradients.read(0),
                                gradients.read(1),
                                gradients.read(2),
                                gradients.read(3),
                                gradients.read(4),
                                dbias.read(data.before.bias.rows),
                                dfrequency.read(data.before.frequency.rows),
                                dscale.read(data.before.scale.rows),
                                {},
                                dsink.read(data.before.sink.rows),
                                {},
                                dphase.read(data.before.phase.rows),
                                dquery_rows.read(data.before.query_rows.rows),
                                dkey_rows.read(data.before.key_rows.rows),
                                dquery_shift.read(data.before.query_shift.rows),
                                drow_shift.read(data.before.row_shift.rows)},
                               gradients.spoiled(),
                               gradients.images()};
  for (const DeviceMatrix* table : {&dbias, &dfrequency, &dquery_rows, &dkey_rows, &dquery_shift, &drow_shift}) {
    got.images.push_back(table->download());
  }
  if (angles > 0) {
    got.gradients.angle = dangle.read(data.tokens());
    got.spoiled += dangle.spoiled_beyond(data.tokens());
    got.images.push_back(dangle.download());
  }
  if (!data.tensors.prefix.empty()) {
    got.gradients.prefix = Grid<double>(data.tokens(), heads);
    got.gradients.prefix.data = dprefix.read(data.tokens() * heads);
    Bytes image(got.gradients.prefix.data.size() * sizeof(double));
    std::memcpy(image.data(), got.gradients.prefix.data.data(), image.size());
    got.images.push_back(std::move(image));
  }
  got.images.push_back(dscale.download());
  got.images.push_back(dsink.download());
  got.images.push_back(dphase.download());
  return got;
}

}  // namespace phasor::testing_support
