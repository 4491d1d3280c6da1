/* spectrum.c - time of power spectra, beside FFTW's own transform of as many cells in the same run.
 *
 * usage: mpirun -n R build/tests/perf/spectrum [CELLS [SECONDS]]; prints one line per kind as JSON:
 * {"bench":"spectrum","kind":"density","ranks":R,"cells":N,"seconds":..,"transforms":T,"ratio":..,"bytes_per_cell":..}
 *
 * Seconds are of the processor, on rank 0. ratio is the time over that of the `transforms` which the kind needs: real to
 * complex of N^3 cells, planned as ours are, on every rank at once, over the number of ranks. Memory for modes stays from one
 * spectrum to the next, as in sluice-stats, and is in use in all rounds but the first, as the array of FFTW's transform is.
 * bytes_per_cell is what was allocated at most beside the fields, on rank 0, over its share of the cells.
 */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/stats/spectrum.h"
#include "core/sys/status.h"

enum { FFT, DENSITY, VELOCITY, CROSS, CORRELATION, KINDS };
static const char *const kind_name[KINDS] = {"fft", "density", "velocity", "cross", "correlation"};
static const int transforms[KINDS] = {1, 1, 3, 2, 2};

struct bench {
    struct sl_slab slab;
    double *f[3], *lags;
    struct sl_spectrum_room
        room; /* which sluice-stats keeps as well from one spectrum of fields to the next */
    double best[KINDS], bytes[KINDS];
    fftw_plan plan; /* of a whole grid, for each rank */
    double *grid;
};

static double most_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* Of this rank: on a machine that others use, wall time tells of them. */
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int once(struct bench *b, int what)
{
    const struct sl_windowed x = {b->f[0], 2, false}, y = {b->f[1], 0, false};
    struct sl_shells s;
    if (what == FFT) {
        fftw_execute(b->plan);
        return SL_OK;
    }
    if (what == CROSS)
        SL_TRY(sl_spectrum_pair(&b->slab, &x, &y, NULL, &b->room, &s));
    else if (what == CORRELATION)
        SL_TRY(sl_spectrum_pair(&b->slab, &x, &x, b->lags, &b->room, &s));
    else
        SL_TRY(sl_spectrum_make(&b->slab, what == VELOCITY ? 3 : 1, (const double *const *)b->f, 1,
                                &b->room, &s));
    sl_spectrum_release(&s);
    return SL_OK;
}

/* All in turn, so that they see the same machine; the best of all rounds counts. */
static int measure(struct bench *b, double seconds)
{
    int go = 1;
    for (double start = MPI_Wtime(); go;) {
        for (int what = 0; what < KINDS; what++) {
            double before = most_bytes();
            MPI_Barrier(MPI_COMM_WORLD);
            double t0 = cpu_seconds();
            SL_TRY(once(b, what));
            MPI_Barrier(MPI_COMM_WORLD);
            double t = cpu_seconds() - t0, more = most_bytes() - before;
            if (b->best[what] == 0 || t < b->best[what]) b->best[what] = t;
            if (more > b->bytes[what]) b->bytes[what] = more;
        }
        go = MPI_Wtime() - start < seconds;
        MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return SL_OK;
}

static void report(const struct bench *b)
{
    double fft = b->best[FFT] / b->slab.size, bytes = 0;
    for (int what = 0; what < KINDS; what++) {
        bytes = what == FFT ? 0 : bytes + b->bytes[what];
        printf("{\"bench\":\"spectrum\",\"kind\":\"%s\",\"ranks\":%d,\"cells\":%d,\"seconds\":%.3f,"
               "\"transforms\":%d,\"ratio\":%.2f,\"bytes_per_cell\":%.1f}\n",
               kind_name[what], b->slab.size, b->slab.n[0], b->best[what], transforms[what],
               b->best[what] / (fft * transforms[what]), bytes / (double)sl_slab_cells(&b->slab));
    }
}

static int bench(int cells, double seconds)
{
    const int n[3] = {cells, cells, cells};
    const double length[3] = {1, 1, 1};
    struct bench b = {.lags = NULL};
    sl_slab_init(MPI_COMM_WORLD, 3, n, length, &b.slab);
    size_t own = sl_slab_cells(&b.slab), row = 2 * ((size_t)cells / 2 + 1);
    b.lags = calloc(own, sizeof *b.lags);
    b.grid = fftw_alloc_real((size_t)cells * (size_t)cells * row);
    for (int c = 0; c < 3; c++)
        b.f[c] = malloc(own * sizeof(double));
    SL_CHECK(b.lags && b.grid && b.f[0] && b.f[1] && b.f[2], SL_EMEM, "out of memory");
    b.plan =
        fftw_plan_dft_r2c_3d(cells, cells, cells, b.grid, (fftw_complex *)b.grid, FFTW_ESTIMATE);
    memset(b.grid, 0, (size_t)cells * (size_t)cells * row * sizeof(double));
    for (size_t i = 0; i < own; i++)
        for (int c = 0; c < 3; c++)
            b.f[c][i] = (double)((i * 2654435761u + (size_t)c * 40503u) % 1000) - 500;
    int code = measure(&b, seconds);
    if (code == SL_OK && b.slab.rank == 0) report(&b);
    fftw_destroy_plan(b.plan);
    fftw_free(b.grid);
    sl_spectrum_room_release(&b.room);
    free(b.lags);
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
