/* level_heat.c - dual energy on levels: gas of one pressure and one velocity stays so to rounding,
 * whatever its density, at the edges of levels and where levels come and go; a warm blast keeps its
 * energy where a mesh follows it, and where one jumps across it.
 *
 * ranks: 1
 * optimised: 1
 */
#include "core/mesh/hierarchy.h"
#include "tests/law.h"

/* Density: a disc with a sharp edge, or smooth; velocity. */
struct gas {
    int dim, smooth;
    double u[3];
};

static void even(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct gas *g = data;
    double r2 = 0, twopi = 2 * acos(-1), wave = 1;
    (void)t;
    for (int d = 0; d < g->dim; d++) {
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.45 - 0.03 * d, 2);
        wave *= sin(twopi * 0.5 * (lo[d] + hi[d]) + d);
        prim[1 + d] = g->u[d];
    }
    prim[0] = g->smooth ? 1 + 0.8 * wave : r2 < 0.04 ? 10 : 1;
    prim[4] = 1;
}

static void ball(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double r2 = 0;
    (void)data, (void)t;
    for (int d = 0; d < 2; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.47 - 0.02 * d, 2);
    prim[0] = 1;
    prim[4] = r2 < 0.01 ? 10 : 0.1;
}

/* Does one thing to each cell of the leaves; volume: of one, that of the coarsest is 1. */
typedef void see_fn(const struct sl_state *s, const sl_real *u, double volume, void *of);

static void each_leaf(const struct sl_sim *sim, see_fn *see, void *of)
{
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int b = 0; b < m->nleaf; b++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++)
                        see(&s->state,
                            s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0, k + m->g[2],
                                                    j + m->g[1], i + m->g[0]),
                            ldexp(1, -m->dim * m->level), of);
    }
}

/* What pressure and velocity are off by at worst. */
struct worst {
    const struct gas *gas;
    double p, u;
};

static void see_even(const struct sl_state *s, const sl_real *u, double volume, void *of)
{
    struct worst *w = of;
    struct sl_prim q = sl_cell_prim(&s->gas, &s->layout, u, s->mesh->block_cells);
    const double v[3] = {(double)q.u, (double)q.v, (double)q.w};
    (void)volume;
    w->p = fmax(w->p, fabs((double)q.p - 1));
    for (int d = 0; d < 3; d++)
        w->u = fmax(w->u, fabs(v[d] - w->gas->u[d]));
}

static void see_energy(const struct sl_state *s, const sl_real *u, double volume, void *of)
{
    *(double *)of += volume * (double)u[(size_t)s->layout.energy * s->mesh->block_cells];
}

static double energy_of(const struct sl_sim *sim)
{
    double sum = 0;
    each_leaf(sim, see_energy, &sum);
    return sum;
}

static const char *const boxes[] = {"", "mesh.cells: [128]\nmesh.block: [8]\n",
                                    "mesh.cells: [64, 64]\nmesh.block: [8]\n",
                                    "mesh.cells: [32, 32, 32]\nmesh.block: [8]\n"};

#define FOLLOW(of) "mesh.refine: [{by: gradient, of: " of ", above: 0.2}]\nmesh.regrid: 2\n"
#define REST       "mesh.refine: [{by: sphere, center: [0.3, 0.4], radius: 0.15}]\n"

/* levels: where they are. */
static struct fluid *start(int dim, fluid_state *state, void *data, const char *levels,
                           const char *scheme)
{
    char recipe[1024];
    struct fluid *f;
    snprintf(recipe, sizeof recipe, "%s%smesh.levels: %d\nfluid.dual_energy: true\n%s", boxes[dim],
             levels, dim == 2 ? 2 : 1, scheme);
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, state, data, &f), SL_OK);
    assert_non_null(f->sim->finer);
    assert_true(f->sim->state.mesh->nleaf > 0); /* levels have edges */
    return f;
}

static void stays_even(struct gas gas, int steps, const char *levels, const char *scheme)
{
    struct fluid *f = start(gas.dim, even, &gas, levels, scheme);
    struct worst w = {&gas, 0, 0};
    law_advance(f, steps);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    each_leaf(f->sim, see_even, &w);
    fluid_free(f);
    if (!(w.p < 256 * law_rounding() && w.u < 256 * law_rounding()))
        fail_msg("%dD, pressure is off by %g, velocity by %g:\n%s%s", gas.dim, w.p, w.u, levels,
                 scheme);
}

static void uniform(void **unused)
{
    (void)unused;
    const struct gas disc = {2, 0, {1, 0.5, 0}}, still = {2, 1, {0, 0, 0}};
    const struct gas wave = {2, 1, {-1, 0.25, 0}}, ball3 = {3, 0, {0.5, 0, -0.25}};
    stays_even(disc, 16, FOLLOW("density"), "");
    stays_even(disc, 8, FOLLOW("density"),
               "fluid: {reconstruct: ppm, integrator: rk3}\ntime.levels: each\n");
    stays_even(still, 8, REST, "");
    stays_even(wave, 8, REST, "fluid: {theta: 2, riemann: roe}\ntime.levels: each\n");
    stays_even(ball3, 4, FOLLOW("density"), "");
}

/* A mesh that follows a blast, and one that jumps across it. */
static void keeps_energy(int jumps, int steps, const char *levels, const char *scheme)
{
    struct fluid *f = start(2, ball, NULL, levels, scheme);
    double before = energy_of(f->sim);
    for (int i = 0; i < steps; i++) {
        for (int d = 0; d < 2 && jumps; d++)
            f->cfg.mesh_refine[0].lo[d] = i % 4 < 2 ? 0.62 : 0.4;
        law_advance(f, 1);
    }
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    double change = energy_of(f->sim) / before - 1;
    fluid_free(f);
    if (!(fabs(change) < 1e-5)) fail_msg("energy changes by %g:\n%s%s", change, levels, scheme);
}

#define JUMP                                                                                       \
    "mesh.refine: [{by: sphere, center: [0.62, 0.62], radius: 0.06}]\nmesh.regrid: 1\n"            \
    "mesh.derefine_after: 1\nmesh.buffer: 0\n"

static void blast(void **unused)
{
    (void)unused;
    keeps_energy(0, 32, FOLLOW("pressure"), "");
    keeps_energy(0, 16, FOLLOW("pressure"), "fluid: {reconstruct: ppm, integrator: rk3}\n");
    keeps_energy(1, 32, JUMP, "");
    keeps_energy(1, 32, JUMP, "time.levels: each\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(uniform), cmocka_unit_test(blast)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
