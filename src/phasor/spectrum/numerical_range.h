#pragma once
// The numerical range W(A) = { x^* A x : |x| = 1 } of a real matrix: convex, it contains the eigenvalues, and unlike
// them it moves no more than A does. Johnson's method (1978): its support line with outward normal e^{i angle} is at
// the largest eigenvalue of the Hermitian part of e^{-i angle} A. A real matrix has W symmetric about the real axis
// and a Hermitian matrix gives two opposite normals, so a quarter of the angles is computed.
#include <complex>
#include <cstdint>
#include <vector>

#include "phasor/linalg/dense.h"

namespace phasor {

struct NumericalRange {
  std::vector<double> angles;                  // of the outward normals: 2 pi k / count
  std::vector<double> support;                 // h(angle) = max Re(e^{-i angle} z) over W
  std::vector<std::complex<double>> boundary;  // a point of W on each support line
  // The numerical radius max |z|: attained, so never too large, and the top of a smooth peak of h to rounding. No point
  // of W lies beyond radius_bound, which the corners of the support lines give: at worst radius / cos(pi / count).
  double radius = 0.0;
  double radius_angle = 0.0;
  double radius_bound = 0.0;
};

// `angles` is rounded up to a multiple of 4.
NumericalRange numerical_range(DenseView a, int64_t angles = 64);
// Of queries keys^T, on the small matrix where 2 d < n.
NumericalRange numerical_range_of_factors(DenseView queries, DenseView keys, int64_t angles = 64);

}  // namespace phasor
