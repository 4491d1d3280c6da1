/* progress.h - what a running sluice-sim says of itself in progress.json.
 *
 * Shapes  none
 * Units   seconds; time and end in code units, shown divided by unit_value
 * Errors  sl_progress_read: SL_EIO, SL_EINPUT for a file that is no progress
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_PROGRESS_H
#define SL_PIPELINE_CAMPAIGN_PROGRESS_H

#include "pipeline/base/disk.h"

struct sl_progress {
    long long step, checkpoint_step; /* -1: none */
    long long repaired, floored;
    double time, end, unit_value, dt;
    double fraction;                  /* that is done, 0 .. 1 */
    double redshift, redshift_end;    /* now and at the end; -1: nothing expands, or not known */
    double scale_factor;              /* 0: likewise */
    double cells, rate;               /* cell updates per second; 0: there is no gas */
    double particles, particle_steps; /* steps of a particle per second; 0: there are none */
    double gravity;                   /* its share of the time of steps; -1: there is none */
    double elapsed, eta;
    double every, write; /* seconds between checkpoints, and that one takes; 0 unknown */
    double age;          /* seconds since it was written */
    char unit[24], state[24], backend[8]; /* backend: what computes */
};

int sl_progress_read(const char *home, struct sl_progress *progress);
/* Share of the run that is done, 0 .. 1. */
double sl_progress_fraction(const struct sl_progress *progress);

#endif
