#pragma once
// The CPU backend. The kernels of a family of ops are in one file: pooling in readout.cpp, the plainest ops in
// cpu_backend.cpp.
#include <memory>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/engine/cpu/gemm.h"

namespace phasor {

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(std::unique_ptr<Gemm> gemm) : gemm_(std::move(gemm)) {}

  std::string description() const override;
  bool supports(Dtype dtype) const override { return gemm_->supports(dtype); }

  Memory allocate(size_t bytes) override;
  void copy_in(void* device, const void* host, size_t bytes) override;
  void copy_out(void* host, const void* device, size_t bytes) override;
  void synchronize() override {}
  bool is_synchronous() const override { return true; }
  void repeat(const RepeatKey&, const std::function<void()>& ops) override { ops(); }
  void forget(uint64_t) override {}

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
  void run(const PhaseFactors& op) override;
  void run(const Fill& op) override;
  void run(const Clamp& op) override;
  void run(const Cast& op) override;
  void run(const GradientNorm& op) override;
  void run(const AdamW& op) override;

 private:
  std::unique_ptr<Gemm> gemm_;
  std::vector<float> partial_sums_;  // grows to the largest op, then stays
  std::vector<std::byte> logits_;    // of LinearCrossEntropy's row blocks
};

// With the best library for products that there is.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace phasor
