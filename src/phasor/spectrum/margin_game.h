#pragma once
// The largest margin that bounded parameters reach: max over |q| <= radius and 0 <= m <= slope of
// min over i of (rows_i . q + slopes_i m). A concave problem; its dual weighs the rows, and any weights give a bound
// from above, so that the answer carries its own certificate.
#include <cstdint>
#include <vector>

#include "phasor/linalg/dense.h"

namespace phasor {

struct MarginGame {
  Dense rows;                  // [count, width]
  std::vector<double> slopes;  // [count], or empty: no m
  double radius = 0.0;
  double slope = 0.0;
};

struct MarginAnswer {
  double margin = 0.0;  // attained by `query` and `slope`; at least 0, which zero parameters attain
  double bound = 0.0;   // no parameters reach more
  std::vector<double> query;
  double slope = 0.0;
  int64_t iterations = 0;
  bool converged = false;  // bound - margin <= tolerance * the largest |row| * radius (and slope * slopes)
};

// Mirror-prox (Nemirovski): the gap falls like 1 / iterations.
MarginAnswer best_margin(const MarginGame& game, double tolerance = 1e-3, int64_t max_iterations = 20000);

// min over i for given parameters.
double margin_of(const MarginGame& game, const std::vector<double>& query, double slope);

}  // namespace phasor
