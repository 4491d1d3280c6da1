/* amr.h - what the measurements of adaptive meshes share: a blast or turbulence that levels follow,
 * its steps by the clock, and the same problem on the root grid alone.
 *
 *   PROGRAM key=value ...    keys of a recipe; a line of name=value pairs comes out
 *   PROGRAM --cases          the cases that `sluice bench` runs
 *
 * turbulence=M: eddies.h; seconds=N: for so long (3); steps=N: so many steps of the root grid;
 * uniform=1: also without levels, on the same blocks.
 *
 * One update is one step of one leaf cell on its level; the time is all that passes: steps, ghost
 * cells, refluxing, regrids. Shares are parts of that time: regrid_share all of a regrid, of which
 * mesh_share is the forest (balance, shares of the ranks) and its tables; ghost_share ghost cells
 * from coarser levels; match_share fluxes at the edges of levels and covered blocks. The last two
 * are of calls, which on a device do not wait for their work. On processors block_us tells the
 * microseconds of a step of a block of each level (core/step/costs.h), and of several ranks
 * imbalance those of the slowest one over the mean. With gravity gravity_share is what a run tells
 * of it (struct sl_source_use), and cycles those of multigrid for a potential.
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

#include "core/lists/mhd_list.h"
#include "core/mesh/hierarchy.h"
#include "core/step/backend.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "tests/fluid.h"
#include "tests/perf/eddies.h"

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
    if (sl_sim_on_device(sim) && sl_device_memory && !sl_device_memory(&most) && most > 0)
        return most;
    getrusage(RUSAGE_SELF, &use);
    return 1024.0 * (double)use.ru_maxrss;
}

struct amr_ask {
    double seconds;
    int steps; /* of the root; 0: as many as fit the seconds */
    int uniform;
};

struct amr_timing {
    double wall; /* seconds of the steps */
    struct sl_level_times spent;
    double gravity; /* of them, as a run tells it */
    int64_t potentials, cycles;
    struct sl_costs_work work; /* of all ranks */
    double slowest; /* of the times of the ranks in it, over their mean; 0: none are known */
    int64_t updates;
    double time; /* of the run that passed */
    int steps;   /* of the root */
};

/* All ranks go on as long as the first one says. */
static inline int amr_enough(const struct amr_ask *ask, const struct sl_sim *sim, double start,
                             int steps)
{
    int enough =
        ask->steps > 0 ? steps >= ask->steps : amr_now() - start >= ask->seconds && steps % 4 == 0;
    MPI_Bcast(&enough, 1, MPI_INT, 0, sim->state.mesh->comm);
    return enough;
}

/* What was done since `before`. */
static inline void amr_work(const struct sl_sim *sim, const struct sl_costs_work *before,
                            struct amr_timing *t)
{
    double own = 0, most = 0, sum = 0;
    MPI_Comm comm = sim->state.mesh->comm;
    t->work = sim->costs.done;
    for (int l = 0; l < SL_LEVELS; l++) {
        t->work.time[l] -= before->time[l];
        t->work.blocks[l] -= before->blocks[l];
        own += (double)t->work.time[l];
    }
    MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &t->work, 2 * SL_LEVELS, MPI_INT64_T, MPI_SUM, comm);
    t->slowest = sum > 0 ? most * sim->state.mesh->size / sum : 0;
}

/* What gravity has taken so far, times sign. */
static inline void amr_add_gravity(const struct sl_sim *sim, int sign, struct amr_timing *t)
{
    const struct sl_source_use *use = sl_sources_find(sim, "self_gravity");
    t->gravity += use ? sign * use->spent : 0;
    t->potentials += sign * sim->potentials;
    t->cycles += sign * sim->cycles;
}

/* Steps after a few that nothing counts. */
static inline int amr_measure(struct sl_sim *sim, const struct amr_ask *ask, struct amr_timing *t)
{
    for (int i = 0; i < 8; i++)
        SL_TRY(sl_sim_step(sim, 1e9));
    *t = (struct amr_timing){.time = -sim->state.time, .updates = -sim->updates};
    sim->spent = t->spent;
    amr_add_gravity(sim, -1, t);
    const struct sl_costs_work before = sim->costs.done;
    double start = amr_now();
    for (; !amr_enough(ask, sim, start, t->steps); t->steps++)
        SL_TRY(sl_sim_step(sim, 1e9));
    t->wall = amr_now() - start;
    t->spent = sim->spent;
    amr_add_gravity(sim, 1, t);
    t->time += sim->state.time;
    t->updates += sim->updates;
    amr_work(sim, &before, t);
    MPI_Allreduce(MPI_IN_PLACE, &t->wall, 1, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
    MPI_Allreduce(MPI_IN_PLACE, &t->gravity, 1, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
    MPI_Allreduce(MPI_IN_PLACE, &t->spent, sizeof t->spent / sizeof(double), MPI_DOUBLE, MPI_MAX,
                  sim->state.mesh->comm);
    return SL_OK;
}

static inline void amr_print_case(const struct sl_sim *sim, const char *program)
{
    const struct sl_config *c = sim->state.cfg;
    const struct sl_mesh *m = sim->state.mesh;
    printf("program=%s scheme=%s%s+%s+%s precision=%s backend=%s cells=%d,%d,%d block=%d,%d,%d "
           "levels=%d time_levels=%s gravity=%s mach=%g ranks=%d",
           program,
           c->fluid_mhd == SL_MHD_glm  ? "mhd+"
           : c->fluid_mhd == SL_MHD_ct ? "ct+"
                                       : "",
           sl_choice_name("fluid.reconstruct", c->fluid_reconstruct),
           sl_choice_name("fluid.riemann", c->fluid_riemann),
           sl_choice_name("fluid.integrator", c->fluid_integrator),
           sizeof(sl_real) == sizeof(float) ? "single" : "double", sim->work->backend->name,
           m->spec.cells[0], m->dim > 1 ? m->spec.cells[1] : 1, m->dim > 2 ? m->spec.cells[2] : 1,
           m->n[0], m->n[1], m->n[2], (int)c->mesh_levels,
           sl_choice_name("time.levels", c->time_levels),
           sl_config_wants(c, SL_SOURCE_self_gravity) ? "yes" : "no", eddies_mach, m->size);
}

/* Blocks and cells of the leaves of each level. */
static inline void amr_print_leaves(const struct sl_sim *sim, const char *name, int per_block)
{
    const struct sl_hierarchy *h = sim->state.hierarchy;
    printf(" %s=", name);
    for (int l = 0; l < h->nlevel; l++)
        printf("%s%lld", l ? "," : "", (long long)h->count[l] * per_block);
}

static inline void amr_print_work(const struct sl_sim *sim, const struct amr_timing *t)
{
    if (t->slowest <= 0) return;
    for (int l = 0; l < sim->state.hierarchy->nlevel; l++)
        printf("%s%.4g", l ? "," : " block_us=",
               t->work.blocks[l] > 0 ? 1e-3 * (double)t->work.time[l] / (double)t->work.blocks[l]
                                     : 0);
    if (sim->state.mesh->size > 1) printf(" imbalance=%.4g", t->slowest);
}

static inline void amr_print_gravity(const struct amr_timing *t)
{
    if (t->potentials > 0)
        printf(" gravity_share=%.3g cycles=%.3g", t->gravity / t->wall,
               (double)t->cycles / (double)t->potentials);
}

/* Without the end of the line. */
static inline void amr_print(const struct sl_sim *sim, struct amr_timing t)
{
    const struct sl_mesh *m = sim->state.mesh;
    double peak = amr_peak(sim);
    int cells = m->n[0] * m->n[1] * m->n[2];
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    double leaves = (double)sim->state.hierarchy->nleaf_global;
    if (m->rank != 0) return;
    amr_print_case(sim, "amr");
    amr_print_leaves(sim, "leaves", 1);
    amr_print_leaves(sim, "leaf_cells", cells);
    printf(" steps=%d updates_per_s=%.4g time_per_s=%.4g regrid_share=%.3g mesh_share=%.3g "
           "ghost_share=%.3g match_share=%.3g bytes_per_cell=%.4g",
           t.steps, (double)t.updates / t.wall, t.time / t.wall, t.spent.regrid / t.wall,
           t.spent.mesh / t.wall, t.spent.ghosts / t.wall, t.spent.match / t.wall,
           peak / (leaves * cells));
    amr_print_gravity(&t);
    amr_print_work(sim, &t);
}

/* The blast, or turbulence, with these keys; print: a line about it. */
static inline int amr_case_run(const char *recipe, const struct amr_ask *ask, int print,
                               double *rate)
{
    struct fluid *f;
    struct amr_timing t = {.wall = 0};
    SL_TRY(fluid_new(MPI_COMM_WORLD, recipe, eddies_mach > 0 ? eddies_state : amr_blast, &f));
    int code = eddies_develop(f->sim);
    if (code == SL_OK) code = amr_measure(f->sim, ask, &t);
    if (code == SL_OK && print) amr_print(f->sim, t);
    if (code == SL_OK) *rate = (double)t.updates / t.wall;
    fluid_free(f);
    return code;
}

/* Of a run without levels no more than this; others may stay. */
static inline int amr_is_of_levels(const char *key)
{
    return strncmp(key, "mesh.levels=", 12) == 0 || strncmp(key, "mesh.refine=", 12) == 0;
}

/* What is no key of a recipe; 0: it is one. */
static inline int amr_asks(const char *word, const char *value, struct amr_ask *ask)
{
    if (eddies_asked(word)) return 1;
    if (strncmp(word, "seconds=", 8) == 0) return ask->seconds = strtod(value, NULL), 1;
    if (strncmp(word, "steps=", 6) == 0) return ask->steps = (int)strtol(value, NULL, 10), 1;
    if (strncmp(word, "uniform=", 8) == 0) return ask->uniform = *value == '1', 1;
    return 0;
}

/* Keys of the command line after `first`; the recipe with levels and the one without. */
static inline int amr_recipes(const char *first, int argc, char **argv, struct amr_ask *ask,
                              char recipe[2][3072])
{
    for (int k = 0; k < 2; k++) {
        size_t size = sizeof recipe[k], used = (size_t)snprintf(recipe[k], size, "%s", first);
        for (int i = 1; i < argc && used < size; i++) {
            char *eq = strchr(argv[i], '=');
            if (!eq) return SL_FAIL(SL_EUSAGE, "%s: key=value is expected", argv[i]);
            if (amr_asks(argv[i], eq + 1, ask) || (k == 1 && amr_is_of_levels(argv[i]))) continue;
            used += (size_t)snprintf(recipe[k] + used, size - used, "%.*s: %s\n",
                                     (int)(eq - argv[i]), argv[i], eq + 1);
        }
    }
    return SL_OK;
}

static inline int amr_run(const char *first, int argc, char **argv)
{
    char recipe[2][3072];
    struct amr_ask ask = {.seconds = 3};
    double rate = 0, uniform = 0;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    SL_TRY(amr_recipes(first, argc, argv, &ask, recipe));
    SL_TRY(amr_case_run(recipe[0], &ask, 1, &rate));
    if (ask.uniform) {
        ask.steps = 0;
        SL_TRY(amr_case_run(recipe[1], &ask, 0, &uniform));
        if (rank == 0) printf(" uniform_updates_per_s=%.4g ratio=%.3g", uniform, rate / uniform);
    }
    if (rank == 0) putchar('\n');
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
