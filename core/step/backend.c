/* backend.c - see backend.h. */
#include "core/step/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/step/source.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* ---- choosing -------------------------------------------------------------------------------- */

/* Why auto takes the processor; NULL: it takes a device. */
static const char *why_not(const struct sl_backend *device, int found, const struct sl_config *cfg)
{
    return !device      ? "this program was built without CUDA"
           : found == 0 ? "not every rank finds a device with a driver"
                        : sl_sources_no_device(cfg);
}

int sl_backend_choose(MPI_Comm comm, const struct sl_config *cfg, struct sl_step *work)
{
    const struct sl_backend *cuda = &sl_backend_cuda;
    int want = cfg->resources_backend, found = cuda ? cuda->found() : 0;
    int code = MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MIN, comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the devices of the ranks");
    SL_CHECK(want != SL_BACKEND_cuda || cuda, SL_EINPUT,
             "resources.backend is cuda, but this program was built without CUDA (make CUDA=yes "
             "builds it where nvcc is)");
    SL_CHECK(want != SL_BACKEND_cuda || found > 0, SL_EUNAVAIL,
             "resources.backend is cuda, but not every rank finds a device with a driver");
    SL_CHECK(want != SL_BACKEND_cuda || !sl_sources_no_device(cfg), SL_EUNAVAIL,
             "resources.backend is cuda, but %s", sl_sources_no_device(cfg));
    work->why = want == SL_BACKEND_auto ? why_not(cuda, found, cfg) : NULL;
    work->backend = want == SL_BACKEND_cpu || work->why ? &sl_backend_cpu : cuda;
    return SL_OK;
}

/* ---- what computes --------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
    const struct sl_backend_device *p = a, *q = b;
    return memcmp(p->id, q->id, sizeof p->id);
}

/* Number of different devices among those of the ranks; sorts them. */
static int count_devices(struct sl_backend_device *all, int n)
{
    int count = n > 0;
    qsort(all, (size_t)n, sizeof *all, by_id);
    for (int i = 1; i < n; i++)
        count += by_id(&all[i - 1], &all[i]) != 0;
    return count;
}

/* "2 ranks on 1 device, NVIDIA H200", with the name of rank 0's device. */
static void log_devices(const char *backend, struct sl_backend_device *all, int ranks)
{
    struct sl_backend_device first = all[0];
    int n = count_devices(all, ranks);
    sl_log(SL_LOG_NOTE, "computes on %s: %d rank%s on %d device%s, %s", backend, ranks,
           ranks == 1 ? "" : "s", n, n == 1 ? "" : "s", first.name);
}

static int report_devices(const struct sl_sim *sim)
{
    const struct sl_backend *on = sim->work->backend;
    MPI_Comm comm = sim->state.mesh->comm;
    int rank = sim->state.mesh->rank, ranks = sim->state.mesh->size,
        bytes = sizeof(struct sl_backend_device);
    struct sl_backend_device own = {.name = ""}, *all = NULL;
    int code = on->describe(sim, &own);
    if (rank == 0) all = calloc((size_t)ranks, sizeof *all);
    if (code == SL_OK && rank == 0 && !all)
        code = SL_FAIL(SL_EMEM, "no memory for %d ranks", ranks);
    code = sl_agree(comm, code);
    if (code == SL_OK &&
        MPI_Gather(&own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, comm) != MPI_SUCCESS)
        code = SL_FAIL(SL_EMPI, "cannot gather the devices of the ranks");
    if (code == SL_OK && rank == 0) log_devices(on->name, all, ranks);
    free(all);
    return code;
}

int sl_backend_log(const struct sl_sim *sim)
{
    const struct sl_step *w = sim->work;
    if (w->backend->describe) return report_devices(sim);
    if (sim->state.mesh->rank != 0) return SL_OK;
    sl_log(SL_LOG_NOTE, "computes on %s%s%s",
           w->backend == &sl_backend_cpu ? "the processor" : w->backend->name, w->why ? ": " : "",
           w->why ? w->why : "");
    return SL_OK;
}
