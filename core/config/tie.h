/* tie.h - what ties members of a cosmological ensemble together, so that their scatter is not that
 * of the field: then there is no covariance.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    Klypin, Prada & Byun 2020 (covariances of fixed amplitudes are wrong)
 * Tests   tests/problem/numpy_matter.sh, tests/law/noise.sh
 */
#ifndef SL_CONFIG_TIE_H
#define SL_CONFIG_TIE_H

#include <stdbool.h>

/* X(name, what members do, nearest choice) */
#define SL_TIE_LIST(X)                                                                             \
    X(file, "begin from one file", "no ic.file and no ic.noise")                                   \
    X(fixed, "have fixed amplitudes", "ic.fixed: false")                                           \
    X(shared, "share their low modes", "ic.low_modes: 0")                                          \
    X(paired, "are pairs of opposite phases", "one member for each seed, without ic.paired")

#define SL_TIE_ENUM(name, does, nearest) SL_TIE_##name,
enum sl_tie { SL_TIE_none, SL_TIE_LIST(SL_TIE_ENUM) };
#undef SL_TIE_ENUM

/* Of members that begin from one file, have fixed amplitudes, share modes, or are pairs: the first
 * that holds. */
static inline enum sl_tie sl_tie_of(bool file, bool fixed, bool shared, bool paired)
{
    return file     ? SL_TIE_file
           : fixed  ? SL_TIE_fixed
           : shared ? SL_TIE_shared
           : paired ? SL_TIE_paired
                    : SL_TIE_none;
}

/* Why no covariance is made, for logs and reports; "" for SL_TIE_none. */
static inline const char *sl_tie_why(enum sl_tie tie)
{
#define SL_TIE_CASE(name, does, nearest)                                                           \
    if (tie == SL_TIE_##name)                                                                      \
        return "no covariance is made: members " does ", so that their scatter is not that of "    \
               "the field (Klypin, Prada & Byun 2020); nearest: " nearest;
    SL_TIE_LIST(SL_TIE_CASE)
#undef SL_TIE_CASE
    return "";
}

#endif
