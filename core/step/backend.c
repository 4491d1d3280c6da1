/* backend.c - see backend.h. */
#include "core/step/backend.h"

#include "core/sys/status.h"

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
    return SL_OK;
}
