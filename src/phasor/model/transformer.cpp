#include "phasor/model/transformer.h"

#include <cmath>

#include "phasor/base/cancellation.h"
#include "phasor/base/error.h"
#include "phasor/engine/download.h"
#include "phasor/model/distance_probe.h"
#include "phasor/model/token_positions.h"

namespace phasor {
namespace {

// Parameters are cast to bf16 as a matrix of rows this long; the arrays are padded to a whole number of them.
constexpr int64_t kCastRow = 4096;

int64_t padded_size(const ParameterLayout& layout) { return (layout.size() + kCastRow - 1) / kCastRow * kCastRow; }

// Dropout sites: attention weights take layer * kHeadSites + head, residual branches the numbers from kResidualSite.
constexpr uint32_t kHeadSites = 1u << 16;
constexpr uint32_t kResidualSite = 1u << 30;

}  // namespace

BatchResult batch_result(const double* sums) {
  return {.loss = sums[0],
          .correct = static_cast<int64_t>(sums[1]),
          .scored = static_cast<int64_t>(sums[2]),
          .whole_correct = static_cast<int64_t>(sums[3]),
          .answers = static_cast<int64_t>(sums[4])};
}

Transformer::Transformer(Backend& backend, const ModelConfig& config, const ResolvedEncoding& encoding,
                         const TransformerOptions& options)
    : backend_(backend),
      config_(config),
      encoding_(encoding),
      options_(options),
      layout_(config, encoding),
      tables_(backend, encoding_, layout_, options.capacity.sequences) {
  if (!backend.supports(options.precision)) {
    fail_usage("train.precision={} is not offered by {}; use fp32", name(options.precision), backend.description());
  }
  const auto carve = [&](Arena& arena) {
    const int64_t size = padded_size(layout_);
    parameters_ = arena.view<float>(size);
    if (options.training) gradients_ = arena.view<float>(size);
    if (options.precision != Dtype::f32) low_precision_ = arena.matrix(options.precision, size / kCastRow, kCastRow);
    sums_ = arena.view<double>(1, kScoreSums);
    batch_.emplace(arena, options.capacity, config.readout, encoding_);
    activations_.emplace(arena, config, encoding_, options.capacity, options.precision);
    if (options.training) flow_.emplace(arena, config, encoding_, options.capacity, options.precision);
  };
  Arena measure;
  carve(measure);
  arena_ = Arena(backend, measure.used());
  carve(arena_);
}

size_t Transformer::bytes_needed(const ModelConfig& config, const ResolvedEncoding& encoding,
                                 const TransformerOptions& options) {
  Arena arena;
  const int64_t size = padded_size(ParameterLayout(config, encoding));
  arena.view<float>(options.training ? 2 * size : size);
  if (options.precision != Dtype::f32) arena.matrix(options.precision, size / kCastRow, kCastRow);
  const DeviceBatch batch(arena, options.capacity, config.readout, encoding);
  const Activations activations(arena, config, encoding, options.capacity, options.precision);
  if (options.training) {
    const GradientFlow flow(arena, config, encoding, options.capacity, options.precision);
  }
  return arena.used();
}

void Transformer::load_parameters(const std::vector<float>& values) {
  if (static_cast<int64_t>(values.size()) != layout_.size()) {
    fail("the model has {} parameters, not {}", layout_.size(), values.size());
  }
  backend_.copy_in(parameters_.data(), values.data(), values.size() * sizeof(float));
  parameters_changed();
}

std::vector<float> Transformer::save_parameters() const {
  return download(backend_, parameters_.data(), layout_.size());
}

void Transformer::keep_bounds() {
  for (const Parameter& entry : layout_.entries()) {
    if (std::isinf(entry.least) && std::isinf(entry.most)) continue;
    backend_.run(Clamp{.x = parameters_.last_range(entry.offset, entry.size),
                       .least = static_cast<float>(entry.least),
                       .most = static_cast<float>(entry.most)});
  }
}

void Transformer::parameters_changed() {
  tables_.remake(parameters_);
  if (low_precision_.empty()) return;
  backend_.run(
      Cast{.to = low_precision_, .from = ConstMatrix(parameters_.data(), Dtype::f32, low_precision_.rows(), kCastRow)});
}

BatchResult Transformer::evaluate(const Batch& batch, const HeadHook& hook) {
  upload(batch, false, 0);
  run_forward(hook);
  run_readout(false);
  return score();
}

void Transformer::add_evaluation(const Batch& batch, bool first) {
  upload(batch, false, 0);
  run_forward();
  run_readout(false);
  run_score(sums_, nullptr, !first);
}

BatchResult Transformer::added_evaluations() const {
  return batch_result(download(backend_, sums_.data(), kScoreSums).data());
}

BatchResult Transformer::evaluate_from(const Batch&, int64_t layer, LayerPart part, const HeadHook& hook) {
  run_layers(layer, part, hook);
  run_readout(false);
  return score();
}

BatchResult Transformer::forward_backward(const Batch& batch, uint32_t step) {
  load_training_batch(batch, step);
  run_gradient(nullptr);
  return score();
}

void Transformer::load_training_batch(const Batch& batch, uint32_t step) { upload(batch, true, step); }

void Transformer::run_training_step(const View<double, 2>& sums) {
  run_gradient(nullptr);
  run_score(sums, batch_->step(), false);
}

RepeatKey Transformer::repeat_key(uint64_t owner) const {
  return {.owner = owner, .tokens = batch_->token_bound(), .sequences = batch_->sequence_bound()};
}

BatchResult Transformer::loss_gradient(const Batch& batch, DistanceProbe* probe) {
  upload(batch, false, 0);
  if (probe != nullptr) probe->clear();
  run_gradient(probe);
  return score();
}

void Transformer::run_gradient(DistanceProbe* probe) {
  backend_.run(Fill{.x = gradients_});
  tables_.clear_gradients();
  run_forward();
  run_readout(true);
  run_backward(probe);
}

void Transformer::forward(const Batch& batch) {
  upload(batch, false, 0);
  run_forward();
}

void Transformer::upload(const Batch& batch, bool training, uint32_t step) {
  const uint32_t position_step = training ? step : 0;
  batch_->upload(backend_, batch, token_positions(batch, encoding_, options_.position_seed, position_step), step);
  tables_.set_batch(batch);
  dropout_on_ = training && config_.dropout > 0.0;
}

void Transformer::run_score(const View<double, 2>& sums, const uint32_t* slot, bool added) const {
  backend_.run(ScoreTargets{.sums = sums,
                            .slot = slot,
                            .added = added,
                            .loss = activations_->loss,
                            .prediction = activations_->prediction,
                            .target = batch_->targets(),
                            .not_scored = kNotScored,
                            .every_token = config_.readout == Readout::every,
                            .sequences = batch_->sequences()});
}

BatchResult Transformer::score() const {
  run_score(sums_, nullptr, false);
  return added_evaluations();
}

Attention Transformer::attention(int64_t l) const {
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  const LayerTables& tables = tables_.layer(l);
  const AttentionLayout columns = attention_layout(l);
  const ConstMatrix packed = layer.projections;
  Attention attention;
  attention.query = packed.column_range(0, columns.queries);
  attention.key = packed.column_range(columns.first_key(), columns.keys);
  attention.value = packed.column_range(columns.first_key() + columns.keys, columns.values);
  if (columns.shared_queries > 0) attention.shared_query = packed.column_range(columns.queries, columns.shared_queries);
  if (columns.shared_keys > 0) {
    attention.shared_key = layer.latents.raw.last_range(columns.query_latent + columns.key_latent, columns.shared_keys);
  }
  attention.shape = columns.shape;
  attention.sequences = batch_->sequences();
  attention.scale = static_cast<float>(config_.logit_scale / std::sqrt(static_cast<double>(columns.shape.key_width)));
  attention.head_scale = tables.head_scale;
  attention.causal = config_.causal;
  attention.rotation = tables.rotation;
  attention.row_scale = tables.row_scale;
  attention.bias = tables.bias;
  attention.prefix = layer.prefix;
  attention.window = tables.window;
  attention.chunk = tables.chunk;
  attention.sink = tables.sink;
  attention.rotation.token = layer.turn.factors;
  attention.query_rows = tables.query_rows;
  attention.key_rows = tables.key_rows;
  attention.query_shift = tables.query_shift;
  attention.row_shift = tables.row_shift;
  attention.dense = dense_term(l);
  if (dropout_on_ && config_.dropout_sites == DropoutSites::all) {
    const auto site = static_cast<uint32_t>(l) * kHeadSites;
    attention.dropout = {.rate = static_cast<float>(config_.dropout),
                         .stream = {.seed = options_.dropout_seed, .purpose = Purpose::dropout, .site = site},
                         .step = batch_->step()};
  }
  return attention;
}

AttentionLayout Transformer::attention_layout(int64_t l) const {
  return {config_, encoding_.layers[static_cast<size_t>(l)]};
}

// Odd places of the stream follow attention, even ones the feed-forward part.
Dropout Transformer::residual_dropout(int64_t stream_index) const {
  if (!dropout_on_) return {};
  if (config_.dropout_sites == DropoutSites::ffn && stream_index % 2 == 1) return {};
  const uint32_t site = kResidualSite + static_cast<uint32_t>(stream_index);
  return {.rate = static_cast<float>(config_.dropout),
          .stream = {.seed = options_.dropout_seed, .purpose = Purpose::dropout, .site = site},
          .step = batch_->step()};
}

ConstMatrix Transformer::weight(const LinearSlot& slot) const {
  if (low_precision_.empty()) return {parameters_.data() + slot.weight, Dtype::f32, slot.out, slot.in};
  return {low_precision_.at(0, slot.weight), low_precision_.dtype(), slot.out, slot.in};
}

LinearForward Transformer::linear(const LinearSlot& slot, ConstMatrix x, Matrix y) const {
  LinearForward op{.y = y, .x = x, .weight = weight(slot), .rows = batch_->token_rows()};
  if (slot.bias >= 0) op.bias = View<const float, 1>(parameters_.data() + slot.bias, slot.out);
  return op;
}

// Norm number `stream_index` follows branch number stream_index - 1 and writes that place of the stream.
void Transformer::residual_norm(int64_t stream_index, const NormSlot* slot, const NormActivations& norm) {
  const auto index = static_cast<size_t>(stream_index);
  ResidualNormForward op{.sum = activations_->stream[index],
                         .residual = activations_->stream[index - 1],
                         .branch = activations_->branch,
                         .kind = config_.norm,
                         .dropout = residual_dropout(stream_index),
                         .rows = batch_->token_rows()};
  if (slot != nullptr) set_norm(op, *slot, norm);
  backend_.run(op);
}

// The norm before a layer's attention, of the stream as it stands.
void Transformer::stream_norm(int64_t l) {
  const auto index = static_cast<size_t>(l);
  ResidualNormForward op{
      .residual = activations_->stream[2 * index], .kind = config_.norm, .rows = batch_->token_rows()};
  set_norm(op, layout_.layers[index].attention_norm, activations_->layers[index].attention_norm);
  backend_.run(op);
}

void Transformer::set_norm(ResidualNormForward& op, const NormSlot& slot, const NormActivations& norm) const {
  op.y = norm.y;
  op.mean = norm.mean;
  op.rstd = norm.rstd;
  op.weight = View<const float, 1>(parameters_.data() + slot.weight, config_.width);
  if (slot.bias >= 0) op.bias = View<const float, 1>(parameters_.data() + slot.bias, config_.width);
}

void Transformer::run_forward(const HeadHook& hook) {
  run_embedding();
  run_layers(0, LayerPart::norm, hook);
}

void Transformer::run_embedding() {
  backend_.run(EmbeddingForward{.y = activations_->stream[0],
                                .ids = batch_->tokens(),
                                .table = View<const float, 2>(parameters_.data() + layout_.embedding,
                                                              config_.vocabulary, encoding_.embedding_width),
                                .input = tables_.input(),
                                .sequences = batch_->sequences()});
  if (!activations_->embedded.empty() && activations_->embedded.dtype() != Dtype::f32) {
    backend_.run(Cast{.to = activations_->embedded, .from = activations_->stream[0]});
  }
}

void Transformer::run_layers(int64_t first, LayerPart part, const HeadHook& hook) {
  if (part == LayerPart::norm) stream_norm(first);
  for (int64_t l = first; l < config_.layers; ++l) {
    stop_if_cancelled();
    const LayerSlots& slots = layout_.layers[static_cast<size_t>(l)];
    const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
    const LayerPart from = l == first ? part : LayerPart::norm;
    if (from <= LayerPart::projections) {
      project(l);
      sum_gates(l);
      turn_by_tokens(l);
      reflect_by_tokens(l);
    }
    if (from <= LayerPart::attention) {
      backend_.run(AttentionForward{.out = layer.mixed, .log_sum = layer.log_sum, .attention = attention(l)});
      if (hook) hook(l);
    }
    backend_.run(linear(slots.output, layer.mixed, activations_->branch));
    residual_norm(2 * l + 1, &slots.ffn_norm, layer.ffn_norm);
    LinearForward up = linear(slots.up, layer.ffn_norm.y, layer.hidden);
    up.activation = config_.ffn;
    up.preactivation = layer.preactivation;
    backend_.run(up);
    backend_.run(linear(slots.down, layer.hidden, activations_->branch));
    if (l + 1 < config_.layers) {
      const auto next = static_cast<size_t>(l + 1);
      residual_norm(2 * l + 2, &layout_.layers[next].attention_norm, activations_->layers[next].attention_norm);
    } else {
      residual_norm(2 * l + 2, config_.final_norm ? &layout_.final_norm : nullptr, activations_->final_norm);
    }
  }
}

ConstMatrix Transformer::readout_input() const {
  if (config_.final_norm) return activations_->final_norm.y;
  return activations_->stream.back();
}

ConstMatrix Transformer::readout_features() const {
  return activations_->features.empty() ? readout_input() : ConstMatrix(activations_->features);
}

// Pooled features are fp32 and few: they meet the fp32 weights in every precision.
ConstMatrix Transformer::readout_weight() const {
  const LinearSlot& slot = layout_.readout;
  if (readout_features().dtype() != Dtype::f32) return weight(slot);
  return {parameters_.data() + slot.weight, Dtype::f32, slot.out, slot.in};
}

View<const float, 1> Transformer::readout_bias() const {
  return View<const float, 1>(parameters_.data() + layout_.readout.bias, layout_.readout.out);
}

Matrix Transformer::readout_gradient() const {
  if (config_.readout != Readout::every) return flow_->features;
  return config_.final_norm ? flow_->normed : Matrix(flow_->stream);
}

// Cross-entropy and squared error have these in common.
template <class Loss>
Loss Transformer::loss_op(bool gradient) const {
  Loss op;
  op.loss = activations_->loss;
  op.prediction = activations_->prediction;
  op.x = readout_features();
  op.weight = readout_weight();
  op.bias = readout_bias();
  op.targets = batch_->targets();
  op.target_weight = batch_->target_weights();
  op.rows = batch_->target_rows();
  if (gradient) {
    const LinearSlot& slot = layout_.readout;
    op.dweight = View<float, 2>(gradients_.data() + slot.weight, slot.out, slot.in);
    op.dbias = View<float, 1>(gradients_.data() + slot.bias, slot.out);
    op.dx = readout_gradient();
  }
  return op;
}

void Transformer::run_pooling() {
  if (config_.readout == Readout::mean) {
    backend_.run(
        MeanPoolForward{.pooled = activations_->features, .x = readout_input(), .sequences = batch_->sequences()});
  } else if (config_.readout == Readout::token) {
    backend_.run(PickTokenForward{.picked = activations_->features,
                                  .x = readout_input(),
                                  .place = batch_->places(),
                                  .sequences = batch_->sequences()});
  }
}

void Transformer::run_readout(bool gradient) {
  run_pooling();
  if (config_.answer == AnswerKind::choice) {
    backend_.run(loss_op<LinearCrossEntropy>(gradient));
    return;
  }
  // The answers 0 .. classes - 1 of training have about mean 0 and deviation 1 to the readout.
  auto op = loss_op<LinearSquaredError>(gradient);
  const auto classes = static_cast<double>(config_.classes);
  op.centre = static_cast<float>((classes - 1.0) / 2.0);
  op.unit = static_cast<float>(classes / std::sqrt(12.0));
  backend_.run(op);
}

std::vector<float> Transformer::class_logits(int64_t rows) {
  run_pooling();
  const int64_t columns = outputs(config_);
  const Memory memory = backend_.allocate(static_cast<size_t>(rows * columns) * sizeof(float));
  const Matrix y(memory.data(), Dtype::f32, rows, columns);
  backend_.run(LinearForward{
      .y = y, .x = readout_features().row_range(0, rows), .weight = readout_weight(), .bias = readout_bias()});
  return download(backend_, y, rows);
}

}  // namespace phasor
