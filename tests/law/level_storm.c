/* level_storm.c - regrids: a criterion that turns over at every one of them, for many, leaves
 * uniform gas in a uniform field exactly as it was; a level is merged when nothing has held it
 * at mesh.derefine_after regrids in a row, not before.
 *
 * ranks: 3
 * optimised: 1
 */
#include "core/mesh/hierarchy.h"
#include "core/step/ratio.h"
#include "tests/law.h"

/* A spot of the mesh is refined, or none: outside of the box. */
#define SPOT "mesh.levels: 2\nmesh.refine: [{by: sphere, center: [%s], radius: 0.04}]\n"

static const char *const boxes[] = {"", "mesh.cells: [64]\nmesh.block: [8]\n",
                                    "mesh.cells: [32, 32]\nmesh.block: [8]\n",
                                    "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"};
static const char *const centers[] = {"", "0.3", "0.3, 0.3", "0.3, 0.3, 0.3"};

static void uniform(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    const double *speed = data;
    (void)lo, (void)hi, (void)t;
    prim[0] = 1.3;
    prim[1] = 0.7 * *speed, prim[2] = -0.4 * *speed, prim[3] = 0.2 * *speed;
    prim[4] = 0.9;
    prim[SL_PRIM_SCALAR] = 0.3;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.3 - 0.1 * d;
}

static struct fluid *start(int dim, const char *scheme, double *speed)
{
    struct fluid *f;
    char recipe[1024], spot[256];
    snprintf(spot, sizeof spot, SPOT, centers[dim]);
    snprintf(recipe, sizeof recipe, "%s%smesh.regrid: 1\n%s", boxes[dim], spot, scheme);
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, uniform, speed, &f), SL_OK);
    assert_int_equal(f->sim->state.hierarchy->nlevel, 3);
    return f;
}

static void point(struct fluid *f, double x)
{
    for (int d = 0; d < 3; d++)
        f->cfg.mesh_refine[0].lo[d] = x;
}

/* ---- a storm --------------------------------------------------------------------------------- */

/* The largest difference of any variable, of all blocks, from what it was, over that. */
static double off(const struct sl_sim *sim, const double was[SL_MAX_VAR])
{
    double worst = 0;
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int b = 0; b < m->nblock; b++)
            for (int v = 0; v < s->state.layout.nvar; v++)
                for (int k = 0; k < m->n[2]; k++)
                    for (int j = 0; j < m->n[1]; j++)
                        for (int i = 0; i < m->n[0]; i++) {
                            size_t at = sl_mesh_at(m, s->state.layout.nvar, b, v, k + m->g[2],
                                                   j + m->g[1], i + m->g[0]);
                            double u = (double)s->state.u[at];
                            if (u != was[v]) worst = fmax(worst, fabs(u / was[v] - 1));
                        }
    }
    return worst;
}

/* Of the first cell of any rank. */
static void values(const struct sl_sim *sim, double out[SL_MAX_VAR])
{
    for (int v = 0; v < SL_MAX_VAR; v++)
        out[v] = -HUGE_VAL;
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int v = 0; v < s->state.layout.nvar && m->nblock > 0; v++)
            out[v] = (double)s->state
                         .u[sl_mesh_at(m, s->state.layout.nvar, 0, v, m->g[2], m->g[1], m->g[0])];
    }
    MPI_Allreduce(MPI_IN_PLACE, out, SL_MAX_VAR, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
}

/* Gas at rest keeps every bit; the fluxes of gas that moves are summed with rounding. */
static void storm(int dim, const char *scheme, double speed, int regrids)
{
    char recipe[512];
    double was[SL_MAX_VAR];
    int changes = 0;
    snprintf(recipe, sizeof recipe, "mesh.derefine_after: 1\n%s", scheme);
    struct fluid *f = start(dim, recipe, &speed);
    values(f->sim, was);
    for (int i = 0; i < regrids; i++) {
        const struct sl_hierarchy *was_on = f->sim->state.hierarchy;
        point(f, i % 4 < 2 ? 0.7 : 0.3); /* merged, refined, twice */
        law_advance(f, 1);
        changes += f->sim->state.hierarchy != was_on;
    }
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    double worst = off(f->sim, was);
    if (changes < regrids / 4) fail_msg("%d changes in %d regrids", changes, regrids);
    if (worst > speed * 200 * law_rounding())
        fail_msg("%dD, speed %g: off by %g\n%s", dim, speed, worst, scheme);
    fluid_free(f);
}

/* So many regrids; at length: 500. */
static int often(int regrids)
{
    return getenv("SLUICE_LONG") ? 500 : regrids;
}

static void storms(void **unused)
{
    (void)unused;
    storm(1, "fluid.scalars: 1\n", 0, often(100));
    storm(1, "fluid.scalars: 1\n", 1, often(100));
    storm(2, "", 0, often(60));
    storm(2, "fluid.mhd: ct\nfluid.riemann: hlld\n", 0, often(32));
    storm(2, "fluid.mhd: ct\nfluid.riemann: hlld\ntime.levels: each\n", 1, often(16));
    storm(2, "fluid.mhd: glm\nfluid.riemann: hlld\n", 0, often(32));
    storm(3, "fluid.mhd: ct\nfluid.riemann: hlld\n", 0, often(4));
}

/* ---- patience -------------------------------------------------------------------------------- */

static int levels_after(struct fluid *f, int regrids)
{
    law_advance(f, regrids);
    return f->sim->state.hierarchy->nlevel;
}

/* Levels go one after the other, each after as many regrids without a rule; one with a rule
 * starts the count anew. */
static void patience(void **unused)
{
    (void)unused;
    double speed = 0;
    for (int after = 1; after <= 4; after++)
        for (int dim = 1; dim <= 2; dim++) {
            char more[64];
            snprintf(more, sizeof more, "mesh.derefine_after: %d\n", after);
            struct fluid *f = start(dim, more, &speed);
            assert_true(sl_ratio_regrids(f->sim));
            point(f, -9);
            assert_int_equal(levels_after(f, after - 1), 3);
            point(f, 0.3); /* once more, where it is */
            assert_int_equal(levels_after(f, 1), 3);
            point(f, -9);
            assert_int_equal(levels_after(f, after - 1), 3);
            assert_int_equal(levels_after(f, 1), 2);
            assert_int_equal(levels_after(f, after - 1), 2);
            assert_int_equal(levels_after(f, 1), 1);
            fluid_free(f);
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patience),
        cmocka_unit_test(storms),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
