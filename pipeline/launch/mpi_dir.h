/* mpi_dir.h - a directory of its own, on this node, for what Open MPI keeps of one start.
 *
 * By default all runs of a user on a node share one such directory, which a run that begins makes
 * and one that ends removes: of two at the same moment, one finds that it exists already or is
 * gone, and does not start (Open MPI 4.1: 1 of about 100 starts, eight at a time).
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EIO; SL_EINPUT for a key with a slash
 * Owns    nothing
 * MPI     local; no MPI call is made here
 * Where   host
 * Refs    none
 * Tests   tests/unit/mpi_dir.c, tests/cli/mpi_dir.sh
 */
#ifndef SL_PIPELINE_LAUNCH_MPI_DIR_H
#define SL_PIPELINE_LAUNCH_MPI_DIR_H

#include "pipeline/launch/launch.h"

/* The variable by which Open MPI is told the directory; PRRTE of later versions needs none. */
#define SL_MPI_DIR_NAME "OMPI_MCA_orte_tmpdir_base"

/* Makes the directory of a start that is named by key (a claim's token), below that of the
 * variable, else below TMPDIR or /tmp, where mpirun starts ranks on this node alone (launch NULL:
 * so). Else path is "": what daemons make on other nodes nobody could remove; also where others
 * were chosen for this node or for the others. */
int sl_mpi_dir_make(char path[SL_PATH_MAX], const struct sl_launch *launch, const char *key);

/* Removes it, when all ranks are gone; nothing when there is none. */
void sl_mpi_dir_remove(const char *key);

#endif
