// xtensor-blas, whose BLAS and LAPACK are loaded when they are first called; for one source alone.
#pragma once

#ifdef PE_LINKED
#include <xtensor-blas/xlinalg.hpp>
#else

// The functions get names that are nobody else's, so that a program that links to a BLAS of its own
// keeps that. Vectors are not what it is called for, but without an optimizer that is not seen.
#define cblas_ddot pe_late_ddot
#define cblas_dgemv pe_late_dgemv
#define cblas_dgemm pe_late_dgemm
#define cblas_dsyrk pe_late_dsyrk
#define dgesdd_ pe_late_dgesdd
#define dsyevd_ pe_late_dsyevd
#include <xtensor-blas/xlinalg.hpp>
#undef cblas_ddot
#undef cblas_dgemv
#undef cblas_dgemm
#undef cblas_dsyrk
#undef dgesdd_
#undef dsyevd_

#include "pe/base/late.hpp"

namespace pe {

PE_LATE_LIBRARY(blas, "BLAS", PE_BLAS_FILE);
PE_LATE_LIBRARY(lapack, "LAPACK", PE_LAPACK_FILE);
constinit const Late<decltype(pe_late_ddot)> ddot(blas, "cblas_ddot");
constinit const Late<decltype(pe_late_dgemv)> dgemv(blas, "cblas_dgemv");
constinit const Late<decltype(pe_late_dgemm)> dgemm(blas, "cblas_dgemm");
constinit const Late<decltype(pe_late_dsyrk)> dsyrk(blas, "cblas_dsyrk");
constinit const Late<decltype(cxxlapack::pe_late_dgesdd)> dgesdd(lapack, "dgesdd_");
constinit const Late<decltype(cxxlapack::pe_late_dsyevd)> dsyevd(lapack, "dsyevd_");

}  // namespace pe

extern "C" {

inline double pe_late_ddot(int n, const double* x, int x_step, const double* y, int y_step) {
  return pe::ddot(n, x, x_step, y, y_step);
}

inline void pe_late_dgemv(CBLAS_ORDER order, CBLAS_TRANSPOSE a_is, int m, int n, double alpha,
                          const double* a, int a_step, const double* x, int x_step, double beta,
                          double* y, int y_step) {
  pe::dgemv(order, a_is, m, n, alpha, a, a_step, x, x_step, beta, y, y_step);
}

inline void pe_late_dgemm(CBLAS_ORDER order, CBLAS_TRANSPOSE a_is, CBLAS_TRANSPOSE b_is, int m,
                          int n, int k, double alpha, const double* a, int a_step, const double* b,
                          int b_step, double beta, double* c, int c_step) {
  pe::dgemm(order, a_is, b_is, m, n, k, alpha, a, a_step, b, b_step, beta, c, c_step);
}

inline void pe_late_dsyrk(CBLAS_ORDER order, CBLAS_UPLO part, CBLAS_TRANSPOSE a_is, int n, int k,
                          double alpha, const double* a, int a_step, double beta, double* c,
                          int c_step) {
  pe::dsyrk(order, part, a_is, n, k, alpha, a, a_step, beta, c, c_step);
}

namespace cxxlapack {

inline void pe_late_dgesdd(const char* job, const int* m, const int* n, double* a,
                           const int* a_step, double* s, double* u, const int* u_step, double* vt,
                           const int* vt_step, double* work, const int* work_size,
                           int* integer_work, int* info) {
  pe::dgesdd(job, m, n, a, a_step, s, u, u_step, vt, vt_step, work, work_size, integer_work, info);
}

inline void pe_late_dsyevd(const char* job, const char* part, const int* n, double* a,
                           const int* a_step, double* w, double* work, const int* work_size,
                           int* integer_work, const int* integer_size, int* info) {
  pe::dsyevd(job, part, n, a, a_step, w, work, work_size, integer_work, integer_size, info);
}

}  // namespace cxxlapack

}  // extern "C"
#endif
