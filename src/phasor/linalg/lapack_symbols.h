#pragma once
// LAPACK's Fortran symbols, as OpenBLAS exports them: everything by address, and the length of every text argument by
// value at the end. (OpenBLAS' package has no lapacke.h.)
#include <cblas.h>

#include <complex>
#include <cstddef>

// NOLINTBEGIN(readability-identifier-naming): Fortran's names end in an underscore
extern "C" {
void dgesdd_(const char* job, const blasint* m, const blasint* n, double* a, const blasint* lda, double* s, double* u,
             const blasint* ldu, double* vt, const blasint* ldvt, double* work, const blasint* lwork, blasint* iwork,
             blasint* info, size_t job_length);
void dsyevd_(const char* job, const char* uplo, const blasint* n, double* a, const blasint* lda, double* w,
             double* work, const blasint* lwork, blasint* iwork, const blasint* liwork, blasint* info,
             size_t job_length, size_t uplo_length);
void dgeev_(const char* left_job, const char* right_job, const blasint* n, double* a, const blasint* lda, double* wr,
            double* wi, double* vl, const blasint* ldvl, double* vr, const blasint* ldvr, double* work,
            const blasint* lwork, blasint* info, size_t left_length, size_t right_length);
void zhetrd_(const char* uplo, const blasint* n, std::complex<double>* a, const blasint* lda, double* d, double* e,
             std::complex<double>* tau, std::complex<double>* work, const blasint* lwork, blasint* info,
             size_t uplo_length);
void zunmtr_(const char* side, const char* uplo, const char* trans, const blasint* m, const blasint* n,
             const std::complex<double>* a, const blasint* lda, const std::complex<double>* tau,
             std::complex<double>* c, const blasint* ldc, std::complex<double>* work, const blasint* lwork,
             blasint* info, size_t side_length, size_t uplo_length, size_t trans_length);
void dsterf_(const blasint* n, double* d, double* e, blasint* info);
void dstemr_(const char* job, const char* range, const blasint* n, double* d, double* e, const double* vl,
             const double* vu, const blasint* il, const blasint* iu, blasint* m, double* w, double* z,
             const blasint* ldz, const blasint* nzc, blasint* isuppz, blasint* tryrac, double* work,
             const blasint* lwork, blasint* iwork, const blasint* liwork, blasint* info, size_t job_length,
             size_t range_length);
void dgeqrf_(const blasint* m, const blasint* n, double* a, const blasint* lda, double* tau, double* work,
             const blasint* lwork, blasint* info);
void dgelsy_(const blasint* m, const blasint* n, const blasint* nrhs, double* a, const blasint* lda, double* b,
             const blasint* ldb, blasint* jpvt, const double* rcond, blasint* rank, double* work, const blasint* lwork,
             blasint* info);
void dpotrf_(const char* uplo, const blasint* n, double* a, const blasint* lda, blasint* info, size_t uplo_length);
void dpotrs_(const char* uplo, const blasint* n, const blasint* nrhs, const double* a, const blasint* lda, double* b,
             const blasint* ldb, blasint* info, size_t uplo_length);
}
// NOLINTEND(readability-identifier-naming)
