#include "phasor/ablation/turn_steps.h"

#include <algorithm>

#include "phasor/engine/download.h"

namespace phasor {
namespace {

void add_steps(std::vector<std::complex<double>>& sums, const std::complex<float>* rows, int64_t length,
               double factor) {
  const size_t numbers = sums.size();
  for (int64_t i = 1; i < length; ++i) {
    const std::complex<float>* here = rows + static_cast<size_t>(i) * numbers;
    for (size_t k = 0; k < numbers; ++k) {
      const std::complex<double> step =
          std::complex<double>(here[k]) * std::conj(std::complex<double>(here[k - numbers]));
      sums[k] += factor * step;
    }
  }
}

}  // namespace

std::vector<std::complex<float>> turn_rows_of(Backend& backend, const Attention& attention, int64_t tokens) {
  const View<const float, 4>& turns = attention.rotation.token;
  if (turns.empty()) return {};
  const int64_t count = tokens * turns.extent(1) * turns.extent(2);
  const std::vector<float> values = download(backend, turns.data(), 2 * count);
  std::vector<std::complex<float>> result;
  for (int64_t i = 0; i < count; ++i) {
    result.emplace_back(values[static_cast<size_t>(2 * i)], values[static_cast<size_t>(2 * i + 1)]);
  }
  return result;
}

void TurnSteps::add(const Batch& batch, const std::vector<std::complex<float>>& turns) {
  if (turns.empty()) return;
  sums_.resize(turns.size() / static_cast<size_t>(batch.token_count()));
  for (int64_t s = 0; s < batch.sequence_count(); ++s) {
    const int64_t first = batch.offsets[static_cast<size_t>(s)];
    const int64_t length = batch.offsets[static_cast<size_t>(s) + 1] - first;
    add_steps(sums_, turns.data() + first * static_cast<int64_t>(sums_.size()), length, 1.0);
    steps_ += std::max<int64_t>(length - 1, 0);
  }
}

std::vector<double> TurnSteps::others(const std::complex<float>* own, int64_t length, int64_t numbers) const {
  std::vector<std::complex<double>> sums = sums_;
  sums.resize(static_cast<size_t>(numbers));
  if (steps_ > std::max<int64_t>(length - 1, 0)) add_steps(sums, own, length, -1.0);
  std::vector<double> steps;
  steps.reserve(sums.size());
  for (const std::complex<double>& sum : sums) steps.push_back(std::arg(sum));
  return steps;
}

}  // namespace phasor
