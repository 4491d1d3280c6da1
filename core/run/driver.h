/* driver.h - a run from its start, or from its newest checkpoint, to its end: the time loop and all
 * files of the working directory.
 *
 * Where the state lives on a device, snapshots and checkpoints are written while the steps go on
 * (core/io/output.h), one at a time; a stop and the end of the run wait for them.
 *
 * With statistics.in_run what a snapshot would be read for is measured at once, and its tables lie
 * in its place (core/stats/in_run.h). A run that is told to stop before then writes its checkpoint
 * first, and the next attempt measures.
 *
 * history.tsv, snapshots/, checkpoints/, progress.json, written.tsv (sealed.h), verify.tsv when
 * `verify` is set, sample_*.csv when output.sample asks for them.
 *
 * Shapes  none
 * Units   code units; wall times in seconds
 * Errors  SL_EAGAIN: stopped by a signal or before the wall-time limit with a good checkpoint;
 *         SL_EMEM: likewise, as the mesh outgrows the memory (room.h);
 *         SL_EDIVERGED: bad cells that could not be repaired, or totals or a field that cannot be
 *         (guard.h), with a last snapshot; what its parts meet. A rank that fails without the
 *         others ends the job (sl_agree_work)
 * Owns    nothing
 * MPI     collective over comm
 * Where   host
 * Refs    none
 * Tests   tests/law/{restart,alone,in_run}.sh, tests/law/behind.c, tests/cli/sim.sh
 */
#ifndef SL_RUN_DRIVER_H
#define SL_RUN_DRIVER_H

#include <mpi.h>
#include <signal.h>
#include <stdint.h>

struct sl_config;

struct sl_driver {
    const struct sl_config *cfg;          /* borrowed */
    const volatile sig_atomic_t *stopped; /* borrowed; not 0: write a checkpoint and stop */
    double started;                       /* sl_wall() when the program began */
};

/* Where the run stood when it ended. */
struct sl_driver_end {
    int64_t step;
    double time;
    uint64_t hash;
};

/* Seconds on a clock that only goes forward. */
double sl_wall(void);

int sl_driver_run(MPI_Comm comm, const struct sl_driver *driver, struct sl_driver_end *end);

#endif
