// Angles of tokens: numbers of the hidden state, summed along the sequence or not, times a frequency. Products and sums
// are in double, and so is the step to within an eighth of a turn; sines and cosines are in fp32.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "phasor/base/parallel.h"
#include "phasor/engine/cpu/cpu_backend.h"
#include "phasor/engine/cpu/elements.h"
#include "phasor/engine/cpu/scratch.h"

namespace phasor {
namespace {

constexpr int64_t kAngleSequences = 2;

// cos and sin of each angle, side by side. Loops without branches, so that the compiler takes whole vectors.
void write_factors(float* factors, const double* angles, int64_t count) {
  constexpr double kQuarters = 2.0 / std::numbers::pi;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves the nearest integer in the low bits
  constexpr double kHigh = 1.57079632673412561417e+00, kLow = 6.07710050650619224932e-11;  // pi / 2; k kHigh is exact
#pragma omp simd
  for (int64_t i = 0; i < count; ++i) {
    const double shifted = angles[i] * kQuarters + kRound;
    const double quarters = shifted - kRound;
    const auto r = static_cast<float>((angles[i] - quarters * kHigh) - quarters * kLow);
    // The remainder by 4, in arithmetic that vectorises: q - 4 floor(q / 4).
    const auto quarter = static_cast<int32_t>(quarters - 4.0 * std::floor(quarters * 0.25));
    const float z = r * r;
    const float sine = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f - z * 1.9515295891e-4f));
    const float cosine =
        1.0f - 0.5f * z + z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
    const bool odd = (quarter & 1) != 0;
    const float c = odd ? sine : cosine;
    const float s = odd ? cosine : sine;
    factors[2 * i] = quarter == 1 || quarter == 2 ? -c : c;
    factors[2 * i + 1] = quarter >= 2 ? -s : s;
  }
}

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

class AngleSums {
 public:
  explicit AngleSums(const TokenAngles& angles)
      : angles_(angles),
        sets_(angles.sets),
        pairs_(angles.frequency.extent(0)),
        numbers_(angles.z.extent(1) / sets_),
        sums_(static_cast<size_t>(sets_ * numbers_)),
        work_(static_cast<size_t>(sets_ * pairs_)) {}

  void forward(const View<float, 4>& factors, int64_t first, int64_t last) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (int64_t t = first; t < last; ++t) {
      for (int64_t set = 0; set < sets_; ++set) {
        const double open = gate(t, set);
        double* sums = &sums_[static_cast<size_t>(set * numbers_)];
        const float* z = angles_.z.row(t) + set * numbers_;
        for (int64_t k = 0; k < numbers_; ++k) {
          const double number = open * double{z[k]};
          sums[k] = angles_.summed ? sums[k] + number : number;
        }
        double* angles = &work_[static_cast<size_t>(set * pairs_)];
        for (int64_t c = 0; c < pairs_; ++c) angles[c] = angles_.frequency(c) * sums[numbers_ == 1 ? 0 : c];
      }
      write_factors(factors.row(t, 0, 0), work_.data(), sets_ * pairs_);
    }
  }

  void backward(const TokenAnglesBackward& op, int64_t first, int64_t last) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::vector<float> dz(static_cast<size_t>(sets_ * numbers_)), dgate(static_cast<size_t>(sets_));
    for (int64_t t = last; t-- > first;) {
      for (int64_t set = 0; set < sets_; ++set) {
        double* sums = &sums_[static_cast<size_t>(set * numbers_)];
        if (!angles_.summed) std::fill_n(sums, numbers_, 0.0);
        const float* dangle = op.dangle.row(t, set);
        for (int64_t c = 0; c < pairs_; ++c) sums[numbers_ == 1 ? 0 : c] += angles_.frequency(c) * double{dangle[c]};
        const double open = gate(t, set);
        const float* z = angles_.z.row(t) + set * numbers_;
        double through = 0.0;
        for (int64_t k = 0; k < numbers_; ++k) {
          dz[static_cast<size_t>(set * numbers_ + k)] = static_cast<float>(open * sums[k]);
          through += double{z[k]} * sums[k];
        }
        if (!angles_.gate.empty()) {
          // open (1 - open), without losing what little is shut.
          const double shut = sigmoid(-double{angles_.gate(t, set)});
          dgate[static_cast<size_t>(set)] = static_cast<float>(through * open * shut);
        }
      }
      write_row(op.dz.at(t, 0), op.dz.dtype(), dz.data(), sets_ * numbers_);
      if (!op.dgate.empty()) write_row(op.dgate.at(t, 0), op.dgate.dtype(), dgate.data(), sets_);
    }
  }

 private:
  double gate(int64_t token, int64_t set) const {
    return angles_.gate.empty() ? 1.0 : sigmoid(double{angles_.gate(token, set)});
  }

  const TokenAngles& angles_;
  int64_t sets_, pairs_, numbers_;  // numbers of one set: 1, or one for each pair
  std::vector<double> sums_, work_;
};

}  // namespace

void CpuBackend::run(const TokenAnglesForward& op) {
  const Sequences& sequences = op.angles.sequences;
  parallel_for(*sequences.count, kAngleSequences, [&](int64_t begin, int64_t end) {
    AngleSums sums(op.angles);
    for (int64_t s = begin; s < end; ++s) sums.forward(op.factors, sequences.offsets(s), sequences.offsets(s + 1));
  });
}

void CpuBackend::run(const TokenAnglesBackward& op) {
  const Sequences& sequences = op.angles.sequences;
  parallel_for(*sequences.count, kAngleSequences, [&](int64_t begin, int64_t end) {
    AngleSums sums(op.angles);
    for (int64_t s = begin; s < end; ++s) sums.backward(op, sequences.offsets(s), sequences.offsets(s + 1));
  });
}

}  // namespace phasor
