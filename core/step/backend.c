/* backend.c - see backend.h. */
#include "core/step/backend.h"

#include "core/sys/status.h"

/* What the gas does to itself no device computes; one that was asked for by name was refused with the recipe. */
static const struct sl_backend *without_device(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        sl_log(SL_LOG_NOTE,
               "resources.backend: auto is the processor here, where alone gas attracts itself");
    return &sl_backend_cpu;
}

int sl_backend_choose(MPI_Comm comm, const struct sl_config *cfg, const struct sl_backend **out)
{
    const struct sl_backend *cuda = &sl_backend_cuda;
    int want = cfg->resources_backend, found = cuda ? cuda->found() : 0;
    int code = MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MIN, comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the devices of the ranks");
    SL_CHECK(want != SL_BACKEND_cuda || cuda, SL_EINPUT,
             "resources.backend is cuda, but this program was built without CUDA (no nvcc)");
    SL_CHECK(want != SL_BACKEND_cuda || found > 0, SL_EUNAVAIL,
             "resources.backend is cuda, but not every rank finds a device with a driver");
    *out = want != SL_BACKEND_cpu && cuda && found > 0 ? cuda : &sl_backend_cpu;
    if (*out != &sl_backend_cpu && sl_config_self_gravity(cfg)) *out = without_device(comm);
    return SL_OK;
}
