/* curves.h - means, errors and covariances of the tables of several members.
 *
 * Shapes  none
 * Units   those of the members' tables
 * Errors  SL_EINPUT for tables that are missing, damaged or do not match; SL_EMEM
 * Owns    what is made goes to the caller's tables
 * MPI     local
 * Where   host
 * Refs    see ensemble.h and core/config/tie.h
 * Tests   tests/cli/stats.sh, tests/problem/numpy_matter.sh
 */
#ifndef SL_STATS_CURVES_H
#define SL_STATS_CURVES_H

#include <stdbool.h>

#include "core/measure/table.h"
#include "core/stats/stack.h"

struct sl_curves {
    struct sl_realisations of;
    struct sl_tables *tables;     /* borrowed; what is made is added */
    struct sl_summary *jackknife; /* borrowed; quantities that are no means over members */
    bool tied;   /* members are not drawn freely: fixed amplitudes, shared modes, pairs */
    int refused; /* covariances that were not made, as members are tied */
};

/* Adds the means and errors of stats/<file> of all members; for a spectrum also the covariance of
 * its totals, for a power of matter that of its power and its variance over the one of a Gaussian
 * field, for multipoles those of the first two; beside each covariance the standard error of its
 * elements and the correlation matrix; for decay.csv the exponent of the mean curve. Members that
 * are tied have no covariance, which is counted. */
int sl_curves_reduce(struct sl_curves *curves, const char *file);

#endif
