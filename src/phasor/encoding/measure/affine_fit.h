#pragma once
// The affine map that takes the rows of one table to the rows of another, as well as any does: least squares in
// double, and of all maps that fit equally well the one with the smallest matrix.
#include <cstdint>
#include <vector>

#include "phasor/encoding/resolve/table.h"

namespace phasor {

class AffineMap {
 public:
  // Rows of `from` and `to` belong together, one pair each; there is at least one. Directions in which the rows of
  // `from` differ by rounding alone are left out.
  AffineMap(const Table& from, const Table& to);

  // Directions that the rows of `from` differ in. With fewer than rank() + 2 rows any map fits: the fit says nothing.
  int64_t rank() const { return rank_; }
  std::vector<double> operator()(const double* row) const;

 private:
  std::vector<double> from_mean_, to_mean_;
  Table matrix_;  // [columns of from, columns of to]
  int64_t rank_ = 0;
};

}  // namespace phasor
