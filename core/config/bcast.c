/* bcast.c - see bcast.h. */
#include "core/config/bcast.h"

#include <stdlib.h>

#include "core/config/config.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* Counts of MPI are ints: longer messages go in pieces. */
static void broadcast(MPI_Comm comm, char *data, size_t n)
{
    const size_t most = (size_t)1 << 30;
    for (size_t at = 0; at < n; at += most)
        MPI_Bcast(data + at, (int)(n - at < most ? n - at : most), MPI_BYTE, 0, comm);
}

int sl_config_bcast(MPI_Comm comm, const char *path, char *const *overrides, int n,
                    struct sl_config *cfg)
{
    int rank, code = SL_OK;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) code = sl_config_read(path, overrides, n, cfg);
    SL_TRY(sl_agree(comm, code));
    broadcast(comm, (char *)cfg, sizeof *cfg);
    return SL_OK;
}

int sl_bytes_bcast(MPI_Comm comm, int code, char **data, size_t *n)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    SL_TRY(sl_agree(comm, code));
    unsigned long long size = rank == 0 ? *n : 0;
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, comm);
    char *p = rank == 0 ? *data : malloc(size + 1);
    if (!p) code = SL_FAIL(SL_EMEM, "no memory for %llu bytes from rank 0", size);
    code = sl_agree(comm, code);
    if (code != SL_OK) {
        if (rank != 0) free(p);
        return sl_trace(__FILE__, __LINE__, code);
    }
    broadcast(comm, p, size);
    if (rank != 0) p[size] = '\0';
    *data = p;
    *n = size;
    return SL_OK;
}
