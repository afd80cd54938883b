#include "phasor/linalg/lapack.h"

#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "phasor/base/error.h"
#include "phasor/base/threads.h"
#include "phasor/linalg/lapack_symbols.h"

// LAPACK stores by columns, so it sees the transpose of what is stored here. Singular values, eigenvalues and their
// condition numbers are those of the transpose; where vectors are asked for, left and right change places.
namespace phasor {
namespace {

using Complex = std::complex<double>;

// The pthread flavour of OpenBLAS would start threads of its own.
void turn_own_threads_off() {
  [[maybe_unused]] static const bool done = [] {
    const ThreadCount restore(1);  // openblas_set_num_threads changes OpenMP's count too
    openblas_set_num_threads(1);
    return true;
  }();
}

// OpenMP's count decides how many threads OpenBLAS takes outside of parallel regions; inside it takes one.
template <class Call>
void on_one_thread(const Call& call) {
  turn_own_threads_off();
  if (omp_in_parallel() != 0) {
    call();
    return;
  }
  const ThreadCount guard(1);
  call();
}

void check(blasint info, std::string_view routine) {
  if (info < 0) fail("{}: argument {} is wrong", routine, -info);
  if (info > 0) fail("{} did not converge (info {})", routine, info);
}

blasint extent(int64_t n) {
  if (n > std::numeric_limits<blasint>::max()) fail("an extent of {} is too large for LAPACK", n);
  return static_cast<blasint>(n);
}

void require_taken(DenseView a, std::string_view what) {
  if (a.extent(0) == 0 || a.extent(1) == 0) fail("{}: the matrix is empty ({} x {})", what, a.extent(0), a.extent(1));
  require_finite(a, what);
}

void require_taken_square(DenseView a, std::string_view what) {
  require_square(a, what);
  require_taken(a, what);
}

template <class T>
blasint first_size(const std::vector<T>& work) {
  return static_cast<blasint>(std::real(work[0]));
}

// Calls twice: once for the size of the workspace, which LAPACK leaves in its first element.
template <class T, class Call>
void with_workspace(const Call& call) {
  std::vector<T> work(1);
  call(work.data(), blasint{-1});
  work.resize(static_cast<size_t>(std::max<blasint>(1, first_size(work))));
  call(work.data(), static_cast<blasint>(work.size()));
}

SymmetricVectors symmetric(DenseView a, char job) {
  require_taken_square(a, "symmetric eigenvalues");
  SymmetricVectors result{std::vector<double>(static_cast<size_t>(a.extent(0))), copy_of(a)};
  const blasint n = extent(a.extent(0));
  blasint info = 0;
  blasint integers = 0;
  const blasint query = -1;
  double wanted = 0.0;
  // 'U' of the transpose is the lower triangle.
  dsyevd_(&job, "U", &n, result.vectors.data(), &n, result.values.data(), &wanted, &query, &integers, &query, &info, 1,
          1);
  std::vector<double> work(static_cast<size_t>(wanted));
  std::vector<blasint> integer_work(static_cast<size_t>(integers));
  const auto work_size = static_cast<blasint>(work.size());
  on_one_thread([&] {
    dsyevd_(&job, "U", &n, result.vectors.data(), &n, result.values.data(), work.data(), &work_size,
            integer_work.data(), &integers, &info, 1, 1);
  });
  check(info, "dsyevd");
  return result;
}

struct RawEigen {
  std::vector<double> real, imaginary;
  Dense left, right;  // rows; a complex pair takes two: real part, imaginary part
};

// Balanced by permuting and scaling, as the values need; vectors are those of the matrix itself.
RawEigen general(DenseView a, bool vectors) {
  require_taken_square(a, "eigenvalues");
  const int64_t size = a.extent(0);
  const blasint n = extent(size);
  // The transpose, so that LAPACK sees `a` itself.
  Dense work_matrix = transposed(a);
  RawEigen result;
  result.real.resize(static_cast<size_t>(size));
  result.imaginary.resize(static_cast<size_t>(size));
  if (vectors) {
    result.left = Dense(size, size);
    result.right = Dense(size, size);
  }
  const char job = vectors ? 'V' : 'N';
  blasint info = 0;
  on_one_thread([&] {
    with_workspace<double>([&](double* work, blasint work_size) {
      dgeev_(&job, &job, &n, work_matrix.data(), &n, result.real.data(), result.imaginary.data(), result.left.data(),
             &n, result.right.data(), &n, work, &work_size, &info, 1, 1);
    });
  });
  check(info, "dgeev");
  return result;
}

std::vector<Complex> values_of(const RawEigen& raw) {
  std::vector<Complex> values(raw.real.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = {raw.real[i], raw.imaginary[i]};
  return values;
}

// The i-th vector, up to conjugation: a pair stores its real part at the first of its two rows and its imaginary part
// at the second. Its second vector is the conjugate, which changes neither lengths nor overlaps.
std::vector<Complex> vector_at(const Dense& rows, const std::vector<double>& imaginary, int64_t i) {
  const double part = imaginary[static_cast<size_t>(i)];
  const int64_t first = part < 0.0 ? i - 1 : i;
  std::vector<Complex> vector(static_cast<size_t>(rows.columns()));
  for (size_t c = 0; c < vector.size(); ++c) {
    const double re = rows.row(first)[c];
    const double im = part == 0.0 ? 0.0 : rows.row(first + 1)[c];
    vector[c] = {re, im};
  }
  return vector;
}

double length(const std::vector<Complex>& x) {
  double squares = 0.0;
  for (const Complex& v : x) squares += std::norm(v);
  return std::sqrt(squares);
}

Complex inner(const std::vector<Complex>& x, const std::vector<Complex>& y) {
  Complex total = 0.0;
  for (size_t i = 0; i < x.size(); ++i) total += std::conj(x[i]) * y[i];
  return total;
}

double condition(double lengths, double overlap) {
  return overlap == 0.0 ? std::numeric_limits<double>::infinity() : lengths / overlap;
}

std::vector<Complex> times(DenseView a, const std::vector<Complex>& x) {
  std::vector<Complex> result(static_cast<size_t>(a.extent(0)));
  for (int64_t r = 0; r < a.extent(0); ++r) {
    const double* const row = a.row(r);
    Complex total = 0.0;
    for (size_t c = 0; c < x.size(); ++c) total += row[c] * x[c];
    result[static_cast<size_t>(r)] = total;
  }
  return result;
}

// Tridiagonal form of a Hermitian matrix; `matrix` keeps the reflectors that made it.
struct Tridiagonal {
  std::vector<Complex> matrix, tau;
  std::vector<double> diagonal, off_diagonal;
};

Tridiagonal tridiagonal(const ComplexDense& a) {
  if (a.rows() != a.columns())
    fail("Hermitian eigenvalues: a square matrix is needed, not {} x {}", a.rows(), a.columns());
  if (a.rows() == 0) fail("Hermitian eigenvalues: the matrix is empty (0 x 0)");
  for (int64_t r = 0; r < a.rows(); ++r) {
    for (int64_t c = 0; c < a.columns(); ++c) {
      if (!std::isfinite(a(r, c).real()) || !std::isfinite(a(r, c).imag())) {
        fail("Hermitian eigenvalues: entry ({}, {}) is {} + {}i; only finite numbers can be taken", r, c,
             a(r, c).real(), a(r, c).imag());
      }
    }
  }
  const blasint n = extent(a.rows());
  Tridiagonal result;
  // Stored by columns: 'L' is then the lower triangle of `a` itself.
  result.matrix.resize(a.values().size());
  for (int64_t r = 0; r < a.rows(); ++r) {
    for (int64_t c = 0; c <= r; ++c) result.matrix[static_cast<size_t>(c * a.rows() + r)] = a(r, c);
  }
  const auto size = static_cast<size_t>(n);
  result.tau.resize(size);
  result.diagonal.resize(size);
  result.off_diagonal.resize(size);
  blasint info = 0;
  with_workspace<Complex>([&](Complex* work, blasint work_size) {
    zhetrd_("L", &n, result.matrix.data(), &n, result.diagonal.data(), result.off_diagonal.data(), result.tau.data(),
            work, &work_size, &info, 1);
  });
  check(info, "zhetrd");
  return result;
}

// The vector of the i-th eigenvalue (from 1).
std::vector<Complex> vector_of(const Tridiagonal& form, blasint i) {
  const auto n = static_cast<blasint>(form.diagonal.size());
  std::vector<double> diagonal = form.diagonal;
  std::vector<double> off_diagonal = form.off_diagonal;
  std::vector<double> values(diagonal.size());
  std::vector<double> small(diagonal.size());
  std::vector<blasint> support(2);
  std::vector<double> work(18 * diagonal.size());
  std::vector<blasint> integer_work(10 * diagonal.size());
  const auto work_size = static_cast<blasint>(work.size());
  const auto integer_size = static_cast<blasint>(integer_work.size());
  const double unused = 0.0;
  const blasint one = 1;
  blasint found = 0;
  blasint accurate = 1;
  blasint info = 0;
  dstemr_("V", "I", &n, diagonal.data(), off_diagonal.data(), &unused, &unused, &i, &i, &found, values.data(),
          small.data(), &n, &one, support.data(), &accurate, work.data(), &work_size, integer_work.data(),
          &integer_size, &info, 1, 1);
  check(info, "dstemr");
  if (found != 1) fail("dstemr found {} vectors for one eigenvalue", found);
  std::vector<Complex> vector(small.begin(), small.end());
  with_workspace<Complex>([&](Complex* complex_work, blasint complex_size) {
    zunmtr_("L", "L", "N", &n, &one, form.matrix.data(), &n, form.tau.data(), vector.data(), &n, complex_work,
            &complex_size, &info, 1, 1, 1);
  });
  check(info, "zunmtr");
  return vector;
}

std::vector<double> values_of(const Tridiagonal& form) {
  std::vector<double> values = form.diagonal;
  std::vector<double> off_diagonal = form.off_diagonal;
  const auto n = static_cast<blasint>(values.size());
  blasint info = 0;
  dsterf_(&n, values.data(), off_diagonal.data(), &info);
  check(info, "dsterf");
  return values;
}

// A copy by columns with r in its upper triangle and reflectors below.
struct Reflected {
  Dense columns;  // transposed: [columns, rows]
  std::vector<double> tau;
};

Reflected reflected(DenseView a) {
  require_taken(a, "a QR factorisation");
  if (a.extent(0) < a.extent(1)) {
    fail("a thin QR factorisation needs at least as many rows as columns, not {} x {}", a.extent(0), a.extent(1));
  }
  Reflected result{transposed(a), std::vector<double>(static_cast<size_t>(a.extent(1)))};
  const blasint rows = extent(a.extent(0));
  const blasint columns = extent(a.extent(1));
  blasint info = 0;
  on_one_thread([&] {
    with_workspace<double>([&](double* work, blasint work_size) {
      dgeqrf_(&rows, &columns, result.columns.data(), &rows, result.tau.data(), work, &work_size, &info);
    });
  });
  check(info, "dgeqrf");
  return result;
}

Dense triangle_of(const Reflected& form) {
  const int64_t size = form.columns.rows();
  Dense r(size, size);
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t j = i; j < size; ++j) r(i, j) = form.columns(j, i);
  }
  return r;
}

}  // namespace

void multiply(DenseView a, bool a_transposed, DenseView b, bool b_transposed, Dense& out) {
  if (out.rows() == 0 || out.columns() == 0) return;
  const int64_t depth = a.extent(a_transposed ? 0 : 1);
  if (depth == 0) {
    std::fill(out.values().begin(), out.values().end(), 0.0);
    return;
  }
  on_one_thread([&] {
    cblas_dgemm(CblasRowMajor, a_transposed ? CblasTrans : CblasNoTrans, b_transposed ? CblasTrans : CblasNoTrans,
                extent(out.rows()), extent(out.columns()), extent(depth), 1.0, a.data(), extent(a.stride(0)), b.data(),
                extent(b.stride(0)), 0.0, out.data(), extent(out.columns()));
  });
}

std::vector<double> singular_values(DenseView a) {
  require_taken(a, "singular values");
  Dense matrix = copy_of(a);
  const blasint rows = extent(a.extent(1));
  const blasint columns = extent(a.extent(0));
  std::vector<double> values(static_cast<size_t>(std::min(rows, columns)));
  std::vector<blasint> integer_work(8 * values.size());
  const blasint one = 1;
  blasint info = 0;
  on_one_thread([&] {
    with_workspace<double>([&](double* work, blasint work_size) {
      dgesdd_("N", &rows, &columns, matrix.data(), &rows, values.data(), nullptr, &one, nullptr, &one, work, &work_size,
              integer_work.data(), &info, 1);
    });
  });
  check(info, "dgesdd");
  return values;
}

std::vector<double> symmetric_eigenvalues(DenseView a) { return symmetric(a, 'N').values; }
SymmetricVectors symmetric_vectors(DenseView a) { return symmetric(a, 'V'); }

HermitianEnds hermitian_ends(const ComplexDense& a, bool vectors) {
  HermitianEnds ends;
  on_one_thread([&] {
    const Tridiagonal form = tridiagonal(a);
    const std::vector<double> values = values_of(form);
    ends.smallest = values.front();
    ends.largest = values.back();
    if (vectors) {
      ends.smallest_vector = vector_of(form, 1);
      ends.largest_vector = vector_of(form, static_cast<blasint>(values.size()));
    }
  });
  return ends;
}

std::vector<Complex> eigenvalues(DenseView a) { return values_of(general(a, false)); }

ConditionedEigenvalues conditioned_eigenvalues(DenseView a) {
  const RawEigen raw = general(a, true);
  ConditionedEigenvalues result{values_of(raw), {}};
  for (int64_t i = 0; i < a.extent(0); ++i) {
    const std::vector<Complex> left = vector_at(raw.left, raw.imaginary, i);
    const std::vector<Complex> right = vector_at(raw.right, raw.imaginary, i);
    result.conditions.push_back(condition(length(left) * length(right), std::abs(inner(left, right))));
  }
  return result;
}

// right^T left y = lambda y makes left y an eigenvector of left right^T, and right z a left one where z^H belongs to
// the small matrix from the left; (right z)^H (left y) = lambda z^H y.
ConditionedEigenvalues conditioned_eigenvalues_of_factors(DenseView left, DenseView right) {
  const RawEigen raw = general(transposed_product(right, left), true);
  ConditionedEigenvalues result{values_of(raw), {}};
  for (int64_t i = 0; i < left.extent(1); ++i) {
    const std::vector<Complex> y = vector_at(raw.right, raw.imaginary, i);
    const std::vector<Complex> z = vector_at(raw.left, raw.imaginary, i);
    const double overlap = std::abs(result.values[static_cast<size_t>(i)]) * std::abs(inner(z, y));
    result.conditions.push_back(condition(length(times(right, z)) * length(times(left, y)), overlap));
  }
  return result;
}

Dense qr_triangle(DenseView a) { return triangle_of(reflected(a)); }

LeastSquares least_squares(DenseView a, DenseView b, double rounding) {
  require_taken(a, "least squares");
  require_taken(b, "least squares");
  const int64_t count = std::max(a.extent(0), a.extent(1));
  if (a.extent(0) != b.extent(0)) fail("least squares: {} rows against {}", a.extent(0), b.extent(0));
  Dense matrix = transposed(a);
  Dense sides(b.extent(1), count);  // LAPACK's columns: b, then the solution
  for (int64_t r = 0; r < b.extent(0); ++r) {
    for (int64_t c = 0; c < b.extent(1); ++c) sides(c, r) = b(r, c);
  }
  const blasint rows = extent(a.extent(0)), columns = extent(a.extent(1)), right = extent(b.extent(1));
  const blasint stride = extent(count);
  std::vector<blasint> order(static_cast<size_t>(columns));
  blasint rank = 0, info = 0;
  on_one_thread([&] {
    with_workspace<double>([&](double* work, blasint work_size) {
      dgelsy_(&rows, &columns, &right, matrix.data(), &rows, sides.data(), &stride, order.data(), &rounding, &rank,
              work, &work_size, &info);
    });
  });
  check(info, "dgelsy");
  LeastSquares result{Dense(a.extent(1), b.extent(1)), rank};
  for (int64_t r = 0; r < a.extent(1); ++r) {
    for (int64_t c = 0; c < b.extent(1); ++c) result.solution(r, c) = sides(c, r);
  }
  return result;
}

Cholesky::Cholesky(DenseView a) {
  require_taken_square(a, "a Cholesky factorisation");
  factor_ = copy_of(a);
  const blasint n = extent(a.extent(0));
  blasint info = 0;
  on_one_thread([&] { dpotrf_("U", &n, factor_.data(), &n, &info, 1); });
  if (info != 0) {
    fail("the matrix is not positive definite: the Cholesky factorisation stopped at row {} of {}", info - 1, n);
  }
}

void Cholesky::solve(std::vector<double>& right_side) const {
  if (static_cast<int64_t>(right_side.size()) != factor_.rows()) {
    fail("a right side of {} numbers does not fit {} equations", right_side.size(), factor_.rows());
  }
  const blasint n = extent(factor_.rows());
  const blasint one = 1;
  blasint info = 0;
  on_one_thread([&] { dpotrs_("U", &n, &one, factor_.data(), &n, right_side.data(), &n, &info, 1); });
  check(info, "dpotrs");
}

}  // namespace phasor
