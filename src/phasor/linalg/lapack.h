#pragma once
// What the analysis needs of BLAS and LAPACK. Every call runs on the calling thread alone: callers share heads among
// threads with parallel_for, and results do not depend on how many there are. A matrix with an entry that is not
// finite is refused, by the entry's place; one without rows or columns too.
#include <complex>
#include <cstdint>
#include <vector>

#include "phasor/linalg/dense.h"

namespace phasor {

// out = a b, with either one transposed first; shapes are the caller's to check.
void multiply(DenseView a, bool a_transposed, DenseView b, bool b_transposed, Dense& out);

// Falling.
std::vector<double> singular_values(DenseView a);

// Rising. Only the lower triangle is read.
std::vector<double> symmetric_eigenvalues(DenseView a);

struct SymmetricVectors {
  std::vector<double> values;  // rising
  Dense vectors;               // row i belongs to values[i]
};
SymmetricVectors symmetric_vectors(DenseView a);

// The smallest and the largest eigenvalue with unit vectors: a third of the work of all of them.
struct HermitianEnds {
  double smallest = 0.0;
  double largest = 0.0;
  std::vector<std::complex<double>> smallest_vector;
  std::vector<std::complex<double>> largest_vector;
};
HermitianEnds hermitian_ends(const ComplexDense& a, bool vectors);

std::vector<std::complex<double>> eigenvalues(DenseView a);

// An eigenvalue moves by up to condition * |perturbation|: 1 for normal matrices, infinite for Jordan blocks. It is
// |left| |right| / |left . right|, with vectors of whatever length.
struct ConditionedEigenvalues {
  std::vector<std::complex<double>> values;
  std::vector<double> conditions;
};
ConditionedEigenvalues conditioned_eigenvalues(DenseView a);
// Of left right^T, through the small matrix right^T left: its eigenvalues other than the zeros that exceed its width.
ConditionedEigenvalues conditioned_eigenvalues_of_factors(DenseView left, DenseView right);

// r, upper triangular, of a = q r with orthonormal columns in q; rows >= columns.
Dense qr_triangle(DenseView a);

// The x that brings a x closest to b, column by column; of all that come equally close, the smallest. Directions that
// are below `rounding` times the largest one count as none.
struct LeastSquares {
  Dense solution;  // [columns of a, columns of b]
  int64_t rank = 0;
};
LeastSquares least_squares(DenseView a, DenseView b, double rounding);

// Of a symmetric positive definite matrix, whose lower triangle is read; fails for another one.
class Cholesky {
 public:
  explicit Cholesky(DenseView a);
  // In place.
  void solve(std::vector<double>& right_side) const;

 private:
  Dense factor_;
};

}  // namespace phasor
