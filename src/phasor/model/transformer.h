#pragma once
// The Transformer: pre-norm blocks over a ragged batch, one readout. It owns its parameters and the memory of a
// step; a forward and a backward pass are fixed lists of ops.
#include <functional>
#include <memory>
#include <optional>

#include "phasor/engine/arena.h"
#include "phasor/model/activations.h"
#include "phasor/model/attention_layout.h"
#include "phasor/model/config.h"
#include "phasor/model/device_batch.h"
#include "phasor/model/encoding_tables.h"
#include "phasor/model/parameters.h"

namespace phasor {

class DistanceProbe;

struct TransformerOptions {
  Capacity capacity;
  Dtype precision = Dtype::f32;  // of activations and products; parameters stay fp32
  bool training = true;          // reserve memory for gradients
  uint64_t dropout_seed = 0;
  uint64_t position_seed = 0;  // of randomized positions
};

// Sums over the scored targets of a batch.
struct BatchResult {
  double loss = 0.0;  // sum over targets, not yet divided by `scored`
  int64_t correct = 0;
  int64_t scored = 0;
  // Where every token is read, a sequence's answer is all its scored targets together.
  int64_t whole_correct = 0;
  int64_t answers = 0;
};
BatchResult batch_result(const double* sums);  // [kScoreSums]

// Where a layer can be entered: at the norm before attention, at the projections to queries, keys and values, at
// attention itself, or at W_O, which reads the heads' outputs side by side.
enum class LayerPart : uint8_t { norm, projections, attention, output };

// Called in a forward pass when a layer's heads have given their outputs and nothing has read them yet.
using HeadHook = std::function<void(int64_t layer)>;

class Transformer {
 public:
  Transformer(Backend& backend, const ModelConfig& config, const ResolvedEncoding& encoding,
              const TransformerOptions& options);

  // Device memory that such a model takes, tables of its encoding apart.
  static size_t bytes_needed(const ModelConfig& config, const ResolvedEncoding& encoding,
                             const TransformerOptions& options);

  const ModelConfig& config() const { return config_; }
  const ParameterLayout& layout() const { return layout_; }
  const ResolvedEncoding& encoding() const { return encoding_; }
  Backend& backend() const { return backend_; }

  View<float, 1> parameters() const { return parameters_; }
  View<float, 1> gradients() const { return gradients_; }
  void load_parameters(const std::vector<float>& values);
  std::vector<float> save_parameters() const;
  // Call after the parameters changed: refreshes what is derived from them (bf16 weights, learned tables).
  void parameters_changed();
  // Moves parameters that have bounds back within them. Call after an update, before parameters_changed().
  void keep_bounds();

  // Forward pass without dropout; results of this batch.
  BatchResult evaluate(const Batch& batch, const HeadHook& hook = {});
  // The same of many batches, without a wait between them: each is added to those before it, but for the first.
  void add_evaluation(const Batch& batch, bool first);
  BatchResult added_evaluations() const;
  // Goes on with the last forward pass, which was over this batch, from a part of a layer to the end. What stands in
  // activations() before that part is read as it is, whoever changed it; nothing before it is computed again.
  BatchResult evaluate_from(const Batch& batch, int64_t layer, LayerPart part, const HeadHook& hook = {});
  // Forward pass with dropout, then gradients() = d(mean loss)/d(parameters).
  BatchResult forward_backward(const Batch& batch, uint32_t step);
  // The same in two parts: a batch is brought to the device; then come ops alone, for Backend::repeat. What the batch
  // came to is left in row step % rows of `sums` (ScoreTargets::sums).
  void load_training_batch(const Batch& batch, uint32_t step);
  void run_training_step(const View<double, 2>& sums);
  RepeatKey repeat_key(uint64_t owner) const;  // for the batch that was brought last
  // The same of the loss that evaluate() measures: without dropout. A probe is filled on the way.
  BatchResult loss_gradient(const Batch& batch, DistanceProbe* probe = nullptr);

  // The forward pass alone leaves activations() filled for the batch.
  void forward(const Batch& batch);
  const Activations& activations() const { return *activations_; }
  // The attention of a layer as the last forward pass ran it.
  Attention attention(int64_t layer) const;
  // The readout's outputs for every target row of the last forward pass: logits of the classes, or one number.
  std::vector<float> class_logits(int64_t rows);

 private:
  void upload(const Batch& batch, bool training, uint32_t step);
  void run_forward(const HeadHook& hook = {});
  void run_embedding();
  void run_layers(int64_t first, LayerPart part, const HeadHook& hook);
  void run_pooling();
  void run_readout(bool gradient);
  void run_gradient(DistanceProbe* probe);
  void run_backward(DistanceProbe* probe);
  void backward_layer(int64_t l, DistanceProbe* probe);
  void project(int64_t l);
  void project_back(int64_t l);
  void sum_gates(int64_t l);
  void sum_gates_back(int64_t l);
  void turn_by_tokens(int64_t l);
  void turn_by_tokens_back(int64_t l);
  void reflect_by_tokens(int64_t l);
  void reflect_by_tokens_back(int64_t l);
  DenseTerm dense_term(int64_t l) const;
  DenseTermGradients dense_gradients(int64_t l) const;
  LinearSlot encoding_slot(int64_t weight, int64_t bias) const;
  TokenAngles token_angles(int64_t l) const;
  View<float, 3> dangle(const TokenRotation& rotation) const;
  LinearSlot gate_slot(const GateTerm& gates) const;
  GateScan gate_scan(int64_t l, size_t term, int64_t first) const;
  AttentionLayout attention_layout(int64_t l) const;
  void run_score(const View<double, 2>& sums, const uint32_t* slot, bool added) const;
  BatchResult score() const;

  // Views of the numbers that a slot names.
  ConstMatrix weight(const LinearSlot& slot) const;
  LinearForward linear(const LinearSlot& slot, ConstMatrix x, Matrix y) const;
  LinearBackward linear_backward(const LinearSlot& slot, Matrix dx, ConstMatrix dy, ConstMatrix x);
  void residual_norm(int64_t stream_index, const NormSlot* slot, const NormActivations& norm);
  void stream_norm(int64_t l);
  void set_norm(ResidualNormForward& op, const NormSlot& slot, const NormActivations& norm) const;
  void residual_norm_backward(int64_t stream_index, const NormSlot& slot, const NormActivations& norm, bool first);
  void latent_norm(const NormSlot& slot, const View<float, 2>& x, const Matrix& y, const View<float, 1>& rstd);
  void latent_norm_backward(const NormSlot& slot, const View<float, 2>& dx, const View<float, 2>& x, const Matrix& dy,
                            const View<float, 1>& rstd);
  Dropout residual_dropout(int64_t stream_index) const;
  ConstMatrix readout_input() const;
  ConstMatrix readout_features() const;
  ConstMatrix readout_weight() const;
  View<const float, 1> readout_bias() const;
  Matrix readout_gradient() const;
  template <class Loss>
  Loss loss_op(bool gradient) const;

  Backend& backend_;
  ModelConfig config_;
  ResolvedEncoding encoding_;
  TransformerOptions options_;
  ParameterLayout layout_;
  EncodingTables tables_;

  Arena arena_;
  View<float, 1> parameters_, gradients_;
  Matrix low_precision_;  // the parameters in bf16, same offsets; empty in fp32
  View<double, 2> sums_;  // of the last batch
  std::optional<DeviceBatch> batch_;
  std::optional<Activations> activations_;
  std::optional<GradientFlow> flow_;
  bool dropout_on_ = false;
};

}  // namespace phasor
