#include "phasor/engine/cuda/cuda_backend.h"

#include <cstdint>

#include "phasor/base/error.h"
#include "phasor/engine/cuda/attention.h"
#include "phasor/engine/cuda/attention_support.h"
#include "phasor/engine/cuda/device_code.h"

namespace phasor {
namespace cuda {

DeviceState::DeviceState() {
  int devices = 0;
  const cudaError_t found = cudaGetDeviceCount(&devices);
  if (found == cudaErrorInsufficientDriver || found == cudaErrorSystemDriverMismatch) {
    fail(
        "no CUDA driver for this program was found on this machine (it was built with CUDA {}.{}); use the device "
        "'cpu'",
        CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  }
  if (found == cudaErrorNoDevice || (found == cudaSuccess && devices == 0)) {
    fail("no GPU was found on this machine; use the device 'cpu'");
  }
  check(found, "looking for a GPU", __FILE__, __LINE__);
  PHASOR_CUDA_CHECK(cudaGetDevice(&context_.device));
  cudaDeviceProp properties{};
  PHASOR_CUDA_CHECK(cudaGetDeviceProperties(&properties, context_.device));
  context_.multiprocessors = properties.multiProcessorCount;
  context_.shared_memory_per_block = static_cast<int>(properties.sharedMemPerBlockOptin);
  context_.compute_capability = properties.major * 10 + properties.minor;
  const cudaError_t code = look_up_device_code();
  if (is_missing_code(code)) {
    fail(
        "this program has no code for the GPU {} (compute capability {}.{}); build it with "
        "-DCMAKE_CUDA_ARCHITECTURES={}{}",
        properties.name, properties.major, properties.minor, properties.major, properties.minor);
  }
  check(code, "looking up a kernel", __FILE__, __LINE__);
  PHASOR_CUDA_CHECK(cudaStreamCreateWithFlags(&context_.stream, cudaStreamNonBlocking));
  cudaMemPoolProps pool{};
  pool.allocType = cudaMemAllocationTypePinned;
  pool.location = {.type = cudaMemLocationTypeDevice, .id = context_.device};
  PHASOR_CUDA_CHECK(cudaMemPoolCreate(&context_.pool, &pool));
  // Working memory comes and goes with each op: the pool keeps it.
  uint64_t keep = UINT64_MAX;
  PHASOR_CUDA_CHECK(cudaMemPoolSetAttribute(context_.pool, cudaMemPoolAttrReleaseThreshold, &keep));
}

DeviceState::~DeviceState() {
  if (context_.stream != nullptr) {
    static_cast<void>(cudaStreamSynchronize(context_.stream));
    static_cast<void>(cudaStreamDestroy(context_.stream));
  }
  if (context_.pool != nullptr) static_cast<void>(cudaMemPoolDestroy(context_.pool));
}

namespace {

using Owner = std::shared_ptr<DeviceState>;

void release(void* data, size_t, void* context) {
  const std::unique_ptr<Owner> owner(static_cast<Owner*>(context));
  static_cast<void>(cudaFreeAsync(data, (*owner)->context().stream));
}

}  // namespace
}  // namespace cuda

CudaBackend::CudaBackend() : state_(std::make_shared<cuda::DeviceState>()) {}

std::string CudaBackend::description() const {
  cudaDeviceProp properties{};
  PHASOR_CUDA_CHECK(cudaGetDeviceProperties(&properties, context().device));
  return fmt::format("cuda, {}, compute capability {}.{}", properties.name, properties.major, properties.minor);
}

Memory CudaBackend::allocate(size_t bytes) {
  if (bytes == 0) return {};
  void* data = nullptr;
  const cudaError_t code = cudaMallocFromPoolAsync(&data, bytes, context().pool, context().stream);
  if (code == cudaErrorMemoryAllocation) cuda::fail_memory(bytes);
  cuda::check(code, "allocating memory", __FILE__, __LINE__);
  Memory memory(data, bytes, cuda::release, new cuda::Owner(state_));
  PHASOR_CUDA_CHECK(cudaMemsetAsync(data, 0, bytes, context().stream));
  return memory;
}

void CudaBackend::copy_in(void* device, const void* host, size_t bytes) {
  if (bytes > 0) staging_.copy_in(device, host, bytes, context().stream);
}

void CudaBackend::copy_out(void* host, const void* device, size_t bytes) {
  if (bytes == 0) return;
  PHASOR_CUDA_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, context().stream));
  synchronize();
}

void CudaBackend::synchronize() { PHASOR_CUDA_CHECK(cudaStreamSynchronize(context().stream)); }

void CudaBackend::repeat(const RepeatKey& key, const std::function<void()>& ops) {
  recorded_.run(key, ops, context().stream);
}

void CudaBackend::forget(uint64_t owner) {
  synchronize();
  recorded_.forget(owner);
}

const FormulaInstruction* CudaBackend::instructions(const FormulaProgram& program) {
  for (const cuda::UploadedProgram& known : programs_) {
    if (known.program == program) return static_cast<const FormulaInstruction*>(known.instructions.data());
  }
  const size_t bytes = program.instructions.size() * sizeof(FormulaInstruction);
  Memory memory = allocate(bytes);
  copy_in(memory.data(), program.instructions.data(), bytes);
  programs_.push_back({program, std::move(memory)});
  return static_cast<const FormulaInstruction*>(programs_.back().instructions.data());
}

void CudaBackend::run(const GateScanForward&) {
  fail_usage("the cuda backend does not have gates yet: use --device cpu");
}
void CudaBackend::run(const GateScanBackward&) {
  fail_usage("the cuda backend does not have gates yet: use --device cpu");
}
void CudaBackend::run(const GatedProductForward&) {
  fail_usage("the cuda backend does not have gated products yet: use --device cpu");
}
void CudaBackend::run(const GatedProductBackward&) {
  fail_usage("the cuda backend does not have gated products yet: use --device cpu");
}
void CudaBackend::run(const TokenAnglesForward&) {
  fail_usage("the cuda backend does not have angles of tokens yet: use --device cpu");
}
void CudaBackend::run(const TokenAnglesBackward&) {
  fail_usage("the cuda backend does not have angles of tokens yet: use --device cpu");
}

void CudaBackend::run(const AttentionForward& op) {
  cuda::require_known(op.attention);
  cuda::attention_forward(op, context());
}
void CudaBackend::run(const AttentionBackward& op) {
  cuda::require_known(op.attention);
  cuda::attention_backward(op, context());
}
void CudaBackend::run(const AttentionDenseForward& op) {
  cuda::require_known(op.attention);
  cuda::attention_dense_forward(op, context());
}
void CudaBackend::run(const AttentionDenseBackward& op) {
  cuda::require_known(op.attention);
  cuda::attention_dense_backward(op, context());
}

void CudaBackend::run(const PhaseFactors&) {
  fail_usage("the cuda backend does not have learned phases of keys yet: use --device cpu");
}

std::unique_ptr<Backend> make_cuda_backend() { return std::make_unique<CudaBackend>(); }

}  // namespace phasor
