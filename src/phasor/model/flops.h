#pragma once
// Arithmetic that a training step cannot avoid: the products of linear layers and of attention on real tokens,
// forward once and backward twice. Softmax, norms, recomputation and padding count nothing.
#include "phasor/model/config.h"
#include "phasor/task/batch.h"

namespace phasor {

double training_flops(const ModelConfig& config, const ResolvedEncoding& encoding, const Batch& batch);

}  // namespace phasor
