// What attention does with all logits of a head at hand: directions of the normed stream that tokens reflect by, and
// the numbers of the other kinds.
#include "phasor/model/transformer.h"

namespace phasor {

DenseTerm Transformer::dense_term(int64_t l) const {
  const DensePlace* dense = encoding_.layers[static_cast<size_t>(l)].dense.get();
  if (dense == nullptr) return {};
  const LayerTables& tables = tables_.layer(l);
  DenseTerm term{.head_set = tables.dense_set, .positions = {}, .reflections = {}, .far = tables.far};
  if (const ContextPositions* positions = dense->positions()) {
    const Parameter& entry = layout_.encoding_entry(positions->vectors);
    term.positions = {.vectors = View<const float, 2>(parameters_.data() + entry.offset,
                                                      entry.size / config_.head_width, config_.head_width),
                      .most = static_cast<int32_t>(positions->most)};
  }
  const ReflectionActivations& reflections = activations_->layers[static_cast<size_t>(l)].reflections;
  term.reflections = {.directions = reflections.directions, .strengths = reflections.strengths};
  return term;
}

DenseTermGradients Transformer::dense_gradients(int64_t l) const {
  const DensePlace* dense = encoding_.layers[static_cast<size_t>(l)].dense.get();
  if (dense == nullptr) return {};
  DenseTermGradients gradients;
  if (const ContextPositions* positions = dense->positions()) {
    const Parameter& entry = layout_.encoding_entry(positions->vectors);
    gradients.vectors =
        View<float, 2>(gradients_.data() + entry.offset, entry.size / config_.head_width, config_.head_width);
  }
  if (dense->reflections() != nullptr) {
    const auto heads = static_cast<int64_t>(dense->heads.size());
    gradients.directions = flow_->directions.column_range(0, heads * config_.head_width);
    gradients.strengths = flow_->strengths.column_range(0, heads);
  }
  return gradients;
}

void Transformer::reflect_by_tokens(int64_t l) {
  const DensePlace* dense = encoding_.layers[static_cast<size_t>(l)].dense.get();
  const TokenReflections* reflections = dense == nullptr ? nullptr : dense->reflections();
  if (reflections == nullptr) return;
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  ConstMatrix x = layer.attention_norm.y;
  if (reflections->inner > 0) {
    backend_.run(linear(encoding_slot(reflections->inner_weight, -1), x, layer.reflections.inner));
    x = layer.reflections.inner;
  }
  backend_.run(linear(encoding_slot(reflections->weight, -1), x, layer.reflections.directions));
  backend_.run(linear(encoding_slot(reflections->strength_weight, reflections->strength_bias), layer.attention_norm.y,
                      layer.reflections.strengths));
}

// Arrives with the gradients by directions and strengths in flow_, and with that by the normed stream so far in
// flow_->normed.
void Transformer::reflect_by_tokens_back(int64_t l) {
  const DensePlace* dense = encoding_.layers[static_cast<size_t>(l)].dense.get();
  const TokenReflections* reflections = dense == nullptr ? nullptr : dense->reflections();
  if (reflections == nullptr) return;
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  const DenseTermGradients gradients = dense_gradients(l);
  const auto to_stream = [&](const LinearSlot& slot, const Matrix& dy) {
    LinearBackward op = linear_backward(slot, flow_->normed, dy, layer.attention_norm.y);
    op.accumulate_dx = true;
    backend_.run(op);
  };
  const LinearSlot weight = encoding_slot(reflections->weight, -1);
  if (reflections->inner == 0) {
    to_stream(weight, gradients.directions);
  } else {
    const Matrix dinner = flow_->reflection_inner.column_range(0, reflections->inner);
    backend_.run(linear_backward(weight, dinner, gradients.directions, layer.reflections.inner));
    to_stream(encoding_slot(reflections->inner_weight, -1), dinner);
  }
  to_stream(encoding_slot(reflections->strength_weight, reflections->strength_bias), gradients.strengths);
}

}  // namespace phasor
