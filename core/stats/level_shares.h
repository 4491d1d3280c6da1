/* level_shares.h - which share of the volume and of the gas the leaves of each level hold, at each
 * snapshot.
 *
 * Shapes  row[snapshot]
 * Units   shares of the box and of its gas
 * Errors  SL_EINPUT for a damaged snapshot; SL_EIO, SL_EMEM, SL_EMPI
 * Owns    the rows, freed by release; the table is the caller's
 * MPI     add is collective, the same bits on any number of ranks; the rest is local
 * Where   host
 * Refs    none
 * Tests   tests/problem/numpy_profiles.sh
 */
#ifndef SL_STATS_LEVEL_SHARES_H
#define SL_STATS_LEVEL_SHARES_H

#include <mpi.h>

#include "core/io/snapshot.h"
#include "core/measure/table.h"
#include "core/sys/depth.h"

struct sl_level_shares {
    int n;
    struct sl_level_shares_row {
        double time; /* in time.unit, or the scale factor */
        double volume[SL_LEVELS], mass[SL_LEVELS];
    } * row; /* owned */
};

/* Takes in the leaves of a snapshot with gas. */
int sl_level_shares_add(MPI_Comm comm, const struct sl_snapshot *snapshot, double time,
                        struct sl_level_shares *s);
/* Adds the table `level_shares` of so many levels beside the root; nothing without rows. */
int sl_level_shares_table(const struct sl_level_shares *s, int levels, struct sl_tables *tables);
void sl_level_shares_release(struct sl_level_shares *s);

#endif
