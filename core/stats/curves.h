/* curves.h - means, errors and covariances of the tables of several members.
 *
 * Tables are matched by their first column; decay curves are interpolated to the times of the first
 * member as far as all members reach.
 *
 * Shapes  none
 * Units   those of the members' tables
 * Errors  SL_EINPUT for tables that are missing, damaged or do not match; SL_EMEM
 * Owns    what is made goes to the caller's tables
 * MPI     local
 * Where   host
 * Refs    see ensemble.h
 * Tests   tests/cli/stats.sh
 */
#ifndef SL_STATS_CURVES_H
#define SL_STATS_CURVES_H

#include "core/stats/table.h"

struct sl_curves {
    int n;
    char *const *member;          /* borrowed; their directories */
    struct sl_tables *tables;     /* borrowed; what is made is added */
    struct sl_summary *jackknife; /* borrowed; quantities that are no means over members */
};

/* Adds the means and errors of stats/<file> of all members, for a spectrum also the covariance of
 * its totals, for decay.csv the exponent of the mean curve. */
int sl_curves_reduce(const struct sl_curves *curves, const char *file);

#endif
