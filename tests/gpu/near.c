/* near.c - kernels with short divisions and square roots (core/cell/short.h), as programs have
 * them: the bits do not depend on the blocks, what is symmetric stays so to the bit, and the
 * processor's values are near.
 *
 * ranks: 1 2
 * emulated at length: 1
 */
#include "tests/law.h"

/* rounds: mean difference from the processor, in units of rounding; 0.3 to 0.6 is what a start with
 * noise of one rounding comes to on the processor itself. No largest one: where a choice of the
 * scheme lies at its threshold rounding chooses, as in single precision with roe in 6 of the 32^3
 * cells, which then differ by 700 roundings, on the processor with noise, too. Ppm chooses at
 * extrema, and where they lie between two equal cells rounding chooses: not judged. */
static const struct {
    const char *text;
    double rounds;
} schemes[] = {
    {"", 4},
    {"fluid.limiter: vanleer\nfluid.riemann: hlle\n", 4},
    {"fluid.reconstruct: wenoz\nfluid.integrator: rk3\n", 4},
    {"fluid.riemann: roe\n", 4},
    {"fluid.reconstruct: ppm\n", HUGE_VAL},
    {"fluid.eos: isothermal\n", 4},
    {"fluid.mhd: glm\nfluid.riemann: hlld\n", 4},
    {"fluid.mhd: glm\nfluid.riemann: roe\n", 4},
    {"fluid.mhd: ct\nfluid.riemann: hlld\n", 4},
    {"fluid.mhd: ct\nfluid.riemann: hlld\nfluid.eos: isothermal\n", 4},
    {"fluid.mhd: ct\nfluid.riemann: hlld\nfluid.characteristic: true\n", 4},
    {"fluid.integrator: vl2\n", 4},
    {"fluid.integrator: tvd\n", 4},
    {"fluid.riemann: lhllc\n", 4},
    {"fluid.dual_energy: true\nfluid.scalars: 2\n", 4},
    {"fluid.dual_energy: true\nfluid.mhd: ct\nfluid.riemann: hlld\n", 4},
    {"fluid.reconstruct: ppm\nfluid.shocks: flatten\n", HUGE_VAL},
    {"fluid.mhd: glm\nfluid.riemann: lhlld\n", 4},
    {"fluid.mhd: glm\nfluid.riemann: hlld\nfluid.reconstruct: wenoz\nfluid.integrator: rk3\n", 4},
    {"fluid.mhd: ct\nfluid.riemann: lhlld\n", 4},
    {"fluid.mhd: ct\nfluid.riemann: roe\n", 4},
    {"fluid.mhd: ct\nfluid.riemann: hlld\nfluid.reconstruct: wenoz\nfluid.integrator: rk3\n", 4},
    {"fluid.mhd: ct\nfluid.riemann: hlld\nfluid.integrator: vl2\n", 4},
};
enum { SCHEMES = sizeof schemes / sizeof schemes[0], CELLS = 32 };

/* Even across the middle of x, with cells whose centres are numbers without rounding. */
static void even(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[0] + hi[0]) - 0.5, y = 0.5 * (lo[1] + hi[1]) - 0.5;
    prim[0] = 1 + 2 * x * x + y * y;
    prim[1] = -3 * x * (1 - 4 * x * x);
    prim[2] = y * (1 - 4 * y * y);
    prim[4] = 1 / prim[0];
    prim[SL_PRIM_B + 1] = 0.5;
}

static struct fluid *after(const char *backend, const char *recipe, fluid_state *state, int steps)
{
    struct fluid *f;
    char text[512];
    snprintf(text, sizeof text, "resources.backend: %s\n%s", backend, recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, state, &f), SL_OK);
    law_advance(f, steps);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    return f;
}

static void blocks(void **unused)
{
    (void)unused;
    static const char *const cubes[] = {"[32]", "[16]", "[8]", "[32, 16, 4]", "[4, 8, 32]"};
    for (int i = 0; i < 5 * SCHEMES; i++) {
        static uint64_t first;
        uint64_t hash;
        char recipe[256];
        snprintf(recipe, sizeof recipe, "mesh.cells: [32, 32, 32]\nmesh.block: %s\n%s",
                 cubes[i % 5], schemes[i / 5].text);
        struct fluid *f = after("cuda", recipe, law_waves, 10);
        assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
        fluid_free(f);
        if (i % 5 == 0) first = hash;
        if (hash != first) fail_msg("other bits with these blocks:\n%s", recipe);
    }
}

/* Likewise where cells are repaired. */
static void violent(void **unused)
{
    (void)unused;
    static const char *const cubes[] = {"[16]", "[8]", "[16, 8, 4]"};
    for (int i = 0; i < 3 * 2; i++) {
        static uint64_t first;
        static int64_t repaired;
        uint64_t hash;
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [16, 16, 16]\nmesh.block: %s\nfluid.reconstruct: %s\n", cubes[i % 3],
                 i < 3 ? "plm" : "wenoz");
        struct fluid *f = after("cuda", recipe, law_violent, 12);
        assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
        if (i % 3 == 0) first = hash, repaired = f->sim->state.cells_repaired;
        if (hash != first || f->sim->state.cells_repaired != repaired)
            fail_msg("%lld repaired, other bits with these blocks:\n%s",
                     (long long)f->sim->state.cells_repaired, recipe);
        assert_true(repaired > 0);
        fluid_free(f);
    }
}

/* Variable v of interior cell i of block n. */
static double value(const struct sl_sim *s, int n, int v, int i)
{
    const struct sl_mesh *m = s->state.mesh;
    return (double)
        s->state.u[sl_mesh_at(m, s->state.layout.nvar, n, v, i / (m->n[0] * m->n[1]) + m->g[2],
                              i / m->n[0] % m->n[1] + m->g[1], i % m->n[0] + m->g[0])];
}

static int cells_of(const struct sl_mesh *m)
{
    return m->n[0] * m->n[1] * m->n[2];
}

/* A dye whose tails fade out below all numbers that there are. */
static void dye(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[0] + hi[0]) - 0.5;
    prim[0] = prim[1] = prim[4] = 1;
    prim[SL_PRIM_SCALAR] = exp(-4000 * x * x);
}

static void fading(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"plm", "ppm", "wenoz"};
    for (int i = 0; i < 3; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [128, 16, 16]\nmesh.block: [16]\nfluid.scalars: 1\n"
                 "fluid.reconstruct: %s\n",
                 methods[i]);
        struct fluid *f = after("cuda", recipe, dye, 20);
        for (int n = 0; n < f->sim->state.mesh->nblock; n++)
            for (int c = 0; c < cells_of(f->sim->state.mesh); c++)
                if (!isfinite(value(f->sim, n, f->sim->state.layout.scalar0, c)))
                    fail_msg("a dye that is no number:\n%s", recipe);
        fluid_free(f);
    }
}

/* Mean over the cells of the largest difference in a cell, over the largest value. */
static double difference(const struct sl_sim *a, const struct sl_sim *b)
{
    const struct sl_mesh *m = a->state.mesh;
    double sum = 0, size = 0;
    for (int n = 0; n < m->nblock; n++)
        for (int i = 0; i < cells_of(m); i++) {
            double most = 0;
            for (int v = 0; v < a->state.layout.nflow; v++) {
                most = fmax(most, fabs(value(a, n, v, i) - value(b, n, v, i)));
                size = fmax(size, fabs(value(a, n, v, i)));
            }
            sum += most;
        }
    return sum / ((double)m->nblock * cells_of(m) * size);
}

static void is_near(const char *cells, const char *scheme, double rounds)
{
    char recipe[256];
    snprintf(recipe, sizeof recipe, "mesh.cells: %s\nmesh.block: [16]\n%s", cells, scheme);
    struct fluid *a = after("cpu", recipe, law_waves, 10),
                 *b = after("cuda", recipe, law_waves, 10);
    double d = difference(a->sim, b->sim) / law_rounding();
    print_message("%.2f roundings of the largest value: %s\n", d, recipe);
    if (!(d < rounds)) fail_msg("%g roundings from the processor:\n%s", d, recipe);
    fluid_free(a), fluid_free(b);
}

static void near(void **unused)
{
    (void)unused;
    for (int i = 0; i < SCHEMES; i++)
        is_near("[32, 32, 32]", schemes[i].text, schemes[i].rounds);
    is_near("[64, 64]", "fluid.integrator: ctu\n", 4);
    is_near("[64, 64]", "fluid.integrator: ctu\nfluid.mhd: ct\nfluid.riemann: hlld\n", 4);
}

static sl_real density(const struct sl_sim *s, int j, int i)
{
    const struct sl_mesh *m = s->state.mesh;
    return s->state
        .u[sl_mesh_at(m, s->state.layout.nvar, 0, SL_RHO, m->g[2], j + m->g[1], i + m->g[0])];
}

static void symmetric(void **unused)
{
    (void)unused;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < SCHEMES && size == 1; i++) {
        char recipe[256];
        snprintf(recipe, sizeof recipe, "mesh.cells: [32, 32]\nmesh.block: [32]\n%s",
                 schemes[i].text);
        struct fluid *f = after("cuda", recipe, even, 40);
        for (int c = 0; c < CELLS * CELLS; c++)
            if (density(f->sim, c / CELLS, c % CELLS) !=
                density(f->sim, c / CELLS, CELLS - 1 - c % CELLS))
                fail_msg("not even across x in row %d:\n%s", c / CELLS, recipe);
        fluid_free(f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks), cmocka_unit_test(violent),
                                       cmocka_unit_test(fading), cmocka_unit_test(near),
                                       cmocka_unit_test(symmetric)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
