/* fn.h - the one switch between the compilers that read core/cell: what a cell function is, and
 * what a real number is.
 *
 * Headers of core/cell use what C11 and C++17 have in common and include nothing but each other and
 * math.h. Shapes none. Units none. Errors none. Owns nothing. MPI local. Where host and device.
 * Refs none. Tests all of them.
 */
#ifndef SL_CELL_FN_H
#define SL_CELL_FN_H

#include <math.h>

#ifdef __CUDACC__
#define SL_FN static __host__ __device__ __forceinline__
#else
#define SL_FN static inline __attribute__((always_inline, unused))
#endif

/* Precision is a build of the same source: the Makefile sets SL_REAL to float for the f32 programs.
 */
#ifndef SL_REAL
#define SL_REAL double
#endif
typedef SL_REAL sl_real;

#endif
