/* direct.c - ghost messages that MPI takes from and to memory of devices (gpu/cuda.c, route): the
 * processor's bits.
 *
 * The MPI of this program is made to reach into devices by its profiling interface: a stand-in,
 * where no library that does is at hand. It says so when asked, and its MPI_Isend, MPI_Irecv and
 * MPI_Waitall bring what lies on a device through the host. They do all that MPI lets them: what is
 * sent is read at once and again at the end, what is to be received is rubbish until then. What a
 * library does otherwise (streams, memory of other ranks) is not tried. Ranks share one device:
 * they have no NCCL.
 *
 * ranks: 2 4
 * emulated: 2
 */
#include <cuda_runtime_api.h>

#include "tests/gpu/same.h"

/* ---- an MPI that reaches into devices -------------------------------------------------------- */

/* A message on its way. It is known by where its handle lies: those that have left may share
 * one. */
struct staged {
    const MPI_Request *request; /* borrowed */
    void *device;               /* borrowed */
    char *host;                 /* owned; room for what is sent to be read twice */
    size_t size;
    int sends;
};

enum { MOST = 1024 };
static struct staged staged[MOST];
static int nstaged;

/* Messages from and to devices, and buffers that changed while they were sent. */
static struct seen {
    int64_t sent, received, changed;
} seen;

static void need(int good, const char *what)
{
    if (good) return;
    fprintf(stderr, "direct: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void need_cuda(cudaError_t code)
{
    need(code == cudaSuccess, cudaGetErrorString(code));
}

static int on_device(const void *at)
{
    struct cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, at) == cudaSuccess) return a.type == cudaMemoryTypeDevice;
    cudaGetLastError(); /* not for others to find */
    return 0;
}

/* Waits for no other stream, as a library would not, and has ended when it returns. */
static void copy(void *to, const void *from, size_t size, enum cudaMemcpyKind way)
{
    static cudaStream_t stream;
    if (!stream) need_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    need_cuda(cudaMemcpyAsync(to, from, size, way, stream));
    need_cuda(cudaStreamSynchronize(stream));
}

static struct staged *stage(const void *device, int count, MPI_Datatype type, int sends,
                            const MPI_Request *request)
{
    int size;
    MPI_Type_size(type, &size);
    need(nstaged < MOST, "too many messages");
    struct staged *s = &staged[nstaged++];
    *s = (struct staged){.device = (void *)(uintptr_t)device, .sends = sends, .request = request};
    s->size = (size_t)count * (size_t)size;
    s->host = malloc(2 * s->size + 1);
    need(s->host != NULL, "no memory");
    return s;
}

static void finish(void)
{
    const struct staged *s = &staged[nstaged - 1];
    if (s->sends) {
        copy(s->host + s->size, s->device, s->size, cudaMemcpyDeviceToHost);
        seen.changed += memcmp(s->host, s->host + s->size, s->size) != 0;
        seen.sent++;
    } else {
        copy(s->device, s->host, s->size, cudaMemcpyHostToDevice);
        seen.received++;
    }
    free(s->host);
    nstaged--;
}

int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
    return 1;
}

int MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (!on_device(from)) return PMPI_Isend(from, count, type, to, tag, comm, request);
    struct staged *s = stage(from, count, type, 1, request);
    copy(s->host, from, s->size, cudaMemcpyDeviceToHost);
    return PMPI_Isend(s->host, count, type, to, tag, comm, request);
}

int MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    if (!on_device(to)) return PMPI_Irecv(to, count, type, from, tag, comm, request);
    struct staged *s = stage(to, count, type, 0, request);
    memset(s->host, 0xff, s->size); /* no number */
    copy(to, s->host, s->size, cudaMemcpyHostToDevice);
    return PMPI_Irecv(s->host, count, type, from, tag, comm, request);
}

/* Messages from and to devices are waited for all at a time. */
int MPI_Waitall(int count, MPI_Request request[], MPI_Status status[])
{
    int ours = 0;
    for (int n = 0; n < nstaged; n++)
        ours += staged[n].request >= request && staged[n].request < request + count;
    need(ours == 0 || ours == nstaged, "some messages are waited for, others not");
    int code = PMPI_Waitall(count, request, status);
    for (; ours > 0; ours--)
        finish();
    return code;
}

/* For all ranks the first that this process is given. */
static void one_device(void)
{
    char first[128] = "0";
    const char *given = getenv("CUDA_VISIBLE_DEVICES");
    if (given) snprintf(first, sizeof first, "%.*s", (int)strcspn(given, ","), given);
    setenv("CUDA_VISIBLE_DEVICES", first, 1);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* The same bits, by messages between devices. */
static struct same_result direct(const char *cells, const char *fluid, fluid_state *state, int n)
{
    char recipe[256];
    snprintf(recipe, sizeof recipe, "mesh.cells: %s%s", cells, fluid);
    seen = (struct seen){0};
    struct same_result r = same(recipe, state, n);
    int64_t all[3] = {seen.sent, seen.received, seen.changed};
    MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] == 0 || all[0] != all[1])
        fail_msg("%lld messages from devices, %lld to devices:\n%s", (long long)all[0],
                 (long long)all[1], recipe);
    if (all[2] > 0)
        fail_msg("%lld of %lld messages changed while they were sent:\n%s", (long long)all[2],
                 (long long)all[0], recipe);
    return r;
}

static void schemes(void **unused)
{
    (void)unused;
    static const char *const cells[] = {"[64]\nmesh.block: [16]\n", "[32, 32]\nmesh.block: [8]\n",
                                        "[32, 32, 16]\nmesh.block: [16]\n",
                                        "[16, 16, 16]\nmesh.block: [8]\n"};
    static const char *const fluids[] = {"",
                                         "fluid.reconstruct: wenoz\nfluid.integrator: rk3\n",
                                         "fluid.integrator: vl2\nfluid.scalars: 2\n",
                                         "fluid.characteristic: true\n",
                                         "fluid.integrator: tvd\n",
                                         PLASMA,
                                         PLASMA "fluid.reconstruct: ppm\n",
                                         STAGGERED,
                                         STAGGERED "fluid.integrator: vl2\n"};
    for (int i = 0; i < 4 * 9; i++)
        direct(cells[i % 4], fluids[i / 4], waves, i % 4 < 2 ? 10 : 4);
    direct(cells[1], "fluid.integrator: ctu\n", waves, 10);
    direct(cells[1], "fluid.integrator: ctu\n" STAGGERED, waves, 10);
    direct(cells[2], "fluid.dual_energy: true\nfluid.scalars: 1\n", waves, 4);
}

static void boundaries(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "[32, 32]\nmesh.block: [16]\nmesh.boundary: fixed\n",
        "[32, 32]\nmesh.block: [8]\nmesh.boundary: [fixed, outflow]\n" STAGGERED,
        "[16, 16, 16]\nmesh.block: [8]\nmesh.boundary: [outflow, symmetric, fixed]\n" PLASMA,
        "[16, 16, 16]\nmesh.block: [8]\nmesh.boundary: [symmetric, periodic, outflow]\n" STAGGERED,
    };
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        direct(recipes[i], "", waves, 20);
}

/* Waves that meet walls along parts of the faces. */
static void walled(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    waves(data, lo, hi, t, prim);
    bool low = hi[1] <= 0 && lo[0] > 0.4, high = lo[0] >= 1 && lo[1] > 0.3;
    if (low || high) prim[0] = 0;
}

static void walls(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "[32, 32]\nmesh.block: [16]\nmesh.boundary: fixed\n",
        "[32, 32]\nmesh.block: [8]\nmesh.boundary: [fixed, fixed]\n" STAGGERED,
        "[16, 16, 16]\nmesh.block: [8]\nmesh.boundary: [fixed, fixed, symmetric]\n" PLASMA,
    };
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        direct(recipes[i], "", walled, 10);
}

/* Interior tiles are made while messages travel. */
static void overlaps(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "[64, 64]\nmesh.block: [16]\n",
        "[64, 64]\nmesh.block: [16]\nmesh.boundary: fixed\n",
        "[64, 64]\nmesh.block: [16]\n" PLASMA,
        "[64, 64]\nmesh.block: [16]\n" STAGGERED,
        "[64, 64, 32]\nmesh.block: [32]\n",
        "[64, 64, 32]\nmesh.block: [32]\nfluid.reconstruct: wenoz\nfluid.integrator: rk3\n",
    };
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        direct(recipes[i], "", waves, i < 4 ? 20 : 5);
}

/* Kernels that know their tiles load cells by pairs, which lie unevenly here. */
static void odd_rows(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "[34, 18, 18]\nmesh.block: [17, 9, 18]\nmesh.boundary: outflow\n",
        "[34, 18, 18]\nmesh.block: [17, 9, 18]\nfluid.eos: isothermal\n",
        "[34, 22, 18]\nmesh.block: [17, 11, 18]\n" PLASMA,
        "[38, 14, 18]\nmesh.block: [19, 7, 18]\n" STAGGERED,
        "[98, 20, 18]\nmesh.block: [49, 10, 18]\n" STAGGERED,
        "[66, 16, 18]\nmesh.block: [33, 16, 9]\nfluid.reconstruct: wenoz\n",
    };
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        direct(recipes[i], "", waves, 5);
}

/* Flags travel, too. */
static void repairs(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "[16, 16, 16]\nmesh.block: [8]\nfluid.theta: 2\n",
        "[16, 16, 16]\nmesh.block: [8]\nfluid.reconstruct: wenoz\nfluid.integrator: vl2\n",
        "[16, 16, 16]\nmesh.block: [8]\nfluid.theta: 2\n" PLASMA,
        "[16, 16, 16]\nmesh.block: [8]\nfluid.theta: 2\n" STAGGERED,
        "[16, 16]\nmesh.block: [8]\nfluid.integrator: ctu\nfluid.reconstruct: wenoz\n" STAGGERED,
    };
    for (int i = 0; i < 5; i++)
        assert_true(
            direct(recipes[i], "", i < 3 ? law_violent : law_violent_staggered, 12).repaired > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(schemes),  cmocka_unit_test(boundaries),
                                       cmocka_unit_test(walls),    cmocka_unit_test(overlaps),
                                       cmocka_unit_test(odd_rows), cmocka_unit_test(repairs)};
    one_device();
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
