// Angles of the normed stream: through a narrow layer or not, then factors that turn queries and keys token by token.
#include "phasor/model/transformer.h"

namespace phasor {

// Of a tensor of the encoding, and of its bias where there is one.
LinearSlot Transformer::encoding_slot(int64_t weight, int64_t bias) const {
  const Parameter& entry = layout_.encoding_entry(weight);
  return {.weight = entry.offset,
          .bias = bias < 0 ? -1 : layout_.encoding_entry(bias).offset,
          .out = entry.shape[0],
          .in = entry.shape[1]};
}

TokenAngles Transformer::token_angles(int64_t l) const {
  const TokenRotation& rotation = *encoding_.layers[static_cast<size_t>(l)].token_rotation;
  const TokenTurnActivations& turn = activations_->layers[static_cast<size_t>(l)].turn;
  return {.z = turn.z,
          .gate = turn.gate,
          .frequency = tables_.layer(l).token_frequency,
          .sets = static_cast<int32_t>(rotation.heads.size()),
          .summed = rotation.summed,
          .sequences = batch_->sequences()};
}

View<float, 3> Transformer::dangle(const TokenRotation& rotation) const {
  return View<float, 3>(flow_->dangle.data(), batch_->capacity().tokens, rotation.heads.size(), rotation.pairs);
}

void Transformer::turn_by_tokens(int64_t l) {
  const std::optional<TokenRotation>& rotation = encoding_.layers[static_cast<size_t>(l)].token_rotation;
  if (!rotation) return;
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  const TokenTurnActivations& turn = layer.turn;
  ConstMatrix x = layer.attention_norm.y;
  if (rotation->inner > 0) {
    const LinearSlot inner = encoding_slot(rotation->inner_weight, -1);
    backend_.run(linear(inner, x, rotation->product ? turn.halves : turn.inner));
    if (rotation->product) {
      backend_.run(GatedProductForward{.y = turn.inner, .x = turn.halves, .rows = batch_->token_rows()});
    }
    x = turn.inner;
  }
  backend_.run(linear(encoding_slot(rotation->weight, rotation->bias), x, turn.z));
  if (!turn.gate.empty()) {
    backend_.run(linear(encoding_slot(rotation->gate_weight, rotation->gate_bias), layer.attention_norm.y, turn.gate));
  }
  backend_.run(TokenAnglesForward{.factors = turn.factors, .angles = token_angles(l)});
}

// Arrives with the gradient by the angles in flow_->dangle, and with that by the normed stream so far in flow_->normed.
void Transformer::turn_by_tokens_back(int64_t l) {
  const std::optional<TokenRotation>& rotation = encoding_.layers[static_cast<size_t>(l)].token_rotation;
  if (!rotation) return;
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  const TokenTurnActivations& turn = layer.turn;
  const ConstMatrix& stream = layer.attention_norm.y;
  const auto to_stream = [&](const LinearSlot& slot, const Matrix& dy) {
    LinearBackward op = linear_backward(slot, flow_->normed, dy, stream);
    op.accumulate_dx = true;
    backend_.run(op);
  };
  const Matrix dz = flow_->turn_z.column_range(0, rotation->numbers());
  TokenAnglesBackward angles{.dz = dz, .dangle = dangle(*rotation), .angles = token_angles(l)};
  if (!turn.gate.empty()) angles.dgate = flow_->turn_gate.column_range(0, turn.gate.extent(1));
  backend_.run(angles);
  const LinearSlot last = encoding_slot(rotation->weight, rotation->bias);
  if (rotation->inner == 0) {
    to_stream(last, dz);
  } else {
    const LinearSlot inner = encoding_slot(rotation->inner_weight, -1);
    const Matrix dinner = flow_->turn_inner.column_range(0, rotation->inner);
    backend_.run(linear_backward(last, dinner, dz, turn.inner));
    if (!rotation->product) {
      to_stream(inner, dinner);
    } else {
      const Matrix dhalves = flow_->turn_halves.column_range(0, 2 * rotation->inner);
      backend_.run(GatedProductBackward{.dx = dhalves, .dy = dinner, .x = turn.halves, .rows = batch_->token_rows()});
      to_stream(inner, dhalves);
    }
  }
  if (!turn.gate.empty()) to_stream(encoding_slot(rotation->gate_weight, rotation->gate_bias), angles.dgate);
}

}  // namespace phasor
