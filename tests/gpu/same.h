/* same.h - what the tests share that compare the bits of the device with the processor's.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  the present test fails with a message
 * Owns    nothing
 * MPI     collective over MPI_COMM_WORLD
 * Where   host
 * Refs    none
 * Tests   tests/gpu/same.c, tests/gpu/levels.c, tests/gpu/direct.c
 */
#ifndef SL_TESTS_GPU_SAME_H
#define SL_TESTS_GPU_SAME_H

#include <mpi.h>

#include "core/run/totals.h"
#include "tests/law.h"

#define PLASMA    "fluid.mhd: glm\nfluid.riemann: hlld\n"
#define STAGGERED "fluid.mhd: ct\nfluid.riemann: hlld\n"

/* Waves that cross at up to Mach 3, with a jump in pressure. */
static inline void waves(const void *data, const double lo[3], const double hi[3], double t,
                         double *prim)
{
    (void)data, (void)t;
    double twopi = 2 * acos(-1), x[3];
    for (int d = 0; d < 3; d++)
        x[d] = twopi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.5 * sin(x[0] + 2 * x[1]) * cos(x[2]);
    prim[1] = 3 * cos(x[0] + x[2]);
    prim[2] = 2 * sin(x[1] - x[0]);
    prim[3] = 0.5 + sin(x[2] + 3 * x[1]);
    prim[4] = x[0] < 2 ? 1 : 0.1;
    prim[SL_PRIM_B] = 0.4 * cos(x[1] + x[2]);
    prim[SL_PRIM_B + 1] = 0.3 + 0.5 * sin(x[0]);
    prim[SL_PRIM_B + 2] = 0.5 * sin(x[0] - x[1]);
    prim[SL_PRIM_SCALAR] = 0.5 + 0.5 * sin(x[1]);
    prim[SL_PRIM_SCALAR + 1] = 0.1;
}

struct same_result {
    uint64_t hash;
    int64_t repaired, floored;
};

static inline void steps(struct sl_sim *sim, int n, const char *recipe)
{
    for (int i = 0; i < n; i++)
        if (sl_sim_step(sim, 1e9) != SL_OK) fail_msg("%s: %s", recipe, sl_error_text());
}

/* The end of so many steps. */
static inline struct same_result same_run(const char *backend, const char *recipe,
                                          fluid_state *state, int n)
{
    char text[2048];
    struct fluid *f;
    struct same_result r;
    snprintf(text, sizeof text, "resources.backend: %s\n%s", backend, recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, state, &f), SL_OK);
    steps(f->sim, n, text);
    r.repaired = f->sim->state.cells_repaired;
    r.floored = f->sim->state.cells_floored;
    assert_int_equal(sl_sim_hash(f->sim, &r.hash), SL_OK);
    fluid_free(f);
    return r;
}

/* The bits of both, and as many repairs. */
static inline struct same_result same(const char *recipe, fluid_state *state, int n)
{
    struct same_result a = same_run("cpu", recipe, state, n),
                       b = same_run("cuda", recipe, state, n);
    if (a.hash != b.hash || a.repaired != b.repaired || a.floored != b.floored)
        fail_msg("%016llx, %lld repaired on cpu, %016llx, %lld repaired on cuda:\n%s",
                 (unsigned long long)a.hash, (long long)a.repaired, (unsigned long long)b.hash,
                 (long long)b.repaired, recipe);
    return b;
}

static inline void same_totals_of(const char *backend, const char *recipe, fluid_state *state,
                                  int n, struct sl_totals *out)
{
    char text[2048];
    struct fluid *f;
    snprintf(text, sizeof text, "resources.backend: %s\n%s", backend, recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, state, &f), SL_OK);
    steps(f->sim, n, text);
    memset(out, 0, sizeof *out);
    if (sl_run_totals(f->sim, out) != SL_OK) fail_msg("%s", sl_error_text());
    fluid_free(f);
}

/* What the history tells of so many steps, source terms included. */
static inline void same_totals(const char *recipe, fluid_state *state, int n)
{
    struct sl_totals a, b;
    same_totals_of("cpu", recipe, state, n, &a);
    same_totals_of("cuda", recipe, state, n, &b);
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("mass %.17g and %.17g, energy %.17g and %.17g, largest density %.17g and %.17g, "
                 "first of the sources %.17g and %.17g on cpu and cuda:\n%s",
                 a.mass, b.mass, a.energy_total, b.energy_total, a.density_max, b.density_max,
                 a.source[0], b.source[0], recipe);
}

#endif
