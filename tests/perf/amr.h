/* amr.h - what the measurements of adaptive meshes share: a blast that its levels follow, its steps by the
 * clock, and the same problem on the uniform mesh of the finest level.
 *
 *   PROGRAM key=value ...    keys of a recipe; lines of name=value pairs come out
 *   PROGRAM --cases          the cases that `sluice bench` runs
 *
 * One update is one step of one leaf cell on its level; the time is all that passes: steps, ghost
 * cells, refluxing, regrids. regrid_share is the part of the time that regrids take.
 *
 * Shapes  none
 * Units   as printed
 * Errors  a status code
 * Owns    nothing
 * MPI     collective over MPI_COMM_WORLD
 * Where   host
 * Refs    none
 * Tests   tests/cli/bench.sh
 */
#ifndef SL_TESTS_PERF_AMR_H
#define SL_TESTS_PERF_AMR_H

#include <math.h>
#include <sys/resource.h>
#include <time.h>

#include "core/mesh/hierarchy.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "tests/fluid.h"

/* A hot ball of a tenth of the box. */
static inline void amr_blast(const void *data, const double lo[3], const double hi[3], double t,
                             double *prim)
{
    double r2 = 0;
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.5, 2);
    prim[0] = 1;
    prim[4] = r2 < 0.01 ? 10 : 0.1;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = d < 2 ? 0.3 : 0;
}

static inline double amr_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of gpu/device.h, where that is linked. */
extern const char *sl_device_memory(double *most) __attribute__((weak));

/* Most memory of this rank at a time, of the device where it computes on one. */
static inline double amr_peak(const struct sl_sim *sim)
{
    struct rusage use;
    double most = 0;
    if (sl_sim_apart(sim) && sl_device_memory && !sl_device_memory(&most) && most > 0) return most;
    getrusage(RUSAGE_SELF, &use);
    return 1024.0 * (double)use.ru_maxrss;
}

struct amr_timing {
    double wall, regrid; /* seconds of the steps, and of the regrids in them */
    int64_t updates;
    double time; /* of the run that passed */
    int steps;   /* of the root */
};

/* Steps for a few seconds after a few that nothing counts. */
static inline int amr_measure(struct sl_sim *sim, double seconds, struct amr_timing *t)
{
    for (int i = 0; i < 8; i++)
        SL_TRY(sl_sim_step(sim, 1e9));
    *t = (struct amr_timing){.time = -sim->time, .updates = -sim->updates};
    sim->regrid_time = 0;
    double start = amr_now(), spent = 0;
    for (; spent < seconds || t->steps % 4 != 0; t->steps++) {
        SL_TRY(sl_sim_step(sim, 1e9));
        spent = amr_now() - start;
        MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, sim->mesh->comm);
    }
    t->wall = amr_now() - start;
    t->regrid = sim->regrid_time;
    t->time += sim->time;
    t->updates += sim->updates;
    MPI_Allreduce(MPI_IN_PLACE, &t->wall, 2, MPI_DOUBLE, MPI_MAX, sim->mesh->comm);
    return SL_OK;
}

static inline void amr_print(const struct sl_sim *sim, struct amr_timing t)
{
    const struct sl_config *c = sim->cfg;
    const struct sl_mesh *m = sim->mesh;
    char levels[256] = "";
    double peak = amr_peak(sim), cells = (double)m->n[0] * m->n[1] * m->n[2];
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    double leaves = (double)(sim->hierarchy ? sim->hierarchy->nleaf_global : m->nblock_global);
    for (int l = 0; sim->hierarchy && l < sim->hierarchy->nlevel; l++)
        snprintf(levels + strlen(levels), sizeof levels - strlen(levels), "%s%lld", l ? "," : "",
                 (long long)sim->hierarchy->count[l]);
    if (m->rank != 0) return;
    printf(
        "program=amr scheme=%s+%s+%s mhd=%s precision=%s backend=%s cells=%d,%d,%d block=%d,%d,%d "
        "levels=%d time_levels=%s ranks=%d leaves=%s steps=%d updates_per_s=%.4g "
        "time_per_s=%.4g regrid_share=%.3g bytes_per_cell=%.4g\n",
        sl_choice_name("fluid.reconstruct", c->fluid_reconstruct),
        sl_choice_name("fluid.riemann", c->fluid_riemann),
        sl_choice_name("fluid.integrator", c->fluid_integrator),
        sl_choice_name("fluid.mhd", c->fluid_mhd),
        sizeof(sl_real) == sizeof(float) ? "single" : "double", sim->work->backend->name,
        m->spec.cells[0], m->dim > 1 ? m->spec.cells[1] : 1, m->dim > 2 ? m->spec.cells[2] : 1,
        m->n[0], m->n[1], m->n[2], (int)c->mesh_levels,
        sl_choice_name("time.levels", c->time_levels), m->size, levels[0] ? levels : "all", t.steps,
        (double)t.updates / t.wall, t.time / t.wall, t.regrid / t.wall, peak / (leaves * cells));
}

/* Keys of the command line after `first`, which they may replace. seconds=N is not one. */
static inline int amr_run(const char *first, int argc, char **argv)
{
    char recipe[3072];
    double seconds = 3;
    size_t used = (size_t)snprintf(recipe, sizeof recipe, "%s", first);
    for (int i = 1; i < argc && used < sizeof recipe; i++) {
        char *eq = strchr(argv[i], '=');
        if (!eq) return SL_FAIL(SL_EUSAGE, "%s: key=value is expected", argv[i]);
        if (strncmp(argv[i], "seconds=", 8) == 0) {
            seconds = strtod(eq + 1, NULL);
            continue;
        }
        used += (size_t)snprintf(recipe + used, sizeof recipe - used, "%.*s: %s\n",
                                 (int)(eq - argv[i]), argv[i], eq + 1);
    }
    struct fluid *f;
    struct amr_timing t;
    SL_TRY(fluid_new(MPI_COMM_WORLD, recipe, amr_blast, &f));
    SL_TRY(amr_measure(f->sim, seconds, &t));
    amr_print(f->sim, t);
    fluid_free(f);
    return SL_OK;
}

static inline int amr_main(const char *cases, const char *first, int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0)
        return sizeof(sl_real) == sizeof(double) && fputs(cases, stdout) < 0;
    MPI_Init(&argc, &argv);
    int code = amr_run(first, argc, argv);
    if (code != SL_OK) fprintf(stderr, "amr: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}

#endif
