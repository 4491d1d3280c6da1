/* share.c - see share.h. */
#include "core/sys/share.h"

#include "core/sys/agree.h"
#include "core/sys/status.h"

int sl_config_share(MPI_Comm comm, const char *path, char *const *overrides, int n,
                    struct sl_config *cfg)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    struct sl_config work = {.seed = 0};
    int code = rank == 0 ? sl_config_read(path, overrides, n, &work) : SL_OK;
    SL_TRY(sl_agree(comm, code));
    code = MPI_Bcast(&work, (int)sizeof work, MPI_BYTE, 0, comm) == MPI_SUCCESS
               ? SL_OK
               : SL_FAIL(SL_EMPI, "cannot send the configuration");
    SL_TRY(sl_agree(comm, code));
    *cfg = work;
    return SL_OK;
}
