#include "phasor/engine/cuda/attention.h"

namespace phasor::cuda {
namespace {

[[noreturn]] void missing() { fail_text("the CUDA backend of this version has no attention; use the device 'cpu'"); }

}  // namespace

void attention_forward(const AttentionForward&, const CudaContext&) { missing(); }
void attention_backward(const AttentionBackward&, const CudaContext&) { missing(); }
void attention_dense_forward(const AttentionDenseForward&, const CudaContext&) { missing(); }
void attention_dense_backward(const AttentionDenseBackward&, const CudaContext&) { missing(); }

}  // namespace phasor::cuda
