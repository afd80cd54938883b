#pragma once
// The CUDA backend: one GPU, one stream. Kernels are in files named as those of cpu/.
#include <memory>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/engine/cuda/context.h"
#include "phasor/engine/cuda/recorded_ops.h"
#include "phasor/engine/cuda/staging.h"

namespace phasor {

namespace cuda {

// The stream and the pool, which end with the last of the backend and the memory it gave.
class DeviceState {
 public:
  DeviceState();
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const CudaContext& context() const { return context_; }

 private:
  CudaContext context_;
};

// A formula's instructions on the device.
struct UploadedProgram {
  FormulaProgram program;
  Memory instructions;
};

}  // namespace cuda

class CudaBackend final : public Backend {
 public:
  // One clear error where there is no driver, no GPU, or one that this build has no kernels for.
  CudaBackend();

  std::string description() const override;
  bool supports(Dtype) const override { return true; }

  Memory allocate(size_t bytes) override;
  void copy_in(void* device, const void* host, size_t bytes) override;
  void copy_out(void* host, const void* device, size_t bytes) override;
  void synchronize() override;
  bool is_synchronous() const override { return false; }
  void repeat(const RepeatKey& key, const std::function<void()>& ops) override;
  void forget(uint64_t owner) override;

  void run(const EmbeddingForward& op) override;
  void run(const EmbeddingBackward& op) override;
  void run(const ResidualNormForward& op) override;
  void run(const ResidualNormBackward& op) override;
  void run(const LinearForward& op) override;
  void run(const LinearBackward& op) override;
  void run(const GateScanForward& op) override;
  void run(const GateScanBackward& op) override;
  void run(const GatedProductForward& op) override;
  void run(const GatedProductBackward& op) override;
  void run(const TokenAnglesForward& op) override;
  void run(const TokenAnglesBackward& op) override;
  void run(const AttentionForward& op) override;
  void run(const AttentionBackward& op) override;
  void run(const AttentionDenseForward& op) override;
  void run(const AttentionDenseBackward& op) override;
  void run(const MeanPoolForward& op) override;
  void run(const MeanPoolBackward& op) override;
  void run(const PickTokenForward& op) override;
  void run(const PickTokenBackward& op) override;
  void run(const LinearCrossEntropy& op) override;
  void run(const LinearSquaredError& op) override;
  void run(const ScoreTargets& op) override;
  void run(const GatherTableForward& op) override;
  void run(const GatherTableBackward& op) override;
  void run(const FormulaTableForward& op) override;
  void run(const FormulaTableBackward& op) override;
  void run(const MlpTableForward& op) override;
  void run(const MlpTableBackward& op) override;
  void run(const RotationFactors& op) override;
  void run(const PhaseFactors& op) override;  // refuses: no kernel yet
  void run(const Fill& op) override;
  void run(const Clamp& op) override;
  void run(const Cast& op) override;
  void run(const GradientNorm& op) override;
  void run(const AdamW& op) override;

 private:
  const cuda::CudaContext& context() const { return state_->context(); }
  // Uploaded once per program.
  const FormulaInstruction* instructions(const FormulaProgram& program);

  std::shared_ptr<cuda::DeviceState> state_;
  std::vector<cuda::UploadedProgram> programs_;
  cuda::Staging staging_;
  cuda::RecordedOps recorded_;
};

std::unique_ptr<Backend> make_cuda_backend();

}  // namespace phasor
