/* first_state.h - whether a run can start from what its problem reads from a file, fields or
 * particles, found without running it: the solver's own start on the root grid refuses what the run
 * would refuse. Where that would take more memory than a quick look may, or the file is larger than
 * that, only names and shapes of what the file holds are looked at, as a rank without blocks does,
 * and of particles the headers. Likewise what is to be known of that start.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT, SL_EIO, SL_EMEM, SL_EMPI of the start
 * Owns    nothing
 * MPI     collective over comm
 * Where   host
 * Refs    none
 * Tests   tests/cli/array.sh, tests/law/gadget_start.sh, tests/cli/inputs.sh,
 *         tests/cli/gravity.sh
 */
#ifndef SL_RUN_FIRST_STATE_H
#define SL_RUN_FIRST_STATE_H

#include <mpi.h>

struct sl_config;

/* bytes: what the state may take. The problem has a `fill`. */
int sl_first_state_check(MPI_Comm comm, const struct sl_config *cfg, double bytes);

/* Calls each() on rank 0 with what sources (core/step/source.h) remark on the start, on the root
 * grid or, where that would take more than bytes, on one that is halved as often as needed;
 * SL_EUNAVAIL: none is small enough, or a file is larger than that. */
int sl_first_state_remark(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                          void (*each)(const char *text, void *user), void *user);

/* How the gas of a static box falls together by its own gravity (gravity.four_pi_g): of the densest
 * cell the free-fall time, of all the least Jeans length; in code units. */
struct sl_first_collapse {
    double density, time, jeans;
    double end;  /* of the run */
    double unit; /* time.unit */
};
/* Of the start, likewise. */
int sl_first_state_collapse(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                            struct sl_first_collapse *out);

#endif
