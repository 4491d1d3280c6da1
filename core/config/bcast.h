/* bcast.h - gives every rank what rank 0 has read.
 *
 * Shapes  none
 * Units   none
 * Errors  what rank 0 met, on every rank, with its text; SL_EMEM
 * Owns    text received is the caller's to free
 * MPI     collective over comm
 * Where   host
 * Refs    none
 * Tests   tests/unit/bcast.c
 */
#ifndef SL_CONFIG_BCAST_H
#define SL_CONFIG_BCAST_H

#include <mpi.h>

struct sl_config;

/* Rank 0 reads a resolved run.yaml and its overrides (sl_config_read), every rank gets the values.
 * Arguments are read on rank 0 only. */
int sl_config_bcast(MPI_Comm comm, const char *path, char *const *overrides, int n,
                    struct sl_config *cfg);

/* Rank 0's n bytes *data and its code; elsewhere *data is made with malloc. */
int sl_bytes_bcast(MPI_Comm comm, int code, char **data, size_t *n);

#endif
