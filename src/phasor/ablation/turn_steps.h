#pragma once
// By how much a token turns, on average: what angles of tokens come to along a sequence, with their content taken out.
#include <complex>
#include <cstdint>
#include <vector>

#include "phasor/engine/backend.h"
#include "phasor/task/batch.h"

namespace phasor {

// [tokens, token sets * pairs] of the last pass; empty where tokens turn nothing.
std::vector<std::complex<float>> turn_rows_of(Backend& backend, const Attention& attention, int64_t tokens);

class TurnSteps {
 public:
  // Every batch of the set once; `turns` as from turn_rows_of().
  void add(const Batch& batch, const std::vector<std::complex<float>>& turns);
  // The mean step of each angle over the other samples, as the direction of the mean of e^(i step); `own` are those of
  // this sample, which was added. Of a set with no other sample, its own mean.
  std::vector<double> others(const std::complex<float>* own, int64_t length, int64_t numbers) const;

 private:
  std::vector<std::complex<double>> sums_;  // of e^(i step)
  int64_t steps_ = 0;
};

}  // namespace phasor
