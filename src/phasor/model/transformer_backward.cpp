#include "phasor/base/cancellation.h"
#include "phasor/model/distance_probe.h"
#include "phasor/model/transformer.h"

namespace phasor {

LinearBackward Transformer::linear_backward(const LinearSlot& slot, Matrix dx, ConstMatrix dy, ConstMatrix x) {
  LinearBackward op{.dx = dx,
                    .dweight = View<float, 2>(gradients_.data() + slot.weight, slot.out, slot.in),
                    .dy = dy,
                    .x = x,
                    .weight = weight(slot),
                    .rows = batch_->token_rows()};
  if (slot.bias >= 0) op.dbias = View<float, 1>(gradients_.data() + slot.bias, slot.out);
  return op;
}

void Transformer::residual_norm_backward(int64_t stream_index, const NormSlot& slot, const NormActivations& norm,
                                         bool first) {
  ResidualNormBackward op{.dsum = flow_->stream,
                          .first = first,
                          .dweight = View<float, 1>(gradients_.data() + slot.weight, config_.width),
                          .dy = flow_->normed,
                          .sum = activations_->stream[static_cast<size_t>(stream_index)],
                          .mean = norm.mean,
                          .rstd = norm.rstd,
                          .weight = View<const float, 1>(parameters_.data() + slot.weight, config_.width),
                          .kind = config_.norm,
                          .rows = batch_->token_rows()};
  if (slot.bias >= 0) op.dbias = View<float, 1>(gradients_.data() + slot.bias, config_.width);
  if (stream_index > 0) {
    op.dbranch = flow_->branch;
    op.dropout = residual_dropout(stream_index);
  }
  backend_.run(op);
}

void Transformer::run_backward(DistanceProbe* probe) {
  const Matrix top = config_.final_norm ? flow_->normed : Matrix(flow_->stream);
  if (config_.readout == Readout::mean) {
    backend_.run(MeanPoolBackward{.dx = top, .dpooled = flow_->features, .sequences = batch_->sequences()});
  } else if (config_.readout == Readout::token) {
    backend_.run(PickTokenBackward{
        .dx = top, .dpicked = flow_->features, .place = batch_->places(), .sequences = batch_->sequences()});
  }
  const int64_t last = 2 * config_.layers;
  if (config_.final_norm) {
    residual_norm_backward(last, layout_.final_norm, activations_->final_norm, true);
  } else {
    backend_.run(ResidualNormBackward{.dsum = flow_->stream,
                                      .dbranch = flow_->branch,
                                      .dropout = residual_dropout(last),
                                      .rows = batch_->token_rows()});
  }

  for (int64_t l = config_.layers - 1; l >= 0; --l) {
    stop_if_cancelled();
    backward_layer(l, probe);
  }
  if (config_.kv_source == KvSource::input) {
    backend_.run(ResidualNormForward{
        .sum = flow_->stream, .residual = flow_->stream, .branch = flow_->embedded, .rows = batch_->token_rows()});
  }

  backend_.run(EmbeddingBackward{
      .dtable = View<float, 2>(gradients_.data() + layout_.embedding, config_.vocabulary, encoding_.embedding_width),
      .dinput = tables_.dinput(),
      .dy = flow_->stream,
      .ids = batch_->tokens(),
      .input = tables_.input(),
      .sequences = batch_->sequences()});
  tables_.pass_back(parameters_, gradients_);
}

// Arrives with the gradient by the layer's output in flow_->stream and by its last branch in flow_->branch.
void Transformer::backward_layer(int64_t l, DistanceProbe* probe) {
  const LayerSlots& slots = layout_.layers[static_cast<size_t>(l)];
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];

  LinearBackward down = linear_backward(slots.down, flow_->hidden, flow_->branch, layer.hidden);
  down.x_activation = config_.ffn;
  down.x_preactivation = layer.preactivation;
  backend_.run(down);
  backend_.run(linear_backward(slots.up, flow_->normed, flow_->hidden, layer.ffn_norm.y));
  residual_norm_backward(2 * l + 1, slots.ffn_norm, layer.ffn_norm, false);

  backend_.run(linear_backward(slots.output, flow_->mixed, flow_->branch, layer.mixed));
  const AttentionLayout columns = attention_layout(l);
  const Matrix packed = flow_->projections;
  AttentionBackward op{.dquery = packed.column_range(0, columns.queries),
                       .dkey = packed.column_range(columns.first_key(), columns.keys),
                       .dvalue = packed.column_range(columns.first_key() + columns.keys, columns.values),
                       .dbias = tables_.layer(l).dbias,
                       .dfrequency = tables_.layer(l).dfrequency,
                       .dscale = tables_.layer(l).dscale,
                       .dsink = tables_.layer(l).dsink,
                       .dphase = tables_.layer(l).dphase,
                       .dquery_rows = tables_.layer(l).dquery_rows,
                       .dkey_rows = tables_.layer(l).dkey_rows,
                       .dquery_shift = tables_.layer(l).dquery_shift,
                       .drow_shift = tables_.layer(l).drow_shift,
                       .out = layer.mixed,
                       .dout = flow_->mixed,
                       .log_sum = layer.log_sum,
                       .attention = attention(l)};
  if (columns.shared_queries > 0) op.dshared_query = packed.column_range(columns.queries, columns.shared_queries);
  if (columns.shared_keys > 0) {
    op.dshared_key = flow_->latents.last_range(columns.query_latent + columns.key_latent, columns.shared_keys);
  }
  if (!layer.prefix.empty()) op.dprefix = flow_->prefix;
  const std::optional<TokenRotation>& turn = encoding_.layers[static_cast<size_t>(l)].token_rotation;
  if (turn) op.dangle = dangle(*turn);
  op.ddense = dense_gradients(l);
  const View<float, 2> dbias = op.dbias;
  if (probe != nullptr) probe->attach(l, op);
  backend_.run(op);
  if (probe != nullptr) probe->collect(l, op);
  if (probe != nullptr && !dbias.empty()) {
    backend_.run(ResidualNormForward{.sum = dbias, .residual = dbias, .branch = probe->table(l)});
  }
  project_back(l);
  sum_gates_back(l);
  turn_by_tokens_back(l);
  reflect_by_tokens_back(l);
  residual_norm_backward(2 * l, slots.attention_norm, layer.attention_norm, false);
}

}  // namespace phasor
