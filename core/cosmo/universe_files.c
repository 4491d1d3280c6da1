/* universe_files.c - see universe_files.h. */
#include "core/cosmo/universe_files.h"

#include <stdlib.h>

#include "core/config/bcast.h"
#include "core/config/config.h"
#include "core/cosmo/columns.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

static int share_file(MPI_Comm comm, const char *path, struct sl_named_bytes *out, char **owned)
{
    int rank, code = SL_OK;
    MPI_Comm_rank(comm, &rank);
    out->path = path;
    if (!path[0]) return SL_OK;
    if (rank == 0) code = sl_file_read(path, SL_COLUMNS_BYTES, owned, &out->size);
    SL_TRY(sl_bytes_bcast(comm, code, owned, &out->size));
    out->bytes = *owned;
    return SL_OK;
}

int sl_universe_files_read(MPI_Comm comm, const struct sl_config *cfg,
                           struct sl_universe_files *out)
{
    *out = (struct sl_universe_files){.owned = {NULL, NULL}};
    SL_TRY(share_file(comm, cfg->cosmology_file, &out->parameters, &out->owned[0]));
    return share_file(comm, cfg->ic_table, &out->table, &out->owned[1]);
}

void sl_universe_files_release(struct sl_universe_files *files)
{
    free(files->owned[0]);
    free(files->owned[1]);
    *files = (struct sl_universe_files){.owned = {NULL, NULL}};
}

int sl_universe_read(MPI_Comm comm, const struct sl_config *cfg, struct sl_universe *out)
{
    struct sl_named_bytes parameters = {.path = ""};
    char *owned = NULL;
    int code = share_file(comm, cfg->cosmology_file, &parameters, &owned);
    if (code == SL_OK) code = sl_universe_init(cfg, &parameters, out);
    free(owned);
    return sl_agree(comm, code);
}
