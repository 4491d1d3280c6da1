/* share.h - the same configuration on every rank, read once.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT, SL_EMEM, SL_EMPI: the same on all ranks, with the text of rank 0
 * Owns    nothing
 * MPI     collective over comm
 * Where   host
 * Refs    none
 * Tests   tests/unit/share.c
 */
#ifndef SL_SYS_SHARE_H
#define SL_SYS_SHARE_H

#include <mpi.h>

#include "core/sys/config.h"

/* Rank 0 reads the file and the overrides as sl_config_read does and sends the struct; one reader
 * spares the file system and rules out that ranks see different versions of a file. */
int sl_config_share(MPI_Comm comm, const char *path, char *const *overrides, int n,
                    struct sl_config *cfg);

#endif
