/* lanes.h - SL_SIMD before a for statement: its iterations do not depend on each other. SL_UNROLL
 * before one inside it, of a known number of iterations, at most eight: none is left, as a loop
 * within keeps the outer one from becoming vectors.
 *
 * One vector at a time, as rows may be as short as two.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/perf/hydro.c
 */
#ifndef SL_SWEEP_LANES_H
#define SL_SWEEP_LANES_H

#ifdef __clang__
#define SL_SIMD   _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#define SL_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SL_SIMD   _Pragma("GCC ivdep")
#define SL_UNROLL _Pragma("GCC unroll 8")
#endif

#endif
