/* curves.h - means, errors and covariances of the tables of several members.
 *
 * Tables are matched by their first column; curves against time (decay, energies, expansion,
 * growth, levels, level_shares) are interpolated to the times of the first member as far as all
 * members reach.
 *
 * Shapes  none
 * Units   those of the members' tables
 * Errors  SL_EINPUT for tables that are missing, damaged or do not match; SL_EMEM
 * Owns    what is made goes to the caller's tables
 * MPI     local
 * Where   host
 * Refs    see ensemble.h; Klypin, Prada & Byun 2020 (covariances of fixed amplitudes are wrong)
 * Tests   tests/cli/stats.sh, tests/problem/numpy_matter.sh
 */
#ifndef SL_STATS_CURVES_H
#define SL_STATS_CURVES_H

#include <stdbool.h>

#include "core/measure/table.h"

struct sl_curves {
    int n;
    char *const *member;      /* borrowed; their directories */
    const int *unit;          /* borrowed, [n]: 0 .. units - 1, those of one are averaged first */
    int units;                /* realisations: n, or fewer where members are pairs */
    struct sl_tables *tables; /* borrowed; what is made is added */
    struct sl_summary *jackknife; /* borrowed; quantities that are no means over members */
    bool tied;                    /* members are not drawn freely: fixed amplitudes, shared modes */
};

/* Adds the means and errors of stats/<file> of all members; for a spectrum also the covariance of
 * its totals, for a power of matter that of its power and its variance over the one of a Gaussian
 * field; for decay.csv the exponent of the mean curve. Of members that are tied the covariance says
 * that it is none of the field, and has no Hartlap factor. */
int sl_curves_reduce(const struct sl_curves *curves, const char *file);

#endif
