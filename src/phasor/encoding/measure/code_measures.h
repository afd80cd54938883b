#pragma once
// Sizes and distances of position codes.
#include <cstdint>
#include <vector>

#include "phasor/encoding/measure/position_codes.h"

namespace phasor {

// Rows that are one position apart along an axis.
struct NeighbourRows {
  int64_t row = 0;
  int64_t next = 0;
};

std::vector<NeighbourRows> neighbours(const std::vector<int64_t>& extents, size_t axis);
std::vector<NeighbourRows> all_neighbours(const std::vector<int64_t>& extents);

double row_norm(const Table& table, int64_t row);
double row_distance(const Table& a, int64_t row_a, const Table& b, int64_t row_b);
double mean_norm(const Table& codes);
// Of the two rows that are most alike; infinite where there is one only.
double smallest_distance(const Table& codes);
// Root mean square of the distances from the mean row.
double spread(const Table& codes);

// How well one affine map takes each code to its neighbour along the axis, whatever the content: fitted on a random
// half of the neighbours, always the same one, and judged on the other half.
struct ShiftFit {
  double residual = 0.0;    // root mean square, relative to the spread of all codes; 0 where they are all alike
  int64_t rank = 0;         // of the half where the map was fitted
  bool determined = false;  // by more neighbours than any map could fit
};
ShiftFit fit_shift(const PositionCodes& codes, size_t axis);

}  // namespace phasor
