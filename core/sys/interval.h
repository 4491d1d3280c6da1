/* interval.h - how long to compute between two checkpoints: short enough that a failure costs
 * little, long enough that writing does.
 *
 * Shapes  none
 * Units   seconds of wall time
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Daly 2006 (FGCS 22, 303), eq. 37; Young 1974
 * Tests   tests/unit/interval.c
 */
#ifndef SL_SYS_INTERVAL_H
#define SL_SYS_INTERVAL_H

/* Of output.checkpoint: the interval is found by the run itself. */
#define SL_INTERVAL_AUTO (-1.0)

/* The interval of least waste, for the time that a write takes and the mean time between
 * failures. */
double sl_interval_daly(double write, double mtbf);

/* The same, at most an hour and at most a quarter of the wall-time limit; write < 0: not measured
 * yet, then soon, because the first checkpoint is the measurement. */
double sl_interval_auto(double write, double mtbf, double walltime);

/* What to expect after `failures` failures in `seconds` of running, when `prior` seconds between
 * them were expected before; little is seen at first, so that soon the campaign's own count. */
double sl_interval_mtbf(double prior, int failures, double seconds);

#endif
