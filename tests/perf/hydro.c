/* hydro.c - cell updates per second and bytes per cell of the fluid; one case per call, because the
 * peak of the memory belongs to the process.
 *
 *   hydro key=value ...    keys of a recipe, and turbulence=M (eddies.h); one line of name=value
 *                          pairs comes out
 *   hydro --cases          the cases that `sluice bench` runs, a line each: ranks, program, keys
 *
 * One update is one whole step of one cell. The best of several stretches counts, by the clock and
 * by the time that the processor spent on it, as other work on the machine only ever slows. The
 * same run measures the rate of a plain memory copy. ranks: any
 */
#include <math.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/fluid.h"
#include "tests/perf/eddies.h"

static const char *const cases =
    "1 hydro mesh.cells=[128,128,128]\n"
    "1 hydro mesh.cells=[128,128,128] mesh.block=[32]\n"
    "1 hydro mesh.cells=[128,128,128] mesh.block=[16]\n"
    "2 hydro mesh.cells=[128,128,128] mesh.block=[64]\n"
    "1 hydro mesh.cells=[64,64,64]\n"
    "1 hydro mesh.cells=[64,64,64] fluid.riemann=roe\n"
    "1 hydro mesh.cells=[64,64,64] fluid.reconstruct=ppm fluid.integrator=rk3\n"
    "1 hydro mesh.cells=[64,64,64] fluid.reconstruct=wenoz fluid.integrator=rk3\n"
    "1 hydro mesh.cells=[64,64,64] fluid.reconstruct=ppm fluid.integrator=rk3 "
    "fluid.characteristic=true\n"
    "1 hydro mesh.cells=[64,64,64] turbulence=1\n"
    "1 hydro mesh.cells=[64,64,64] turbulence=3\n"
    "1 hydro mesh.cells=[64,64,64] turbulence=10\n"
    "1 hydro mesh.cells=[64,64,64] fluid.eos=isothermal\n"
    "1 hydro mesh.cells=[64,64,64] fluid.eos=isothermal turbulence=3\n"
    "1 hydro mesh.cells=[64,64,64] fluid.reconstruct=ppm fluid.integrator=rk3 turbulence=3\n"
    "1 hydro mesh.cells=[128,128,128] fluid.mhd=ct fluid.riemann=hlld fluid.integrator=vl2\n"
    "1 hydro mesh.cells=[128,128,128] fluid.mhd=ct fluid.riemann=roe fluid.integrator=vl2\n"
    "1 hydro mesh.cells=[400,200] fluid.mhd=ct fluid.riemann=roe fluid.integrator=ctu\n"
    "1 hydro-f32 mesh.cells=[128,128,128]\n"
    "1 hydro-f32 mesh.cells=[128,128,128] mesh.block=[32]\n"
    "2 hydro-f32 mesh.cells=[128,128,128] mesh.block=[64]\n";

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double wave = 1, twopi = 2 * acos(-1);
    for (int d = 0; d < 3; d++) {
        double x = 0.5 * (lo[d] + hi[d]);
        prim[1 + d] = 0.3 * sin(twopi * (x + 0.3 * d)) + 0.1;
        prim[SL_PRIM_B + (d + 1) % 3] = 0.5 + 0.3 * sin(twopi * x);
        wave += 0.2 * cos(twopi * (2 * x + 0.1 * d));
    }
    prim[0] = prim[4] = wave;
}

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

/* Bytes read and written per second by memcpy of blocks that no cache holds. */
static double copy_rate(void)
{
    size_t size = (size_t)64 << 20;
    char *a = malloc(size), *b = malloc(size);
    double best = 0;
    if (!a || !b) return 0;
    memset(a, 1, size);
    memset(b, 2, size);
    for (int i = 0; i < 5; i++) {
        double t = now();
        memcpy(b, a, size);
        __asm__ volatile("" : : "r"(b) : "memory");
        best = fmax(best, 2 * (double)size / (now() - t));
    }
    free(a);
    free(b);
    return best;
}

struct timing {
    int steps;
    double wall, cpu; /* seconds per step: the best stretch */
};

static int measure(struct sl_sim *sim, struct timing *best)
{
    *best = (struct timing){0, HUGE_VAL, HUGE_VAL};
    SL_TRY(sl_sim_step(sim, 1e9));
    int burst = 1;
    for (double start = now(), spent = 0; spent < 2.5;) {
        double wall = now(), cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < burst; i++)
            SL_TRY(sl_sim_step(sim, 1e9));
        wall = now() - wall;
        cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        best->wall = fmin(best->wall, wall / burst);
        best->cpu = fmin(best->cpu, cpu / burst);
        best->steps += burst;
        if (wall < 0.1) burst = (int)(burst * 0.12 / wall) + 1;
        spent = now() - start;
        MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, sim->state.mesh->comm);
        MPI_Bcast(&burst, 1, MPI_INT, 0, sim->state.mesh->comm);
    }
    MPI_Allreduce(MPI_IN_PLACE, &best->wall, 2, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
    return SL_OK;
}

static void print(const struct sl_sim *sim, struct timing t)
{
    const struct sl_config *c = sim->state.cfg;
    const struct sl_mesh *m = sim->state.mesh;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    double peak = 1024.0 * (double)use.ru_maxrss, cells = (double)m->nblock_global;
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    for (int d = 0; d < 3; d++)
        cells *= m->n[d];
    double copy = copy_rate();
    if (m->rank != 0) return;
    printf(
        "program=hydro scheme=%s+%s+%s mach=%g precision=%s cells=%d,%d,%d block=%d,%d,%d ranks=%d "
        "steps=%d updates_per_s=%.4g updates_per_cpu_s=%.4g bytes_per_cell=%.4g "
        "copy_bytes_per_s=%.4g\n",
        sl_choice_name("fluid.reconstruct", c->fluid_reconstruct),
        sl_choice_name("fluid.riemann", c->fluid_riemann),
        sl_choice_name("fluid.integrator", c->fluid_integrator), eddies_mach,
        sizeof(sl_real) == sizeof(float) ? "single" : "double", m->spec.cells[0],
        m->dim > 1 ? m->spec.cells[1] : 1, m->dim > 2 ? m->spec.cells[2] : 1, m->n[0], m->n[1],
        m->n[2], m->size, t.steps, cells / t.wall, cells / t.cpu, peak / cells, copy);
}

static int run(int argc, char **argv)
{
    char recipe[2048] = "resources.backend: cpu\n";
    size_t used = strlen(recipe);
    for (int i = 1; i < argc && used < sizeof recipe; i++) {
        char *eq = strchr(argv[i], '=');
        if (eddies_asked(argv[i])) continue;
        if (!eq) return SL_FAIL(SL_EUSAGE, "%s: key=value is expected", argv[i]);
        used += (size_t)snprintf(recipe + used, sizeof recipe - used, "%.*s: %s\n",
                                 (int)(eq - argv[i]), argv[i], eq + 1);
    }
    struct fluid *f;
    struct timing t;
    SL_TRY(fluid_new(MPI_COMM_WORLD, recipe, eddies_mach > 0 ? eddies_state : state, &f));
    SL_TRY(eddies_develop(f->sim));
    SL_TRY(measure(f->sim, &t));
    print(f->sim, t);
    fluid_free(f);
    return SL_OK;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0)
        return sizeof(sl_real) == sizeof(double) && fputs(cases, stdout) < 0;
    MPI_Init(&argc, &argv);
    int code = run(argc, argv);
    if (code != SL_OK) fprintf(stderr, "hydro: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}
