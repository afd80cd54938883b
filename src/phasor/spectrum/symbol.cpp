#include "phasor/spectrum/symbol.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "phasor/base/error.h"
#include "phasor/linalg/fft.h"
#include "phasor/linalg/lapack.h"
#include "phasor/spectrum/spectrum.h"

namespace phasor {
namespace {

using std::numbers::pi;

int64_t decay_length(const ToeplitzKernel& kernel) {
  const double bound = std::abs(kernel.at(0)) / std::numbers::e;
  for (int64_t d = 1; d < kernel.size; ++d) {
    const double after = kernel.causal ? 0.0 : std::abs(kernel.at(d));
    if (std::max(std::abs(kernel.at(-d)), after) < bound) return d;
  }
  return -1;
}

Dense symmetric_toeplitz(int64_t size, const std::vector<double>& t) {
  Dense a(size, size);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = 0; j < size; ++j) {
      const auto lag = static_cast<size_t>(std::abs(j - i));
      a(i, j) = lag < t.size() ? t[lag] : 0.0;
    }
  }
  return a;
}

SzegoStep measured(int64_t size, const std::vector<double>& eigenvalues) {
  SzegoStep step;
  step.size = size;
  step.smallest = eigenvalues.front();
  step.largest = eigenvalues.back();
  std::vector<double> moduli = eigenvalues;
  for (double& value : moduli) value = std::abs(value);
  std::sort(moduli.rbegin(), moduli.rend());
  step.rank = singular_spectrum(std::move(moduli), size).numerical_rank;
  return step;
}

void require_sizes(const std::vector<int64_t>& sizes) {
  for (const int64_t size : sizes) {
    if (size < 1) fail("Szego: a matrix of size {} was asked for", size);
  }
}

void require_numbers(const std::vector<double>& values, std::string_view what) {
  if (values.empty()) fail("Szego: the kernel has no {}", what);
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) fail("Szego: {} {} is {}; only finite numbers can be taken", what, i, values[i]);
  }
}

}  // namespace

Symbol symbol(const ToeplitzKernel& kernel, int64_t least_grid) {
  if (kernel.size < 1 || static_cast<int64_t>(kernel.values.size()) != 2 * kernel.size - 1) {
    fail("a kernel of size {} has {} values, not {}", kernel.size, kernel.values.size(), 2 * kernel.size - 1);
  }
  require_finite(DenseView(kernel.values.data(), int64_t{1}, static_cast<int64_t>(kernel.values.size())),
                 "a Toeplitz kernel");
  const Fft fft(power_of_two_from(std::max(least_grid, 2 * kernel.size)));
  const int64_t grid = fft.size();
  Symbol result;
  result.values.resize(static_cast<size_t>(grid));
  // forward() has e^{-ikw}: t_k stands at -k.
  for (int64_t d = -(kernel.size - 1); d < kernel.size; ++d) {
    result.values[static_cast<size_t>((grid - d) % grid)] = kernel.at(d);
  }
  fft.forward(result.values);
  double smallest = result.values[0].real();
  double largest = smallest;
  for (int64_t m = 0; m < grid; ++m) {
    const std::complex<double>& f = result.values[static_cast<size_t>(m)];
    result.frequencies.push_back(2.0 * pi * static_cast<double>(m) / static_cast<double>(grid));
    smallest = std::min(smallest, f.real());
    largest = std::max(largest, f.real());
    // A real kernel has f(-w) = conj f(w): half of the circle says all.
    if (2 * m <= grid && std::abs(f) > result.dominant_magnitude) {
      result.dominant_magnitude = std::abs(f);
      result.dominant_frequency = result.frequencies.back();
    }
  }
  result.width = largest - smallest;
  result.decay_length = decay_length(kernel);
  return result;
}

double symbol_at(const SummableKernel& kernel, double frequency) {
  double f = 0.0;
  for (size_t k = kernel.values.size(); k-- > 1;) f += kernel.values[k] * std::cos(frequency * static_cast<double>(k));
  return 2.0 * f + kernel.values[0];
}

SzegoComparison szego_comparison(const SummableKernel& kernel, const std::vector<int64_t>& sizes) {
  require_sizes(sizes);
  require_numbers(kernel.values, "lag");
  SzegoComparison result;
  double whole = 0.0;
  double tail = 0.0;
  for (size_t k = 0; k < kernel.values.size(); ++k) {
    const double magnitude = std::abs(kernel.values[k]);
    whole += magnitude;
    if (4 * k >= 3 * kernel.values.size()) tail += magnitude;
  }
  result.tail_share = whole > 0.0 ? tail / whole : 0.0;
  // A quarter of the lags of a kernel like 1/k^2 holds less than this from some 30 lags on.
  constexpr double kTail = 0.01;
  result.applies = kernel.values.size() < 4 || result.tail_share <= kTail;
  result.why =
      result.applies
          ? fmt::format("the kernel is summable as given: the last quarter of its {} lags has {:.2g} of sum |t|",
                        kernel.values.size(), result.tail_share)
          : fmt::format(
                "the theorem needs a summable kernel, and this one has not decayed within its {} lags: "
                "their last quarter has {:.2g} of sum |t|",
                kernel.values.size(), result.tail_share);
  const auto lags = static_cast<int64_t>(kernel.values.size());
  ToeplitzKernel even = zero_kernel(lags, false);
  for (int64_t d = -(lags - 1); d < lags; ++d) even.at(d) = kernel.values[static_cast<size_t>(std::abs(d))];
  const Symbol whole_symbol = symbol(even, 8 * lags);
  result.symbol_smallest = result.symbol_largest = whole_symbol.values[0].real();
  for (const std::complex<double>& f : whole_symbol.values) {
    result.symbol_smallest = std::min(result.symbol_smallest, f.real());
    result.symbol_largest = std::max(result.symbol_largest, f.real());
  }
  for (const int64_t size : sizes) {
    const std::vector<double> values = symmetric_eigenvalues(symmetric_toeplitz(size, kernel.values));
    SzegoStep step = measured(size, values);
    std::vector<double> samples;
    for (int64_t j = 1; j <= size; ++j) {
      samples.push_back(symbol_at(kernel, pi * static_cast<double>(j) / static_cast<double>(size + 1)));
    }
    std::sort(samples.begin(), samples.end());
    for (size_t i = 0; i < samples.size(); ++i) {
      const double difference = std::abs(samples[i] - values[i]);
      step.max_difference = std::max(step.max_difference, difference);
      step.mean_difference += difference / static_cast<double>(size);
    }
    result.steps.push_back(step);
  }
  return result;
}

SzegoComparison szego_comparison(const PointKernel& kernel, const std::vector<int64_t>& sizes) {
  require_sizes(sizes);
  require_numbers(kernel.frequencies, "frequency");
  require_numbers(kernel.weights, "weight");
  if (kernel.frequencies.size() != kernel.weights.size()) {
    fail("Szego: {} frequencies have {} weights", kernel.frequencies.size(), kernel.weights.size());
  }
  SzegoComparison result;
  result.rank_bound = 0;
  for (size_t m = 0; m < kernel.frequencies.size(); ++m) {
    // cos(w (j - i)) is a sum of two rank-one matrices; at 0 and pi of one.
    const bool single = std::abs(std::sin(kernel.frequencies[m])) == 0.0;
    result.rank_bound += kernel.weights[m] == 0.0 ? 0 : single ? 1 : 2;
  }
  result.why = fmt::format(
      "the theorem needs a summable kernel, and {} frequencies never decay: the symbol is a sum of point masses, the "
      "rank is at most {} at every n, and the largest eigenvalue grows like n",
      kernel.frequencies.size(), result.rank_bound);
  for (const int64_t size : sizes) {
    std::vector<double> t(static_cast<size_t>(size));
    for (size_t k = 0; k < t.size(); ++k) {
      for (size_t m = 0; m < kernel.frequencies.size(); ++m) {
        t[k] += kernel.weights[m] * std::cos(kernel.frequencies[m] * static_cast<double>(k));
      }
    }
    const std::vector<double> values = symmetric_eigenvalues(symmetric_toeplitz(size, t));
    result.steps.push_back(measured(size, values));
  }
  return result;
}

}  // namespace phasor
