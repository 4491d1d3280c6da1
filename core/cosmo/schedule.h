/* schedule.h - where the steps of a run end whose number is given (time.steps): of equal length in
 * the growth D or in ln a, so that each snapshot ends one.
 *
 * Snapshots part the run; each part gets a step, and each further step goes to the part whose steps
 * are the longest. Without snapshots between start and end all steps are equal.
 *
 * Shapes  none
 * Units   scale factors of the box, a = 1 today
 * Errors  SL_EINPUT for a first step from D = 0 that ends before the start; SL_EMEM
 * Owns    its table
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/stepping.c
 */
#ifndef SL_COSMO_SCHEDULE_H
#define SL_COSMO_SCHEDULE_H

#include "core/config/config.h"
#include "core/cosmo/universe.h"

/* Scale factor of the n-th snapshot of a universe that expands, n >= 1; HUGE_VAL: there is none.
 * One that is at the end but for rounding is at the end. */
double sl_schedule_snapshot(const struct sl_config *cfg, const struct sl_universe *u, int64_t n);

struct sl_schedule {
    int64_t n;
    double *stop; /* owned; [n]: scale factors, rising, those of snapshots to the bit */
};

/* *out is NULL where steps are adaptive. */
int sl_schedule_new(const struct sl_config *cfg, const struct sl_universe *u,
                    struct sl_schedule **out);
void sl_schedule_free(struct sl_schedule *s);

/* The end of the step that begins at a; beyond the last one the last. */
double sl_schedule_next(const struct sl_schedule *s, double a);

#endif
