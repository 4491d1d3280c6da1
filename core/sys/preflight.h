/* preflight.h - what a program checks before it begins: that MPI joined all ranks that were
 * started, that each sees a GPU when GPUs were asked for and it needs one, that every node can
 * write where the run is.
 *
 * Whoever starts the ranks says in SLUICE_RANKS and SLUICE_GPUS (of a node) what they should find;
 * without SLUICE_RANKS nothing is checked, so that the programs can be used alone.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUNAVAIL: too few ranks in the world, no GPU; SL_EIO: a node that cannot write
 * Owns    nothing
 * MPI     collective over comm
 * Where   host; the working directory is that of the run
 * Refs    none
 * Tests   tests/unit/preflight.c, tests/slurm/launch.sh
 */
#ifndef SL_SYS_PREFLIGHT_H
#define SL_SYS_PREFLIGHT_H

#include <mpi.h>
#include <stdbool.h>

/* Rank 0 logs a line with the nodes, their ranks and what GPUs these see. needs_gpu: a rank that
 * sees none of those that were asked for is an error, else this is only logged. */
int sl_preflight(MPI_Comm comm, bool needs_gpu);

#endif
