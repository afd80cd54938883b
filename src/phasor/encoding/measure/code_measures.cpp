#include "phasor/encoding/measure/code_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "phasor/encoding/measure/affine_fit.h"
#include "phasor/random/stream.h"

namespace phasor {
namespace {

constexpr uint32_t kShiftHalves = 0x736869;  // a stream of its own

double square_distance(const double* a, const double* b, int64_t count) {
  double sum = 0.0;
  for (int64_t c = 0; c < count; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

const double* row_of(const Table& table, int64_t row) { return table.values.data() + row * table.columns; }

void append_row(Table& table, const Table& codes, int64_t row) {
  table.values.insert(table.values.end(), row_of(codes, row), row_of(codes, row) + codes.columns);
  ++table.rows;
}

}  // namespace

std::vector<NeighbourRows> neighbours(const std::vector<int64_t>& extents, size_t axis) {
  int64_t stride = 1;
  for (size_t a = axis + 1; a < extents.size(); ++a) stride *= extents[a];
  int64_t rows = 1;
  for (const int64_t extent : extents) rows *= extent;
  std::vector<NeighbourRows> result;
  for (int64_t row = 0; row < rows; ++row) {
    if (row / stride % extents[axis] + 1 < extents[axis]) result.push_back({.row = row, .next = row + stride});
  }
  return result;
}

std::vector<NeighbourRows> all_neighbours(const std::vector<int64_t>& extents) {
  std::vector<NeighbourRows> result;
  for (size_t axis = 0; axis < extents.size(); ++axis) {
    const std::vector<NeighbourRows> along = neighbours(extents, axis);
    result.insert(result.end(), along.begin(), along.end());
  }
  return result;
}

double row_norm(const Table& table, int64_t row) {
  double sum = 0.0;
  for (int64_t c = 0; c < table.columns; ++c) sum += table(row, c) * table(row, c);
  return std::sqrt(sum);
}

double row_distance(const Table& a, int64_t row_a, const Table& b, int64_t row_b) {
  return std::sqrt(square_distance(row_of(a, row_a), row_of(b, row_b), a.columns));
}

double mean_norm(const Table& codes) {
  double sum = 0.0;
  for (int64_t row = 0; row < codes.rows; ++row) sum += row_norm(codes, row);
  return codes.rows == 0 ? 0.0 : sum / static_cast<double>(codes.rows);
}

double smallest_distance(const Table& codes) {
  double least = std::numeric_limits<double>::infinity();
  for (int64_t a = 0; a < codes.rows; ++a) {
    for (int64_t b = a + 1; b < codes.rows; ++b) {
      least = std::min(least, square_distance(row_of(codes, a), row_of(codes, b), codes.columns));
    }
  }
  return std::sqrt(least);
}

double spread(const Table& codes) {
  std::vector<double> mean(static_cast<size_t>(codes.columns));
  for (int64_t row = 0; row < codes.rows; ++row) {
    for (int64_t c = 0; c < codes.columns; ++c) {
      mean[static_cast<size_t>(c)] += codes(row, c) / static_cast<double>(codes.rows);
    }
  }
  double sum = 0.0;
  for (int64_t row = 0; row < codes.rows; ++row) sum += square_distance(row_of(codes, row), mean.data(), codes.columns);
  return std::sqrt(sum / static_cast<double>(codes.rows));
}

ShiftFit fit_shift(const PositionCodes& codes, size_t axis) {
  // One half is scattered over all positions. Were it the first ones, slow sines, which hardly move within them,
  // would have to be extrapolated, and rounding alone would fail a map that is exact.
  const RandomStream halves{.purpose = Purpose::encoding, .site = kShiftHalves};
  Table from(0, codes.query.columns), to(0, codes.query.columns);
  Table held_out(0, codes.query.columns), wanted(0, codes.query.columns);
  for (const Table* table : {&codes.query, &codes.other}) {
    if (table->empty()) continue;
    for (const NeighbourRows& pair : neighbours(codes.extents, axis)) {
      const bool fitted = halves.word(static_cast<uint64_t>(pair.row)) % 2 == 0;
      append_row(fitted ? from : held_out, *table, pair.row);
      append_row(fitted ? to : wanted, *table, pair.next);
    }
  }
  if (from.rows == 0 || held_out.rows == 0) return {};
  const AffineMap map(from, to);
  double squares = 0.0;
  for (int64_t row = 0; row < held_out.rows; ++row) {
    const std::vector<double> found = map(row_of(held_out, row));
    squares += square_distance(found.data(), row_of(wanted, row), wanted.columns);
  }
  const double error = std::sqrt(squares / static_cast<double>(held_out.rows));
  const double scale = spread(codes.query);
  return {
      .residual = scale == 0.0 ? 0.0 : error / scale, .rank = map.rank(), .determined = from.rows >= map.rank() + 2};
}

}  // namespace phasor
