/* cores.h - how many cores this process may use.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local; no MPI call is made here
 * Where   host
 * Refs    none
 * Tests   tests/cli/verify.sh
 */
#ifndef SL_PIPELINE_LAUNCH_CORES_H
#define SL_PIPELINE_LAUNCH_CORES_H

/* By affinity and the limits of its control group; at least 1. */
int sl_cores(void);

#endif
