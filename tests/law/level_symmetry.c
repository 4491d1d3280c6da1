/* level_symmetry.c - a blast in a cube stays symmetric to the bit while levels follow it:
 * mirrored along each axis, and with any two axes exchanged, whatever the levels' steps; in a
 * field along the diagonal its axes may be exchanged, and all of them reversed.
 *
 * ranks: 3
 * optimised: 1
 */
#include "core/exact/whole.h"
#include "core/mesh/hierarchy.h"
#include "tests/law.h"

/* All coordinates are whole multiples of 1 / 256: squares and their sums are exact. */
static void blast(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const int *dim = data;
    double r2 = 0;
    (void)t;
    for (int d = 0; d < *dim; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]), 2);
    double hot = exp(-r2 / 0.002);
    prim[0] = 1 + hot;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = 0.1 + 10 * hot;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.5;
}

#define REFINE "levels: 2, regrid: 2, buffer: 1, refine: [{by: gradient, of: pressure, above: 0.3}]"
static const char *const boxes[] = {
    "", "", "mesh: {cells: [32, 32], block: 8, box: [[-0.5, 0.5], [-0.5, 0.5]], ",
    "mesh: {cells: [16, 16, 16], block: 8, box: [[-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5]], "};

/* The box after axes a and b were exchanged, and those of `flips` reversed. */
struct image {
    int a, b;
    int flips[3];
};

static void image_of(const struct sl_whole *w, const struct image *m, const int cell[3], int to[3])
{
    for (int d = 0; d < 3; d++)
        to[d] = m->flips[d] ? w->n[d] - 1 - cell[d] : cell[d];
    int swap = to[m->a];
    to[m->a] = to[m->b], to[m->b] = swap;
}

/* Density, velocity, pressure and field of a cell: those of its image, a velocity reversed along
 * axes that are. The field is along the diagonal: reversing all axes, or exchanging two, leaves
 * it, but for its sign as a whole. */
static void compare(const struct sl_whole *w, const struct image *m, const char *recipe)
{
    for (int v = 0; v < SL_WHOLE_NVAR; v++)
        for (int k = 0; k < w->n[2]; k++)
            for (int j = 0; j < w->n[1]; j++)
                for (int i = 0; i < w->n[0]; i++) {
                    const int cell[3] = {i, j, k};
                    int to[3], first = v >= SL_WHOLE_B ? SL_WHOLE_B : 1, axis = v - first, of = v;
                    image_of(w, m, cell, to);
                    bool vector = v != 0 && v != 4;
                    if (vector && (axis == m->a || axis == m->b)) of = first + m->a + m->b - axis;
                    double one = sl_whole_at(w, v, k, j, i);
                    double other = sl_whole_at(w, of, to[2], to[1], to[0]);
                    if (vector && first == 1 && m->flips[axis]) other = -other;
                    if (one != other)
                        fail_msg("value %d of cell (%d, %d, %d) and (%d, %d, %d) differ: %.17g, "
                                 "%.17g\n%s",
                                 v, i, j, k, to[0], to[1], to[2], one, other, recipe);
                }
}

static const struct image mirrors[] = {{0, 0, {1, 0, 0}}, {0, 0, {0, 1, 0}}, {0, 0, {0, 0, 1}}};
static const struct image turns[] = {{0, 1, {0, 0, 0}}, {1, 2, {0, 0, 0}}, {0, 0, {1, 1, 1}}};

static void symmetric(int dim, const char *more, const char *scheme, int steps)
{
    char recipe[1024];
    struct fluid *f;
    struct sl_whole w;
    snprintf(recipe, sizeof recipe, "%s%s%s}\n%s", boxes[dim], REFINE, more, scheme);
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, blast, &dim, &f), SL_OK);
    int64_t leaves = f->sim->state.hierarchy->nleaf_global;
    law_advance(f, steps);
    assert_int_equal(f->sim->state.hierarchy->nlevel, 3);
    assert_true(dim == 3 || f->sim->state.hierarchy->nleaf_global > leaves);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    assert_int_equal(sl_whole_init(&f->sim->state, &w), SL_OK);
    for (int i = 0; i < 3; i++) {
        bool plane = dim == 3 || i != 1; /* of exchanges: x and y */
        if (f->sim->state.layout.magnetic < 0 && i < dim) compare(&w, &mirrors[i], recipe);
        if (plane) compare(&w, &turns[i], recipe);
    }
    sl_whole_release(&w);
    fluid_free(f);
}

static void gas(void **unused)
{
    (void)unused;
    symmetric(2, "", "time.levels: one\n", 40);
    symmetric(2, "", "time.levels: each\nfluid.integrator: rk3\nfluid.reconstruct: ppm\n", 12);
    symmetric(2, "", "time.levels: each\nfluid.integrator: vl2\nfluid.limiter: mc\n", 12);
    symmetric(2, ", boundary: reflecting", "time.levels: each\nfluid.riemann: roe\n", 12);
    symmetric(3, "", "time.levels: each\n", 2);
}

static void field(void **unused)
{
    (void)unused;
    symmetric(2, "", "fluid.mhd: ct\nfluid.riemann: hlld\ntime.levels: each\n", 12);
    symmetric(2, "",
              "fluid.mhd: ct\nfluid.riemann: hlld\ntime.levels: one\nfluid.integrator: vl2\n", 40);
    symmetric(2, "", "fluid.mhd: glm\nfluid.riemann: hlld\ntime.levels: each\n", 12);
    symmetric(3, "", "fluid.mhd: ct\nfluid.riemann: hlld\ntime.levels: each\n", 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gas),
        cmocka_unit_test(field),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
