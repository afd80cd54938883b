// Gates of the normed stream: a product, then sums along the sequence that attention takes from its logits.
#include "phasor/model/transformer.h"

namespace phasor {
namespace {

GateMap engine_map(GateTerm::Map map) {
  return map == GateTerm::Map::log_sigmoid ? GateMap::log_sigmoid : GateMap::minus_softplus;
}

}  // namespace

LinearSlot Transformer::gate_slot(const GateTerm& gates) const {
  return {.weight = layout_.encoding_entry(gates.weight).offset,
          .bias = layout_.encoding_entry(gates.bias).offset,
          .out = static_cast<int64_t>(gates.heads.size()),
          .in = config_.width};
}

GateScan Transformer::gate_scan(int64_t l, size_t term, int64_t first) const {
  const GateTerm& gates = encoding_.layers[static_cast<size_t>(l)].gates[term];
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  return {.z = layer.gates.last_range(first, static_cast<int64_t>(gates.heads.size())),
          .head = tables_.layer(l).gate_heads[term],
          .map = engine_map(gates.map),
          .sequences = batch_->sequences()};
}

void Transformer::sum_gates(int64_t l) {
  const std::vector<GateTerm>& terms = encoding_.layers[static_cast<size_t>(l)].gates;
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  int64_t first = 0;
  for (size_t term = 0; term < terms.size(); ++term) {
    const LinearSlot slot = gate_slot(terms[term]);
    backend_.run(linear(slot, layer.attention_norm.y, Matrix(layer.gates).column_range(first, slot.out)));
    backend_.run(GateScanForward{.sums = layer.prefix, .scan = gate_scan(l, term, first)});
    first += slot.out;
  }
}

// Arrives with the gradient by the sums in flow_->prefix, and with that by the normed stream so far in flow_->normed.
void Transformer::sum_gates_back(int64_t l) {
  const std::vector<GateTerm>& terms = encoding_.layers[static_cast<size_t>(l)].gates;
  const LayerActivations& layer = activations_->layers[static_cast<size_t>(l)];
  int64_t first = 0;
  for (size_t term = 0; term < terms.size(); ++term) {
    const LinearSlot slot = gate_slot(terms[term]);
    const Matrix dz = flow_->gates.column_range(first, slot.out);
    backend_.run(GateScanBackward{.dz = dz, .dsums = flow_->prefix, .scan = gate_scan(l, term, first)});
    LinearBackward op = linear_backward(slot, flow_->normed, dz, layer.attention_norm.y);
    op.accumulate_dx = true;
    backend_.run(op);
    first += slot.out;
  }
}

}  // namespace phasor
