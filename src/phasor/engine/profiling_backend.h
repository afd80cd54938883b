#pragma once
// A backend around another one that adds up the time of every kind of op.
#include <chrono>
#include <map>
#include <string>

#include "phasor/engine/backend.h"

namespace phasor {

struct OpTime {
  double seconds = 0.0;
  int64_t calls = 0;
};

class ProfilingBackend final : public Backend {
 public:
  explicit ProfilingBackend(Backend& inner) : inner_(inner) {}

  const std::map<std::string, OpTime>& times() const { return times_; }
  // Off, ops pass through untouched.
  void set_timing(bool on) { timing_ = on; }

  std::string description() const override { return inner_.description(); }
  bool supports(Dtype dtype) const override { return inner_.supports(dtype); }
  Memory allocate(size_t bytes) override { return inner_.allocate(bytes); }
  void copy_in(void* device, const void* host, size_t bytes) override { inner_.copy_in(device, host, bytes); }
  void copy_out(void* host, const void* device, size_t bytes) override { inner_.copy_out(host, device, bytes); }
  void synchronize() override { inner_.synchronize(); }
  bool is_synchronous() const override { return inner_.is_synchronous(); }
  // Times ops one by one, so nothing is replayed meanwhile.
  void repeat(const RepeatKey& key, const std::function<void()>& ops) override {
    if (timing_) return ops();
    inner_.repeat(key, ops);
  }
  uint64_t new_owner() override { return inner_.new_owner(); }
  void forget(uint64_t owner) override { inner_.forget(owner); }

  void run(const EmbeddingForward& op) override { time("embedding forward", op); }
  void run(const EmbeddingBackward& op) override { time("embedding backward", op); }
  void run(const ResidualNormForward& op) override { time("residual norm forward", op); }
  void run(const ResidualNormBackward& op) override { time("residual norm backward", op); }
  void run(const LinearForward& op) override { time("linear forward", op); }
  void run(const LinearBackward& op) override { time("linear backward", op); }
  void run(const GateScanForward& op) override { time("gate scan forward", op); }
  void run(const GateScanBackward& op) override { time("gate scan backward", op); }
  void run(const GatedProductForward& op) override { time("gated product forward", op); }
  void run(const GatedProductBackward& op) override { time("gated product backward", op); }
  void run(const TokenAnglesForward& op) override { time("token angles forward", op); }
  void run(const TokenAnglesBackward& op) override { time("token angles backward", op); }
  void run(const AttentionForward& op) override { time("attention forward", op); }
  void run(const AttentionBackward& op) override { time("attention backward", op); }
  void run(const AttentionDenseForward& op) override { time("dense attention forward", op); }
  void run(const AttentionDenseBackward& op) override { time("dense attention backward", op); }
  void run(const MeanPoolForward& op) override { time("pooling", op); }
  void run(const MeanPoolBackward& op) override { time("pooling", op); }
  void run(const PickTokenForward& op) override { time("pooling", op); }
  void run(const PickTokenBackward& op) override { time("pooling", op); }
  void run(const LinearCrossEntropy& op) override { time("readout and loss", op); }
  void run(const LinearSquaredError& op) override { time("readout and loss", op); }
  void run(const ScoreTargets& op) override { time("readout and loss", op); }
  void run(const GatherTableForward& op) override { time("gather table forward", op); }
  void run(const GatherTableBackward& op) override { time("gather table backward", op); }
  void run(const FormulaTableForward& op) override { time("formula table forward", op); }
  void run(const FormulaTableBackward& op) override { time("formula table backward", op); }
  void run(const MlpTableForward& op) override { time("mlp table forward", op); }
  void run(const MlpTableBackward& op) override { time("mlp table backward", op); }
  void run(const RotationFactors& op) override { time("rotation factors", op); }
  void run(const PhaseFactors& op) override { time("phase factors", op); }
  void run(const Fill& op) override { time("fill", op); }
  void run(const Clamp& op) override { time("clamp", op); }
  void run(const Cast& op) override { time("cast", op); }
  void run(const GradientNorm& op) override { time("optimiser", op); }
  void run(const AdamW& op) override { time("optimiser", op); }

 private:
  template <class Op>
  void time(const char* name, const Op& op) {
    if (!timing_) {
      inner_.run(op);
      return;
    }
    inner_.synchronize();
    const auto start = std::chrono::steady_clock::now();
    inner_.run(op);
    inner_.synchronize();
    OpTime& entry = times_[name];
    entry.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++entry.calls;
  }

  Backend& inner_;
  bool timing_ = false;
  std::map<std::string, OpTime> times_;
};

}  // namespace phasor
