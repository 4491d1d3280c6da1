/* sedov.c - seconds of a step of the blast that Wang, Abel & Kaehler 2010 measure (figures 5, 8 and
 * 11; their sections 6.2, 7.3 and 8): a core of a processor beside a device, without and with a
 * magnetic field, and several devices.
 *
 *   sedov core|device none|glm CELLS    one case on CELLS^3; one line of name=value pairs
 *   sedov --cases what `sluice bench` runs: both precisions; on a device where there is one, on 2,
 *   4 ... where
 *                                       there are so many; before them the day and the device,
 *                                       which times.txt of the example keeps
 *
 * The fastest of a few stretches of steps counts. ranks: any
 */
#include <math.h>
#include <time.h>

#include "core/run/start.h"
#include "tests/fluid.h"
#include "tests/perf/device.h"

static const int sizes[] = {32, 64, 128, 200, 256};
static const char *const fields[] = {"none", "glm"};
static const char *const places[] = {"core", "device"};
enum { SIZES = 5, SHARED = 128 }; /* SHARED: what several devices share */

static int list(void)
{
    if (sizeof(sl_real) != sizeof(double)) return 0; /* the other program tells */
    device_print_remark();
    for (int place = 0; place < 1 + (device_count() > 0); place++)
        for (int i = 0; i < 2 * SIZES; i++)
            for (int single = 0; single < 2; single++)
                printf("1 sedov%s %s %s %d\n", single ? "-f32" : "", places[place],
                       fields[i / SIZES], sizes[i % SIZES]);
    for (int ranks = 2; ranks <= device_count(); ranks *= 2)
        for (int i = 0; i < 4; i++)
            printf("%d sedov%s device %s %d\n", ranks, i % 2 ? "-f32" : "", fields[i / 2], SHARED);
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of a step: the best of stretches that take a tenth of a second, or are one step. */
static int measure(struct sl_sim *sim, double *best)
{
    enum { STRETCHES = 4, WARM = 3 };
    double start = now();
    int steps = 1;
    for (int i = 0; i < WARM; i++)
        SL_TRY(sl_sim_step(sim, 1e9));
    steps += (int)(0.1 * WARM / (now() - start));
    MPI_Bcast(&steps, 1, MPI_INT, 0, sim->state.mesh->comm);
    *best = HUGE_VAL;
    for (int s = 0; s < STRETCHES; s++) {
        start = now();
        for (int i = 0; i < steps; i++)
            SL_TRY(sl_sim_step(sim, 1e9));
        *best = fmin(*best, (now() - start) / steps);
    }
    return SL_OK;
}

static int run(const char *place, const char *field, const char *cells)
{
    static struct sl_config cfg;
    struct sl_sim *sim;
    double seconds;
    char text[1024];
    int magnetic = strcmp(field, "none") != 0,
        n = snprintf(text, sizeof text,
                     "campaign: bench\nproblem: sedov\ntime.end: 1\nmesh.cells: [%s, %s, %s]\n"
                     "mesh.boundary: outflow\nfluid.gamma: 1.4\nsedov.center: [0.5, 0.5, 0.5]\n"
                     "sedov.radius: 0.1\nsedov.pressure: 1e-5\nfluid.mhd: %s\nfluid.riemann: %s\n"
                     "resources.backend: %s\n",
                     cells, cells, cells, field, magnetic ? "hlld" : "hllc",
                     strcmp(place, "core") == 0 ? "cpu" : "cuda");
    SL_TRY(sl_config_parse("sedov", text, (size_t)n, NULL, 0, &cfg));
    SL_TRY(sl_sim_new(MPI_COMM_WORLD, &cfg, &sim));
    SL_TRY(sl_sim_start(sim));
    SL_TRY(measure(sim, &seconds));
    const int *c = sim->state.mesh->spec.cells, *b = sim->state.mesh->n;
    if (sim->state.mesh->rank == 0)
        printf("program=sedov scheme=%s+%s precision=%s cells=%d,%d,%d block=%d,%d,%d ranks=%d "
               "updates_per_s=%.4g seconds_per_step=%.4g\n",
               place, field, sizeof(sl_real) == sizeof(float) ? "single" : "double", c[0], c[1],
               c[2], b[0], b[1], b[2], sim->state.mesh->size, pow(c[0], 3) / seconds, seconds);
    sl_sim_free(sim);
    return SL_OK;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0) return list();
    if (argc != 4) {
        fprintf(stderr, "usage: sedov core|device none|glm CELLS, or --cases\n");
        return SL_EUSAGE;
    }
    MPI_Init(&argc, &argv);
    int code = run(argv[1], argv[2], argv[3]);
    if (code != SL_OK) fprintf(stderr, "sedov: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
