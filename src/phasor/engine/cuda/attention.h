#pragma once
// Attention on the device; attention*.cu.
#include "phasor/engine/cuda/context.h"
#include "phasor/engine/ops.h"

namespace phasor::cuda {

void attention_forward(const AttentionForward& op, const CudaContext& context);
// Of sequences of more than `longer_than` tokens, where takes_tensor_cores.
void tensor_attention_forward(const AttentionForward& op, int longer_than, const CudaContext& context);
void attention_backward(const AttentionBackward& op, const CudaContext& context);
void attention_dense_forward(const AttentionDenseForward& op, const CudaContext& context);
void attention_dense_backward(const AttentionDenseBackward& op, const CudaContext& context);

}  // namespace phasor::cuda
