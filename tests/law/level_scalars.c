/* level_scalars.c - passive scalars on levels are fractions: species that share the gas among them
 * do so in every cell, to rounding, and none is less than nothing or more than all, where density
 * changes by decades, levels follow it and fluxes are matched.
 *
 * ranks: 1
 * optimised: 1
 */
#include "core/mesh/hierarchy.h"
#include "tests/law.h"

enum { STEPS = 6 };

struct gas {
    int dim, species; /* 2 or 4 */
};

/* A dense ball in thin gas that streams past it; who has how much of it changes at its edge and
 * across it. */
static void ball(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct gas *g = data;
    double r2 = 0, x = 0.5 * (lo[0] + hi[0]);
    (void)t;
    for (int d = 0; d < g->dim; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.45 - 0.03 * d, 2);
    double in = 1 / (1 + exp((sqrt(r2) - 0.2) / 0.02)), half = x < 0.45;
    prim[0] = 0.05 + 10 * in;
    prim[1] = 1.5 * (1 - in), prim[2] = 0.75 * (1 - in), prim[3] = 0.25;
    prim[4] = 1 + 3 * in;
    prim[SL_PRIM_SCALAR] = in;
    prim[SL_PRIM_SCALAR + 1] = 1 - in;
    if (g->species == 2) return;
    prim[SL_PRIM_SCALAR + 1] = (1 - in) * 0.5 * (1 + sin(20 * x));
    prim[SL_PRIM_SCALAR + 2] = (1 - in) * 0.5 * (1 - sin(20 * x)) * half;
    prim[SL_PRIM_SCALAR + 3] = (1 - in) * 0.5 * (1 - sin(20 * x)) * (1 - half);
}

#define FOLLOW                                                                                     \
    "mesh.levels: 2\nmesh.regrid: 2\nmesh.refine: [{by: gradient, of: density, above: 0.2}]\n"

/* What a cell of any leaf has at worst: of the sum of its fractions and beyond 0 and 1. */
struct worst {
    double sum, beyond;
};

static void see_cell(const struct sl_state *s, const sl_real *u, int species, struct worst *w)
{
    double sum = 0;
    for (int i = 0; i < species; i++) {
        double f = (double)u[(size_t)(s->layout.scalar0 + i) * s->mesh->block_cells] / (double)u[0];
        sum += f;
        w->beyond = fmax(w->beyond, fmax(-f, f - 1));
    }
    w->sum = fmax(w->sum, fabs(sum - 1));
}

static struct worst look(const struct sl_sim *sim, int species)
{
    struct worst w = {0, 0};
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int b = 0; b < m->nleaf; b++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++)
                        see_cell(&s->state,
                                 s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0, k + m->g[2],
                                                         j + m->g[1], i + m->g[0]),
                                 species, &w);
    }
    return w;
}

/* more: what the scheme may do on a level. */
static void keeps(int dim, int species, struct worst more, const char *scheme)
{
    static const char *const boxes[] = {"", "", "mesh.cells: [32, 32]\nmesh.block: [8]\n",
                                        "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"};
    char recipe[1024];
    struct fluid *f;
    struct gas gas = {dim, species};
    snprintf(recipe, sizeof recipe, "%sfluid.scalars: %d\n%s%s", boxes[dim], species, FOLLOW,
             scheme);
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, ball, &gas, &f), SL_OK);
    law_advance(f, STEPS);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    struct worst w = look(f->sim, species);
    fluid_free(f);
    if (!(w.sum < more.sum + 64 * law_rounding() && w.beyond < more.beyond + 16 * law_rounding()))
        fail_msg("sums of fractions are off by %g, fractions beyond 0 and 1 by %g:\n%s", w.sum,
                 w.beyond, recipe);
}

/* In a violent state, where cells beside finer ones lose more than they have when fluxes are
 * matched. */
static void torn(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    law_torn(data, lo, hi, t, prim);
    prim[SL_PRIM_SCALAR] = prim[SL_PRIM_SCALAR] > 0.5;
    prim[SL_PRIM_SCALAR + 1] = 1 - prim[SL_PRIM_SCALAR];
}

/* beyond: what the scheme does on a level, too. */
static void survives(double beyond, const char *scheme)
{
    char recipe[1024];
    struct fluid *f;
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.scalars: 2\nmesh.levels: 2\n"
             "mesh.regrid: 1\nmesh.buffer: 0\nmesh.derefine_after: 1\ntime.levels: each\n"
             "mesh.refine: [{by: sphere, center: [0.3, 0.3], radius: 0.06}]\n%s",
             scheme);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, torn, &f), SL_OK);
    for (int i = 0; i < 8; i++) {
        for (int d = 0; d < 3; d++)
            f->cfg.mesh_refine[0].lo[d] = i % 2 ? 0.3 : 0.62;
        law_advance(f, 1);
        assert_int_equal(sl_sim_pull(f->sim), SL_OK);
        struct worst w = look(f->sim, 2);
        if (!(w.sum < 256 * law_rounding() && w.beyond < beyond + 16 * law_rounding()))
            fail_msg(
                "step %d: sums of fractions are off by %g, fractions beyond 0 and 1 by %g:\n%s", i,
                w.sum, w.beyond, recipe);
    }
    fluid_free(f);
}

/* With the steepest slopes a cell beside repaired ones that loses most of its gas in a step may be
 * left with less than none of a species: on one level by 1e-5, in the midst of a block here by
 * 0.003. */
static void mended(void **unused)
{
    (void)unused;
    survives(0, "");
    survives(0, "fluid.reconstruct: constant\n");
    survives(0.01, "fluid.theta: 2\nfluid.cfl: 0.9\n");
}

/* More than two species share the gas of first order: slopes of three do not add up on a level.
 * What ppm makes of a fraction near 1 follows the rounding of that. */
static void shared(void **unused)
{
    (void)unused;
    const struct worst none = {0, 0}, ppm = {1e-9, 1e-4};
    keeps(2, 4, none, "fluid.reconstruct: constant\ntime.levels: each\n");
    keeps(3, 4, none, "fluid.reconstruct: constant\n");
    keeps(2, 2, none, "fluid.reconstruct: plm\n");
    keeps(3, 2, none, "fluid.reconstruct: plm\ntime.levels: each\n");
    keeps(2, 2, ppm, "fluid.reconstruct: ppm\nfluid.integrator: rk3\ntime.levels: each\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared), cmocka_unit_test(mended)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
