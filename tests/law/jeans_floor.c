/* jeans_floor.c - gravity.jeans_floor: after a step no Jeans length has fewer cells, on levels
 * neither, in cells of the own level; warmer gas is left alone; the history says what was given;
 * the same after a restart; what is refused.
 *
 * ranks: 3
 * optimised: 1
 */
#include "core/step/source.h"
#include "tests/law_source.h"

enum { CELLS = 4 };
#define FLOOR "gravity: {four_pi_g: 20, jeans_floor: 4}\n"

/* Colder than the floor in the denser half. */
static void cold(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 2 * acos(-1) * 0.5 * (lo[0] + hi[0]);
    prim[0] = 2 + 1.9 * sin(x);
    prim[4] = 0.02;
}

static struct fluid *held(MPI_Comm comm, const char *recipe)
{
    struct fluid *f;
    if (fluid_new(comm, recipe, cold, &f) != SL_OK) fail_msg("%s", sl_error_text());
    return f;
}

/* The least pressure of the own leaves over that of the floor. */
static double least_of(const struct sl_sim *s, double floor_g)
{
    const struct sl_mesh *m = s->state.mesh;
    double least = HUGE_VAL, pi = acos(-1);
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++) {
                    const sl_real *u =
                        s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0, k + m->g[2],
                                                j + m->g[1], i + m->g[0]);
                    struct sl_prim q =
                        sl_cell_prim(&s->state.gas, &s->state.layout, u, m->block_cells);
                    double gamma = (double)s->state.gas.gamma, rho = (double)q.rho,
                           c2 = gamma * (double)q.p / rho,
                           length = 2 * pi * sqrt(c2 / floor_g / rho);
                    least = fmin(least, length / (CELLS * m->blocks[b].dx[0]));
                }
    return least;
}

static double least(const struct fluid *f)
{
    double x = HUGE_VAL;
    for (const struct sl_sim *s = f->sim; s; s = s->finer)
        x = fmin(x, least_of(s, 20));
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return x;
}

static double given(const struct fluid *f)
{
    struct sl_totals t;
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
    return sl_history_source(&f->sim->state, &t, "jeans_floor_energy");
}

static void floors(void **unused)
{
    (void)unused;
    static const char levels[] =
        "mesh: {cells: [16, 16, 16], block: [8], levels: 1}\n"
        "mesh.refine: [{by: sphere, center: [0.3, 0.3, 0.3], radius: 0.1}]\n";
    static const char *const recipes[] = {
        "mesh.cells: [32, 32]\nmesh.block: [8]\n",
        "mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.dual_energy: true\n", levels};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s" FLOOR, recipes[i]);
        struct fluid *f = held(MPI_COMM_WORLD, text);
        assert_true(least(f) < 0.9);
        law_advance(f, 1);
        double x = least(f), first = given(f);
        if (!(fabs(x - 1) < 1e-10)) fail_msg("a Jeans length of %g of the least:\n%s", x, text);
        assert_true(first > 0);
        law_advance(f, 3);
        assert_true(least(f) > 1 - 1e-10 && given(f) >= first);
        fluid_free(f);
    }
}

/* The heat is what the box has more than without a floor that acts. */
static void heat(void **unused)
{
    (void)unused;
    struct fluid *f = held(MPI_COMM_WORLD, "mesh.cells: [32, 32]\nmesh.block: [8]\n"
                                           "output.balance: true\n" FLOOR);
    struct sl_totals t;
    law_advance(f, 3);
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
    double sources = sl_history_source(&f->sim->state, &t, "energy_sources");
    if (!(fabs(sources / given(f) - 1) < 1e-10))
        fail_msg("%g of heat, but the gas got %g", given(f), sources);
    fluid_free(f);
}

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[512];
    snprintf(text, sizeof text, "%s" FLOOR "mesh.block: %s\n", recipe, block);
    struct fluid *f = held(comm, text);
    law_advance(f, 4);
    return f;
}

static void restarts(void **unused)
{
    (void)unused;
    law_restarts(run, "mesh.cells: [32, 32]\n", "[8]", "floor");
}

static void nonsense(void **unused)
{
    (void)unused;
    law_refused("gravity.jeans_floor: 4\n", cold, "attracts itself");
    law_refused("gravity: {four_pi_g: 1, jeans_floor: 4}\nfluid.eos: isothermal\n", cold,
                "nearest: ideal");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floors),
        cmocka_unit_test(heat),
        cmocka_unit_test(restarts),
        cmocka_unit_test(nonsense),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
