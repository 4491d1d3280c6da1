/* lanes.h - SL_SIMD before a for statement: its iterations do not depend on each other.
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
#ifndef SL_STEP_LANES_H
#define SL_STEP_LANES_H

#ifdef __clang__
#define SL_SIMD _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#else
#define SL_SIMD _Pragma("GCC ivdep")
#endif

#endif
