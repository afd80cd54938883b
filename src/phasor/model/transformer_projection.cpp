// From the normed stream to queries, keys and values: one product, or through the latents of a decoupled path.
#include "phasor/model/transformer.h"

namespace phasor {
namespace {

constexpr float kLatentEpsilon = 1e-6f;  // as in DeepSeek-V2 and V3

}  // namespace

void Transformer::latent_norm(const NormSlot& slot, const View<float, 2>& x, const Matrix& y,
                              const View<float, 1>& rstd) {
  backend_.run(ResidualNormForward{.y = y,
                                   .rstd = rstd,
                                   .residual = x,
                                   .weight = View<const float, 1>(parameters_.data() + slot.weight, x.extent(1)),
                                   .kind = NormKind::rms,
                                   .epsilon = kLatentEpsilon,
                                   .rows = batch_->token_rows()});
}

void Transformer::latent_norm_backward(const NormSlot& slot, const View<float, 2>& dx, const View<float, 2>& x,
                                       const Matrix& dy, const View<float, 1>& rstd) {
  backend_.run(ResidualNormBackward{.dsum = dx,
                                    .first = true,
                                    .dweight = View<float, 1>(gradients_.data() + slot.weight, x.extent(1)),
                                    .dy = dy,
                                    .sum = x,
                                    .rstd = rstd,
                                    .weight = View<const float, 1>(parameters_.data() + slot.weight, x.extent(1)),
                                    .kind = NormKind::rms,
                                    .rows = batch_->token_rows()});
}

void Transformer::project(int64_t l) {
  const LayerSlots& slots = layout_.layers[static_cast<size_t>(l)];
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  const std::optional<DecoupledPath>& path = encoding_.layers[static_cast<size_t>(l)].decoupled;
  if (!path && config_.kv_source == KvSource::input) {
    const int64_t queries = slots.query.out;
    backend_.run(linear(slots.query, layer.attention_norm.y, layer.projections.column_range(0, queries)));
    backend_.run(
        linear(slots.key_value, activations_->embedded, layer.projections.column_range(queries, slots.key_value.out)));
    return;
  }
  if (!path) {
    backend_.run(linear(slots.projections, layer.attention_norm.y, layer.projections));
    return;
  }
  const AttentionLayout columns = attention_layout(l);
  const LatentActivations& latents = layer.latents;
  const View<float, 2> query = latents.raw.last_range(0, columns.query_latent);
  const View<float, 2> key = latents.raw.last_range(columns.query_latent, columns.key_latent);
  backend_.run(linear(slots.decoupled.down, layer.attention_norm.y, latents.raw));
  if (path->norm) {
    latent_norm(slots.decoupled.query_norm, query, latents.query, latents.query_rstd);
    latent_norm(slots.decoupled.key_norm, key, latents.key, latents.key_rstd);
  } else if (latents.query.dtype() != Dtype::f32) {
    backend_.run(Cast{.to = latents.query, .from = query});
    backend_.run(Cast{.to = latents.key, .from = key});
  }
  backend_.run(linear(slots.decoupled.query_up, latents.query, layer.projections.column_range(0, columns.first_key())));
  backend_.run(linear(slots.decoupled.key_value_up, latents.key,
                      layer.projections.column_range(columns.first_key(), columns.keys + columns.values)));
}

// Arrives with the gradient by the projections in flow_->projections, and by rotary keys in flow_->latents.
void Transformer::project_back(int64_t l) {
  const LayerSlots& slots = layout_.layers[static_cast<size_t>(l)];
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  const std::optional<DecoupledPath>& path = encoding_.layers[static_cast<size_t>(l)].decoupled;
  const AttentionLayout columns = attention_layout(l);
  const Matrix projections = flow_->projections.column_range(0, columns.columns());
  if (!path && config_.kv_source == KvSource::input) {
    const int64_t queries = slots.query.out;
    backend_.run(
        linear_backward(slots.query, flow_->normed, projections.column_range(0, queries), layer.attention_norm.y));
    LinearBackward op = linear_backward(slots.key_value, flow_->embedded,
                                        projections.column_range(queries, slots.key_value.out), activations_->embedded);
    op.accumulate_dx = l + 1 < config_.layers;  // the last layer comes first
    backend_.run(op);
    return;
  }
  if (!path) {
    backend_.run(linear_backward(slots.projections, flow_->normed, projections, layer.attention_norm.y));
    return;
  }
  const LatentActivations& latents = layer.latents;
  const View<float, 2> gradient = flow_->latents.last_range(0, columns.latents());
  const View<float, 2> query_gradient = gradient.last_range(0, columns.query_latent);
  const View<float, 2> key_gradient = gradient.last_range(columns.query_latent, columns.key_latent);
  const Matrix dquery = path->norm ? flow_->query_latent.column_range(0, columns.query_latent) : Matrix(query_gradient);
  const Matrix dkey = path->norm ? flow_->key_latent.column_range(0, columns.key_latent) : Matrix(key_gradient);
  backend_.run(linear_backward(slots.decoupled.query_up, dquery, projections.column_range(0, columns.first_key()),
                               latents.query));
  backend_.run(linear_backward(slots.decoupled.key_value_up, dkey,
                               projections.column_range(columns.first_key(), columns.keys + columns.values),
                               latents.key));
  if (path->norm) {
    latent_norm_backward(slots.decoupled.query_norm, query_gradient, latents.raw.last_range(0, columns.query_latent),
                         dquery, latents.query_rstd);
    latent_norm_backward(slots.decoupled.key_norm, key_gradient,
                         latents.raw.last_range(columns.query_latent, columns.key_latent), dkey, latents.key_rstd);
  }
  Matrix down_gradient = gradient;
  if (!flow_->low_latents.empty()) {
    down_gradient = flow_->low_latents.column_range(0, columns.latents());
    backend_.run(Cast{.to = down_gradient, .from = gradient});
  }
  backend_.run(linear_backward(slots.decoupled.down, flow_->normed, down_gradient, layer.attention_norm.y));
}

}  // namespace phasor
