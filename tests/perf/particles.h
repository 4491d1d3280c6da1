/* particles.h - what the measurements of particles share: a lattice of dark matter in waves, moved
 * by its own gravity, by the clock.
 *
 *   PROGRAM key=value ...    keys of a recipe; a line of name=value pairs comes out
 *   PROGRAM --cases          the cases that `sluice bench` runs
 *
 * gas=1: beside gas; particles=N: N^3 of them (the cells of the first axis); clump=A: displaced by
 * waves that have come so far towards their first crossing, 1, beyond which sheets overlap (0.7);
 * steps=N: so many (20).
 *
 * A step is all that a step of particles is: a kick, a drift, the potential of the new places, a
 * kick, and the largest speed and pull; of the gas beside them, if there is any, the kicks and its
 * part in the potential, but not the flow. kick_s is of a kick alone, drift_s of a kick with a
 * drift, measured afterwards; potential_s is what is left of a step: mass on the mesh, transforms,
 * the potential to where particles read it, and the gas. A device sorts its particles on the way:
 * that is in drift_s.
 *
 * Shapes  none
 * Units   as printed
 * Errors  a status code
 * Owns    nothing
 * MPI     collective over MPI_COMM_WORLD
 * Where   host; the particles where the recipe has them
 * Refs    none
 * Tests   tests/cli/bench.sh
 */
#ifndef SL_TESTS_PERF_PARTICLES_H
#define SL_TESTS_PERF_PARTICLES_H

#include <math.h>
#include <sys/resource.h>
#include <time.h>

#include "core/particles/push.h"
#include "core/step/backend.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "core/sys/mem.h"
#include "tests/fluid.h"
#include "tests/perf/device.h"

struct swarm_ask {
    int gas;
    int64_t side; /* particles along an axis; 0: one for each cell of the first one */
    double clump;
    int steps;
};

static inline double swarm_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of gpu/device.h, where that is linked. */
extern const char *sl_device_memory(double *most) __attribute__((weak));

/* Most memory of this rank at a time, of the device where it computes on one. */
static inline double swarm_peak(const struct sl_sim *sim)
{
    struct rusage use;
    double most = 0;
    if (sl_sim_on_device(sim) && sl_device_memory && !sl_device_memory(&most) && most > 0)
        return most;
    getrusage(RUSAGE_SELF, &use);
    return 1024.0 * (double)use.ru_maxrss;
}

static inline void swarm_gas(const void *data, const double lo[3], const double hi[3], double t,
                             double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = 0.1;
    prim[4] = 1e-3;
}

/* Displacement along an axis of the particle at the share q of the box: four waves, and two shorter
 * ones that move lattices off the mesh. */
static inline double swarm_moved(double clump, double q)
{
    const double turn = 2 * acos(-1);
    return clump * (0.8 * sin(4 * turn * q) / (4 * turn) + 0.2 * sin(11 * turn * q) / (11 * turn));
}

/* Each rank adds the planes of a share; they go home from there. */
static inline int swarm_fill(const void *data, struct sl_state *run)
{
    const struct swarm_ask *ask = data;
    const struct sl_mesh_spec *s = &run->mesh->spec;
    struct sl_particles *p = run->particles;
    int64_t n = ask->side ? ask->side : s->cells[0], rank = p->mesh->rank, ranks = p->mesh->size,
            first = n * rank / ranks, end = n * (rank + 1) / ranks;
    double *moved = NULL;
    SL_TRY(sl_alloc("a lattice", (size_t)n, sizeof *moved, &moved));
    for (int64_t i = 0; i < n; i++)
        moved[i] = swarm_moved(ask->clump, ((double)i + 0.5) / (double)n);
    p->mass[0] = 0.9 / ((double)n * (double)n * (double)n);
    int code = sl_particles_reserve(p, (size_t)((end - first) * n * n));
    for (int64_t z = first; z < end && code == SL_OK; z++)
        for (int64_t y = 0; y < n; y++)
            for (int64_t x = 0; x < n; x++) {
                const int64_t at[3] = {x, y, z};
                double place[3], v[3];
                for (int d = 0; d < 3; d++) {
                    double by = moved[at[d]] + 0.3 * moved[at[(d + 1) % 3]];
                    place[d] =
                        s->lo[d] + (s->hi[d] - s->lo[d]) * (((double)at[d] + 0.5) / (double)n + by);
                    v[d] = by;
                }
                sl_particles_add(p, place, v, (uint64_t)((z * n + y) * n + x), 0);
            }
    free(moved);
    return code;
}

/* Steps of dt; sources alone, which is all that moves particles. */
static inline int swarm_steps(struct sl_sim *sim, int n, double dt, double *seconds)
{
    double start = swarm_now();
    for (int i = 0; i < n; i++) {
        SL_TRY(sl_sources_open(sim, dt));
        sim->state.time += dt;
        sim->state.step++;
        SL_TRY(sl_sources_close(sim, dt));
    }
    *seconds = (swarm_now() - start) / n;
    return SL_OK;
}

/* The work of a device is done once the speeds are known. */
static inline int swarm_kicks(struct sl_particles *p, int n, double time, double *seconds)
{
    double start = swarm_now();
    for (int i = 0; i < n; i++)
        SL_TRY(sl_particles_kick(p, i % 2 ? -time : time));
    SL_TRY(sl_particles_look(p));
    *seconds = (swarm_now() - start) / n;
    return SL_OK;
}

static inline int swarm_drifts(struct sl_particles *p, int n, double time, double *seconds)
{
    double start = swarm_now();
    for (int i = 0; i < n; i++) {
        SL_TRY(sl_particles_kick(p, i % 2 ? -time : time));
        SL_TRY(sl_particles_drift(p, i % 2 ? -time : time));
    }
    SL_TRY(sl_particles_look(p));
    *seconds = (swarm_now() - start) / n;
    return SL_OK;
}

struct swarm_timing {
    double step, kick, drift;
};

static inline int swarm_measure(struct sl_sim *sim, const struct swarm_ask *ask,
                                struct swarm_timing *t)
{
    enum { WARM = 4, SPARE = 16 };
    struct sl_particles *p = sim->state.particles;
    double dt = p->speed > 0 ? 0.2 / p->speed : 1e-3;
    SL_TRY(swarm_steps(sim, WARM, dt, &t->step));
    SL_TRY(swarm_steps(sim, ask->steps, dt, &t->step));
    SL_TRY(swarm_kicks(p, SPARE, 0.5 * dt, &t->kick));
    SL_TRY(swarm_drifts(p, SPARE, dt, &t->drift));
    int code = MPI_Allreduce(MPI_IN_PLACE, t, 3, MPI_DOUBLE, MPI_MAX, p->mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the times of the ranks");
    return SL_OK;
}

static inline void swarm_print(const struct sl_sim *sim, const struct swarm_ask *ask,
                               const struct swarm_timing *t)
{
    const struct sl_mesh *m = sim->state.mesh;
    const struct sl_particles *p = sim->state.particles;
    double peak = swarm_peak(sim);
    MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    if (m->rank != 0) return;
    printf("program=particles kernel=%s boundary=%s precision=%s backend=%s cells=%d,%d,%d "
           "block=%d,%d,%d particles=%lld clump=%g gas=%s ranks=%d steps=%d "
           "particle_steps_per_s=%.4g step_s=%.4g kick_s=%.4g drift_s=%.4g potential_s=%.4g "
           "bytes_per_particle=%.4g ",
           sl_choice_name("particles.kernel", p->kernel), p->open ? "isolated" : "periodic",
           sizeof(sl_real) == sizeof(float) ? "single" : "double", sim->work->backend->name,
           m->spec.cells[0], m->spec.cells[1], m->spec.cells[2], m->n[0], m->n[1], m->n[2],
           (long long)p->all, ask->clump, sim->state.layout.nvar > 0 ? "yes" : "no", m->size,
           ask->steps, (double)p->all / t->step, t->step, t->kick, t->drift,
           t->step - t->kick - t->drift, peak / (double)p->all);
    device_print_pairs();
    puts("");
}

static inline int swarm_asks(const char *word, const char *value, struct swarm_ask *ask)
{
    if (strncmp(word, "gas=", 4) == 0) return ask->gas = *value == '1', 1;
    if (strncmp(word, "particles=", 10) == 0) return ask->side = strtol(value, NULL, 10), 1;
    if (strncmp(word, "clump=", 6) == 0) return ask->clump = strtod(value, NULL), 1;
    if (strncmp(word, "steps=", 6) == 0) return ask->steps = (int)strtol(value, NULL, 10), 1;
    return 0;
}

static inline int swarm_recipe(const char *first, int argc, char **argv, struct swarm_ask *ask,
                               char *recipe, size_t size)
{
    size_t used = (size_t)snprintf(recipe, size, "%sparticles.file: none\n", first);
    for (int i = 1; i < argc; i++) {
        char *eq = strchr(argv[i], '=');
        SL_CHECK(eq, SL_EUSAGE, "%s: key=value is expected", argv[i]);
        if (swarm_asks(argv[i], eq + 1, ask) || used >= size) continue;
        used += (size_t)snprintf(recipe + used, size - used, "%.*s: %s\n", (int)(eq - argv[i]),
                                 argv[i], eq + 1);
    }
    if (!ask->gas && used < size)
        used += (size_t)snprintf(recipe + used, size - used, "problem: nbody\nfluid.eos: none\n");
    if (!strstr(recipe, "gravity.four_pi_g") && used < size)
        used += (size_t)snprintf(recipe + used, size - used, "gravity.four_pi_g: 1\n");
    SL_CHECK(used < size && ask->side >= 0 && ask->steps > 0, SL_EUSAGE,
             "particles=N and steps=N, N from 1 on");
    return SL_OK;
}

static inline int swarm_run(const char *first, int argc, char **argv)
{
    const struct sl_problem problem = {.name = "test", .state = swarm_gas, .particles = swarm_fill};
    struct swarm_ask ask = {.clump = 0.7, .steps = 20};
    struct swarm_timing t = {.step = 0};
    char recipe[2048];
    struct fluid *f;
    SL_TRY(swarm_recipe(first, argc, argv, &ask, recipe, sizeof recipe));
    SL_TRY(fluid_new_of(MPI_COMM_WORLD, recipe, problem, &ask, &f));
    int code = swarm_measure(f->sim, &ask, &t);
    if (code == SL_OK) swarm_print(f->sim, &ask, &t);
    fluid_free(f);
    return code;
}

static inline int swarm_main(const char *cases, const char *first, int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--cases") == 0)
        return sizeof(sl_real) == sizeof(double) && fputs(cases, stdout) < 0;
    MPI_Init(&argc, &argv);
    int code = swarm_run(first, argc, argv);
    if (code != SL_OK) fprintf(stderr, "particles: %s\n", sl_error_text());
    MPI_Finalize();
    return code;
}

#endif
