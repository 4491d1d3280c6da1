/* member.h - the statistics of one run: reads history.tsv and snapshots/, or with statistics.in_run
 * what the run has measured in their place (run_tables.h); writes stats/x.csv and stats.h5 in the
 * working directory.
 *
 * Everything is computed before anything is written; stats/summary.csv comes last, so a directory
 * that has it has all.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EINPUT for a missing or damaged history or snapshot; SL_EIO, SL_EMEM, SL_EGUARD
 * Owns    nothing
 * MPI     collective; the numbers do not depend on the number of ranks
 * Where   host
 * Refs    none
 * Tests   tests/cli/stats.sh, tests/law/in_run.sh
 */
#ifndef SL_STATS_MEMBER_H
#define SL_STATS_MEMBER_H

#include <mpi.h>

struct sl_config;

int sl_member_stats(MPI_Comm comm, const struct sl_config *cfg);

#endif
