#pragma once
// Where ops run. One virtual call per op is nothing beside the op itself, and a missing
// implementation is a compile error rather than a surprise on the cluster.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "phasor/engine/ops.h"
#include "phasor/tensor/memory.h"

namespace phasor {

// Names a list of ops that is run again and again: whose it is, and the bounds that its grids depend on.
struct RepeatKey {
  uint64_t owner = 0;  // of Backend::new_owner()
  int64_t tokens = 0, sequences = 0;

  auto operator<=>(const RepeatKey&) const = default;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string description() const = 0;
  virtual bool supports(Dtype dtype) const = 0;

  // Memory starts as zeros; pages never touched cost nothing.
  virtual Memory allocate(size_t bytes) = 0;
  virtual void copy_in(void* device, const void* host, size_t bytes) = 0;
  virtual void copy_out(void* host, const void* device, size_t bytes) = 0;
  virtual void synchronize() = 0;           // returns once every op given so far has finished
  virtual bool is_synchronous() const = 0;  // every op has finished when run() returns: reading costs no wait

  // Runs what `ops` gives to run(). Under one key that must always be the same ops on the same memory, with nothing but
  // device memory to tell one time from the next: a backend may record them once and replay them, without calling
  // `ops`. No memory is allocated and nothing is copied in `ops`.
  virtual void repeat(const RepeatKey& key, const std::function<void()>& ops) = 0;
  virtual uint64_t new_owner() { return ++owners_; }
  virtual void forget(uint64_t owner) = 0;  // what was recorded for it: its memory goes

  virtual void run(const EmbeddingForward& op) = 0;
  virtual void run(const EmbeddingBackward& op) = 0;
  virtual void run(const ResidualNormForward& op) = 0;
  virtual void run(const ResidualNormBackward& op) = 0;
  virtual void run(const LinearForward& op) = 0;
  virtual void run(const LinearBackward& op) = 0;
  virtual void run(const GateScanForward& op) = 0;
  virtual void run(const GateScanBackward& op) = 0;
  virtual void run(const GatedProductForward& op) = 0;
  virtual void run(const GatedProductBackward& op) = 0;
  virtual void run(const TokenAnglesForward& op) = 0;
  virtual void run(const TokenAnglesBackward& op) = 0;
  virtual void run(const AttentionForward& op) = 0;
  virtual void run(const AttentionBackward& op) = 0;
  virtual void run(const AttentionDenseForward& op) = 0;
  virtual void run(const AttentionDenseBackward& op) = 0;
  virtual void run(const MeanPoolForward& op) = 0;
  virtual void run(const MeanPoolBackward& op) = 0;
  virtual void run(const PickTokenForward& op) = 0;
  virtual void run(const PickTokenBackward& op) = 0;
  virtual void run(const LinearCrossEntropy& op) = 0;
  virtual void run(const LinearSquaredError& op) = 0;
  virtual void run(const ScoreTargets& op) = 0;
  virtual void run(const GatherTableForward& op) = 0;
  virtual void run(const GatherTableBackward& op) = 0;
  virtual void run(const FormulaTableForward& op) = 0;
  virtual void run(const FormulaTableBackward& op) = 0;
  virtual void run(const MlpTableForward& op) = 0;
  virtual void run(const MlpTableBackward& op) = 0;
  virtual void run(const RotationFactors& op) = 0;
  virtual void run(const PhaseFactors& op) = 0;
  virtual void run(const Fill& op) = 0;
  virtual void run(const Clamp& op) = 0;
  virtual void run(const Cast& op) = 0;
  virtual void run(const GradientNorm& op) = 0;
  virtual void run(const AdamW& op) = 0;

 private:
  uint64_t owners_ = 0;
};

}  // namespace phasor
