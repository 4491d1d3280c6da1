/* spectrum.c - time of power spectra, beside FFTW's own transforms of as many cells in the same
 * run.
 *
 * usage: mpirun -n R build/tests/perf/spectrum [CELLS [SECONDS]]; prints two lines per kind as
 * JSON:
 * {"bench":"spectrum","kind":"density","fields":"lent","ranks":R,"cells":N,"seconds":..,
 *  "transforms":..,"ratio":..,"bytes_per_cell":..}
 *
 * Seconds are of the processor, on rank 0, the best of two rounds or more; transforms: the seconds
 * of those which the kind needs, by FFTW, real to complex of N^3 cells, with the plan that it
 * measures to be the fastest, on every rank at once, over the number of ranks; ratio: of both. They
 * take turns at being first. What has to be transformed lies in memory that is in use. fields tells
 * where modes go, ours as well as FFTW's:
 *   lent   in place of the fields; no memory is new to either.
 *   kept   to memory that is new to the process, which the system clears in that time: as much for
 *          FFTW's transforms out of place, whose modes are all there at the end. The host of a
 *          virtual machine has found that memory just before, for another use of it. Lags of
 *          correlations go where the modes were, with a transform in place.
 * bytes_per_cell is what was in use at most beside the fields, on rank 0, over its share of the
 * cells.
 */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "core/measure/spectrum.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "tests/perf/noise.h"

enum { DENSITY, VELOCITY, CROSS, CORRELATION, KINDS };
enum { LENT, KEPT, WAYS };
enum { FFTW, OURS, WHOSE };
static const char *const kind_name[KINDS] = {"density", "velocity", "cross", "correlation"};
static const char *const way_name[WAYS] = {"lent", "kept"};
static const int transforms[KINDS] = {1, 3, 2, 2}, fields[KINDS] = {1, 3, 2, 1};

struct bench {
    struct sl_slab slab;
    double *f[3];
    double best[KINDS][WAYS][WHOSE], bytes[KINDS][WAYS];
    fftw_plan plan[WAYS]; /* of a whole grid, for each rank */
    size_t grid_bytes;
    double *grid; /* with room for the modes */
};

/* What was in use at most since it was forgotten. */
static double most_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void forget_most(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file) return;
    fputs("5", file);
    fclose(file);
}

/* Of this rank: on a machine that others use, wall time tells of them. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* As many into the new memory as there are fields, the others in place. */
static int transform(const struct bench *b, int kind, double *const new[])
{
    for (int i = 0; i < transforms[kind]; i++) {
        bool out = new &&i < fields[kind];
        fftw_execute_dft_r2c(b->plan[out ? KEPT : LENT], b->grid,
                             (fftw_complex *)(out ? new[i] : b->grid));
    }
    return SL_OK;
}

static int measure_kind(const struct bench *b, int kind, double *const room[])
{
    const struct sl_windowed x = {b->f[0], 2, false}, y = {b->f[1], 0, false};
    struct sl_shells s;
    if (kind == CROSS)
        SL_TRY(sl_spectrum_pair(&b->slab, &x, &y, NULL, room, &s));
    else if (kind == CORRELATION)
        SL_TRY(sl_spectrum_pair(&b->slab, &x, &x, room[0], room, &s));
    else
        SL_TRY(sl_spectrum_make(&b->slab, fields[kind], (const double *const *)b->f, 1, room, &s));
    sl_spectrum_release(&s);
    return SL_OK;
}

static void free_new(double *new[3])
{
    for (int c = 0; c < 3; c++)
        free(new[c]);
}

/* Memory for the modes of a kind that are kept apart from its fields, taken into use at once where
 * the system knows how. */
static int make_new(const struct bench *b, int kind, double *new[3])
{
    bool have = true;
    for (int c = 0; c < fields[kind]; c++) {
        have &= !!(new[c] = sl_alloc_large(b->grid_bytes));
        if (new[c]) madvise(new[c], b->grid_bytes, MADV_POPULATE_WRITE);
    }
    if (have) return SL_OK;
    free_new(new);
    return SL_FAIL(SL_EMEM, "out of memory");
}

static int once(const struct bench *b, int kind, int way, int whose)
{
    double *new[3] = {NULL};
    if (way == KEPT) SL_TRY(make_new(b, kind, new));
    int code = whose == FFTW ? transform(b, kind, way == KEPT ? new : NULL)
                             : measure_kind(b, kind, way == KEPT ? new : b->f);
    free_new(new);
    return code;
}

static int take_time(struct bench *b, int kind, int way, int whose)
{
    double *best = &b->best[kind][way][whose], *bytes = &b->bytes[kind][way], *new[3] = {NULL};
    if (way == KEPT) SL_TRY(make_new(b, kind, new)); /* the host finds it now, if it is slow to */
    free_new(new);
    forget_most();
    double before = most_bytes();
    MPI_Barrier(MPI_COMM_WORLD);
    double t0 = cpu_seconds();
    SL_TRY(once(b, kind, way, whose));
    MPI_Barrier(MPI_COMM_WORLD);
    double t = cpu_seconds() - t0, more = most_bytes() - before;
    if (*best == 0 || t < *best) *best = t;
    if (whose == FFTW) return SL_OK;
    if (more > *bytes) *bytes = more;
    if (way == LENT) noise_fill(sl_slab_cells(&b->slab), b->f);
    return SL_OK;
}

/* All in turn, so that they see the same machine. */
static int measure(struct bench *b, double seconds)
{
    int go = 1;
    double start = MPI_Wtime();
    for (int round = 0; go; round++) {
        for (int what = 0; what < KINDS * WAYS * WHOSE; what++)
            SL_TRY(take_time(b, what / WHOSE / WAYS, what / WHOSE % WAYS, (what + round) % WHOSE));
        go = round == 0 || MPI_Wtime() - start < seconds;
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return SL_OK;
}

static void report(const struct bench *b)
{
    for (int what = 0; what < KINDS * WAYS; what++) {
        int kind = what / WAYS, way = what % WAYS;
        double ours = b->best[kind][way][OURS], theirs = b->best[kind][way][FFTW] / b->slab.size;
        printf(
            "{\"bench\":\"spectrum\",\"kind\":\"%s\",\"fields\":\"%s\",\"ranks\":%d,\"cells\":%d,"
            "\"seconds\":%.3f,\"transforms\":%.3f,\"ratio\":%.2f,\"bytes_per_cell\":%.1f}\n",
            kind_name[kind], way_name[way], b->slab.size, b->slab.n[0], ours, theirs, ours / theirs,
            b->bytes[kind][way] / (double)sl_slab_cells(&b->slab));
    }
}

/* The plans that FFTW finds the fastest; it fills memory for that. */
static int make_plans(struct bench *b, int n)
{
    unsigned how = FFTW_MEASURE;
    double *out = sl_alloc_large(b->grid_bytes);
    SL_CHECK(out && b->grid, SL_EMEM, "out of memory");
    b->plan[LENT] = fftw_plan_dft_r2c_3d(n, n, n, b->grid, (fftw_complex *)b->grid, how);
    b->plan[KEPT] = fftw_plan_dft_r2c_3d(n, n, n, b->grid, (fftw_complex *)out, how);
    free(out);
    memset(b->grid, 0, b->grid_bytes);
    SL_CHECK(b->plan[LENT] && b->plan[KEPT], SL_EMEM, "FFTW cannot plan %d^3", n);
    return SL_OK;
}

static int bench(int cells, double seconds)
{
    const int n[3] = {cells, cells, cells};
    const double length[3] = {1, 1, 1};
    struct bench b = {.grid = NULL};
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &b.slab);
    size_t row = 2 * ((size_t)cells / 2 + 1);
    b.grid_bytes = (size_t)cells * (size_t)cells * row * sizeof(double);
    b.grid = sl_alloc_large(b.grid_bytes);
    int code = make_plans(&b, cells);
    if (code == SL_OK) code = noise_make(sl_slab_cells(&b.slab), b.f);
    if (code == SL_OK) code = measure(&b, seconds);
    if (code == SL_OK && b.slab.rank == 0) report(&b);
    for (int way = 0; way < WAYS; way++)
        if (b.plan[way]) fftw_destroy_plan(b.plan[way]);
    free(b.grid);
    for (int c = 0; c < 3; c++)
        free(b.f[c]);
    return code;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int code = bench(argc > 1 ? (int)strtol(argv[1], NULL, 10) : 256,
                     argc > 2 ? strtod(argv[2], NULL) : 5);
    if (code != SL_OK) fprintf(stderr, "%s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
