/* device.c - see device.h. */
#include "core/measure/device.h"

#include "core/config/config.h"
#include "core/sys/status.h"

int sl_stats_device_choose(MPI_Comm comm, const struct sl_config *cfg, struct sl_stats_device **out)
{
    int rank;
    *out = NULL;
    if (!sl_config_stats_on_device(cfg)) return SL_OK;
    int code = sl_stats_cuda_open ? sl_stats_cuda_open(comm, out) : SL_OK;
    MPI_Comm_rank(comm, &rank);
    if (code != SL_OK) {
        if (code == SL_EUNAVAIL && rank == 0)
            sl_log(SL_LOG_NOTE, "stats: on the processor: %s", sl_error_text());
        return code == SL_EUNAVAIL ? SL_OK : code;
    }
    if (!*out && rank == 0 && cfg->resources_backend == SL_BACKEND_cuda)
        sl_log(SL_LOG_NOTE, "stats: resources.backend is cuda, but %s: on the processor",
               sl_stats_cuda_open ? "not every rank finds a device with a driver"
                                  : "this program was built without CUDA (make CUDA=yes)");
    return SL_OK;
}

int sl_stats_device_failed(struct sl_stats_device *d, int rank, int code, const char *what)
{
    if (code != SL_EMEM && code != SL_EUNAVAIL) return 0;
    if (rank == 0 && !d->warned)
        sl_log(d->tight ? SL_LOG_WARN : SL_LOG_NOTE, "stats: %s on the processor: %s%s", what,
               sl_error_text(),
               d->tight ? ", which may take more memory of the host than there is "
                          "(resources.memory, or that of the nodes)"
                        : "");
    d->warned = 1;
    return 1;
}
