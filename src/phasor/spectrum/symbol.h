#pragma once
// The symbol f(w) = sum_k t_k e^{ikw} of a Toeplitz kernel, and Szego's theorem beside it: the eigenvalues of the
// n x n matrices spread like the values of f, if the kernel is summable. Rotary kernels are not: they are finitely many
// frequencies, f is a sum of point masses, and the rank stays put while the largest eigenvalues grow with n.
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "phasor/linalg/toeplitz.h"

namespace phasor {

struct Symbol {
  std::vector<double> frequencies;           // 2 pi m / size in 0 .. 2 pi
  std::vector<std::complex<double>> values;  // f there; real for an even kernel
  double width = 0.0;                        // largest - smallest real part
  double dominant_frequency = 0.0;           // in 0 .. pi, where |f| is largest on the grid; lower one of equals
  double dominant_magnitude = 0.0;
  int64_t decay_length = -1;  // least distance at which |t| < |t_0| / e on both sides; -1: none. Mind the gauge.
};

// On a power of two of frequencies, at least `least_grid` and at least the number of lags.
Symbol symbol(const ToeplitzKernel& kernel, int64_t least_grid = 0);

// t_k = t_{-k} for k = 0 .. values.size() - 1, zero beyond.
struct SummableKernel {
  std::vector<double> values;
};
// t_k = sum_m weights[m] cos(frequencies[m] k): what rotations make of a fixed query and key.
struct PointKernel {
  std::vector<double> frequencies;
  std::vector<double> weights;
};

struct SzegoStep {
  int64_t size = 0;
  double smallest = 0.0, largest = 0.0;  // eigenvalues of T_n
  double max_difference = 0.0;           // sorted eigenvalues and sorted f(pi j / (n + 1)), j = 1 .. n
  double mean_difference = 0.0;
  int64_t rank = 0;  // numerical, at size * 2^-52
};

struct SzegoComparison {
  bool applies = false;
  std::string why;                                     // a sentence: what the hypothesis asks and what is there
  double symbol_smallest = 0.0, symbol_largest = 0.0;  // on a grid of 8 points a lag; none for a point kernel
  int64_t rank_bound = -1;                             // that holds for every n; -1: none
  double tail_share = 0.0;       // of sum |t_k|: in the last quarter of the given lags; 0 for a point kernel
  std::vector<SzegoStep> steps;  // one per size; for a point kernel the differences are not filled in
};

SzegoComparison szego_comparison(const SummableKernel& kernel, const std::vector<int64_t>& sizes);
SzegoComparison szego_comparison(const PointKernel& kernel, const std::vector<int64_t>& sizes);

double symbol_at(const SummableKernel& kernel, double frequency);

}  // namespace phasor
