/* stats.c - time of spectra and structure functions on the processor and on devices, in the same
 * run.
 *
 * usage: mpirun -n R build/tests/perf/stats [CELLS [ROUNDS]]; prints one line per kind as JSON:
 * {"bench":"stats","kind":"velocity","ranks":R,"cells":N,"processor":..,"device":..,"upload":..}
 *
 * Seconds by the clock, on rank 0, the best of the rounds; the first on a device is not counted,
 * which loads libraries. upload: the part of the device's that it takes to bring the fields there,
 * measured alone.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/measure/device.h"
#include "core/measure/spectrum.h"
#include "core/measure/structure.h"
#include "core/sys/status.h"
#include "tests/perf/noise.h"

enum { DENSITY, VELOCITY, STRUCTURE, KINDS };
static const char *const kind_name[KINDS] = {"density", "velocity", "structure"};
static const int fields[KINDS] = {1, 3, 3};

struct bench {
    struct sl_slab slab;
    double *f[3];
    double *room[3];
    struct sl_stats_device *device;
};

static int once(struct bench *b, int kind)
{
    const double *const *f = (const double *const *)b->f;
    struct sl_shells shells;
    struct sl_structure structure;
    if (kind == STRUCTURE) {
        SL_TRY(sl_structure_make(&b->slab, SL_STRUCTURE_AXES, 3, f, &structure));
        sl_structure_release(&structure);
        return SL_OK;
    }
    SL_TRY(sl_spectrum_make(&b->slab, fields[kind], f, 1, b->room, &shells));
    sl_spectrum_release(&shells);
    return SL_OK;
}

/* Fields go to the device, and nothing is made of them. */
static int upload(struct bench *b, int kind)
{
    double *sums = calloc((size_t)b->slab.nz * SL_STRUCTURE_COLUMNS + 1, sizeof *sums);
    SL_CHECK(sums, SL_EMEM, "out of memory");
    int code = b->device->hold(b->device, &b->slab, fields[kind], (const double *const *)b->f);
    if (code == SL_OK) code = b->device->differences(b->device, 0, NULL, sums);
    free(sums);
    return code;
}

static int best(struct bench *b, int kind, int (*what)(struct bench *, int), int rounds,
                double *out)
{
    *out = HUGE_VAL;
    for (int i = 0; i < rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        SL_TRY(what(b, kind));
        MPI_Barrier(MPI_COMM_WORLD);
        *out = fmin(*out, MPI_Wtime() - start);
    }
    return SL_OK;
}

static int measure(struct bench *b, int kind, int rounds)
{
    double processor, device, up;
    b->slab.device = NULL;
    SL_TRY(best(b, kind, once, rounds, &processor));
    b->slab.device = b->device;
    SL_TRY(once(b, kind));
    SL_TRY(best(b, kind, once, rounds, &device));
    SL_TRY(best(b, kind, upload, rounds, &up));
    if (b->slab.rank > 0) return SL_OK;
    printf("{\"bench\":\"stats\",\"kind\":\"%s\",\"ranks\":%d,\"cells\":%d,\"processor\":%.3f,"
           "\"device\":%.3f,\"upload\":%.3f}\n",
           kind_name[kind], b->slab.size, b->slab.n[0], processor, device, up);
    return fflush(stdout) == 0 ? SL_OK : SL_FAIL(SL_EIO, "cannot write");
}

static int bench(int cells, int rounds)
{
    const int n[3] = {cells, cells, cells};
    const double length[3] = {1, 1, 1};
    struct bench b = {.device = NULL};
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &b.slab);
    if (sl_stats_cuda_open) SL_TRY(sl_stats_cuda_open(MPI_COMM_WORLD, &b.device));
    SL_CHECK(b.device, SL_EUNAVAIL, "there is no device");
    int code = noise_make(sl_slab_cells(&b.slab), b.f);
    if (code == SL_OK) code = noise_make(sl_slab_cells(&b.slab), b.room);
    for (int kind = 0; kind < KINDS && code == SL_OK; kind++)
        code = measure(&b, kind, rounds);
    b.device->close(b.device);
    for (int c = 0; c < 3; c++) {
        free(b.f[c]);
        free(b.room[c]);
    }
    return code;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int code = bench(argc > 1 ? (int)strtol(argv[1], NULL, 10) : 256,
                     argc > 2 ? (int)strtol(argv[2], NULL, 10) : 3);
    if (code != SL_OK) fprintf(stderr, "%s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
