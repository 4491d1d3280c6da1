/* first_state.h - whether a run can start from what its problem reads from a file, fields or
 * particles, found without running it: the solver's own start on the root grid refuses what the run
 * would refuse. Where that would take more memory than a quick look may, or the file is larger than
 * that, only names and shapes of what the file holds are looked at, as a rank without blocks does,
 * and of particles the headers.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT, SL_EIO, SL_EMEM, SL_EMPI of the start
 * Owns    nothing
 * MPI     collective over comm
 * Where   host
 * Refs    none
 * Tests   tests/cli/array.sh, tests/law/gadget_start.sh
 */
#ifndef SL_RUN_FIRST_STATE_H
#define SL_RUN_FIRST_STATE_H

#include <mpi.h>

struct sl_config;

/* bytes: what the state may take. The problem has a `fill`. */
int sl_first_state_check(MPI_Comm comm, const struct sl_config *cfg, double bytes);

#endif
